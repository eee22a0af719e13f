import { AGENT_GATEWAY, AgentGatewayConfig } from '@evenkeel/agent-gateway';
import { ownerOf, type AppName } from '@evenkeel/contracts';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { serve, type RequestHandler } from '@evenkeel/platform/http';
import { createLogger } from '@evenkeel/platform/observability';
import { openTransport } from '@evenkeel/platform/messaging';
import { REPORTING, ReportingConfig } from '@evenkeel/reporting';
import { freePort } from '@evenkeel/services';
import { allReady } from './all-ready';
import { openDatabase, openFacilitator } from './backing-services';
import { Closers } from './closers';
import { crashPointFor } from './crash-point-for';
import { writeLocalEnvironment } from './local-environment';
import { localAnswerKeys, localReceiptKeys } from './local-keys';
import { startService } from './start-service';
import { StandaloneConfig } from './standalone.config';

/** Takes the payments of local runs; nobody has its key, and no real money can reach it there. */
const LOCAL_PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

export interface Standalone {
  url: string;
  internalUrl: string;
  facilitator: string;
  database: string;
  close(): Promise<void>;
}

/**
 * The whole product in this process, on one port, with embedded backing services where none are named.
 * @param report told what is being done, a line each
 * @throws InvalidConfig, CannotStartPostgres, CannotListen and others, with sentences for the operator; nothing is left running
 */
export async function startStandalone(env: Environment, report: (step: string) => void): Promise<Standalone> {
  const closers = new Closers();
  try {
    return await start(env, report, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function start(env: Environment, report: (step: string) => void, closers: Closers): Promise<Standalone> {
  const config = loadConfig(StandaloneConfig, env);
  const port = config.PORT === 0 ? await freePort() : config.PORT;
  const logger = createLogger('standalone', { level: 'warn' });

  report('database: starting');
  const database = await openDatabase(config, closers);
  report('facilitator: starting');
  const facilitator = await openFacilitator(config, closers);
  report('agent gateway: migrating and starting');
  const gatewayConfig = loadConfig(AgentGatewayConfig, {
    ...(!config.isProduction && {
      X402_PAY_TO: LOCAL_PAY_TO,
      ANSWER_KEYS: localAnswerKeys(config.DATA_DIR),
      RECEIPT_KEYS: localReceiptKeys(config.DATA_DIR),
    }),
    X402_RPC_URL: facilitator.rpcUrl,
    ...env,
    ...crashPointFor('agent-gateway', env),
    PORT: String(port),
    DATABASE_URL: await database.urlOf('agent_gateway'),
    FACILITATOR_URL: facilitator.url,
  });
  const transport = openTransport({ brokers: gatewayConfig.KAFKA_BROKERS, clientId: 'standalone', log: logger });
  closers.add(() => transport.close());
  const shared = { transport, logger, closers };
  const gateway = await startService(AGENT_GATEWAY, gatewayConfig, shared);
  report('reporting: migrating and starting');
  const reportingConfig = loadConfig(ReportingConfig, {
    ...env,
    ...crashPointFor('reporting', env),
    PORT: String(port),
    DATABASE_URL: await database.urlOf('reporting'),
  });
  const reporting = await startService(REPORTING, reportingConfig, shared);
  if (!config.isProduction) {
    writeLocalEnvironment(config.DATA_DIR, { 'agent-gateway': gatewayConfig, reporting: reportingConfig }, closers);
  }

  const handlers: Partial<Record<AppName, RequestHandler>> = {
    'agent-gateway': gateway.handle,
    reporting: reporting.handle,
  };
  const dispatch: RequestHandler = (request, response) => {
    const owner = ownerOf(request.url!.split('?', 1)[0]!);
    (handlers[owner] ?? gateway.handle)(request, response);
  };
  const readiness = allReady({ 'agent-gateway': gateway, reporting });
  const listening = { port, internalPort: config.INTERNAL_PORT, readiness, logger };
  const running = await serve(dispatch, listening, () => closers.close());
  return {
    ...running,
    url: gatewayConfig.baseUrl,
    facilitator: facilitator.description,
    database: database.description,
  };
}
