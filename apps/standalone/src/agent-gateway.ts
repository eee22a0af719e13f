import { AgentGatewayConfig, AppModule, databaseOptions, readinessOf } from '@evenkeel/agent-gateway';
import { createHttpApp, migrate, requestHandler, type Logger } from '@evenkeel/platform';
import type { EventTransport } from '@evenkeel/platform/messaging';
import type { Closers } from './closers';
import type { RunningApp } from './running-app';

/** HTTP and background half of the gateway, on a migrated database. */
export async function startAgentGateway(
  config: AgentGatewayConfig,
  transport: EventTransport,
  logger: Logger,
  closers: Closers,
): Promise<RunningApp> {
  await migrate(databaseOptions(config));
  const app = await createHttpApp(AppModule.withWorker(config, transport), {
    logger,
    maxBodyBytes: config.MAX_BODY_BYTES,
    publicBaseUrl: config.baseUrl,
    corsOrigins: config.corsOrigins,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
  });
  closers.add(() => app.close());
  const handle = await requestHandler(app);
  return { handle, readiness: readinessOf(app) };
}
