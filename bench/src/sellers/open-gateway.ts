import {
  AGENT_GATEWAY,
  AgentGatewayConfig,
  ClaimPayments,
  GatewayMetrics,
  RecordSettlements,
  type Recorded,
} from '@evenkeel/agent-gateway';
import { loadConfig } from '@evenkeel/platform/config';
import { createHttpApp } from '@evenkeel/platform/http';
import { createLogger } from '@evenkeel/platform/observability';
import { appModule } from '@evenkeel/platform/service';
import type { FastifyInstance } from 'fastify';
import { OFFER } from './offer';

type App = Awaited<ReturnType<typeof createHttpApp>>;

/** Our gateway as a handler among the other sellers. */
export function openGateway(settings: NodeJS.ProcessEnv): Promise<App> {
  const config = loadConfig(AgentGatewayConfig, settings);
  return createHttpApp(appModule(AGENT_GATEWAY, config), {
    ...AGENT_GATEWAY.http,
    logger: createLogger('bench', { level: 'silent' }),
    maxBodyBytes: config.MAX_BODY_BYTES,
    publicBaseUrl: config.baseUrl,
  });
}

/** Neither its requests nor what it asks of the facilitator are counted: what that costs is the difference to the same gateway. */
export function withoutCounting(app: App): App {
  const { requestCounts }: FastifyInstance = app.getHttpAdapter().getInstance();
  const nothing = (): void => undefined;
  requestCounts.route(OFFER.path).add = nothing;
  Object.assign(app.get(GatewayMetrics, { strict: false }), { facilitatorCalled: nothing, paymentsEnded: nothing });
  return app;
}

/** The two statements of a paid call are not sent any more: what they cost is the difference to the same gateway. */
export function withoutLedger(app: App): App {
  const recorded: Recorded = { change: 'answered', credit: null };
  app.get(ClaimPayments, { strict: false }).claim = () => Promise.resolve(true);
  app.get(RecordSettlements, { strict: false }).record = () => Promise.resolve(recorded);
  return app;
}
