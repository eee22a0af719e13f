import { AGENT_GATEWAY } from '@evenkeel/agent-gateway';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import { serve } from '@evenkeel/platform/http';
import { metricsPage, processRegistry, type Logger } from '@evenkeel/platform/observability';
import { openTransport } from '@evenkeel/platform/messaging';
import { REPORTING } from '@evenkeel/reporting';
import { freePort } from '@evenkeel/services';
import { allReady } from './all-ready';
import { gatewayConfig, reportingConfig } from './app-configs';
import { openDatabase, openFacilitator } from './backing-services';
import { Closers } from './closers';
import { dispatch } from './dispatch';
import { writeLocalEnvironment } from './local-environment';
import { startService } from './start-service';
import { StandaloneConfig } from './standalone.config';

export interface Standalone {
  url: string;
  internalUrl: string;
  facilitator: string;
  database: string;
  close(): Promise<void>;
}

interface Outputs {
  logger: Logger;
  /** Told what is being done, a line each. */
  report: (step: string) => void;
}

/**
 * The whole product in this process, on one port, with embedded backing services where none are named.
 * @throws InvalidConfig, CannotStartPostgres, CannotListen and others, with sentences for the operator; nothing is left running
 */
export async function startStandalone(env: Environment, outputs: Outputs): Promise<Standalone> {
  const closers = new Closers();
  try {
    return await start(env, outputs, closers);
  } catch (error) {
    // What cannot be closed either is not why it did not start.
    await closers.close().catch(() => undefined);
    throw error;
  }
}

async function start(env: Environment, { logger, report }: Outputs, closers: Closers): Promise<Standalone> {
  const config = loadConfig(StandaloneConfig, env);
  const port = config.PORT === 0 ? await freePort() : config.PORT;

  report('database: starting');
  const databases = await openDatabase(config, closers);
  const known = async (database: string) => ({ PORT: String(port), DATABASE_URL: await databases.urlOf(database) });
  report('facilitator: starting');
  const facilitator = await openFacilitator(config, closers);
  report('agent gateway: migrating and starting');
  const forGateway = gatewayConfig(env, config, facilitator, await known('agent_gateway'));
  const transport = openTransport({ brokers: forGateway.KAFKA_BROKERS, clientId: 'standalone', log: logger });
  closers.add(() => transport.close());
  const shared = { transport, logger, closers };
  const gateway = await startService(AGENT_GATEWAY, forGateway, shared);
  report('reporting: migrating and starting');
  const forReporting = reportingConfig(env, await known('reporting'));
  const reporting = await startService(REPORTING, forReporting, shared);
  if (!config.isProduction) {
    writeLocalEnvironment(config.DATA_DIR, { 'agent-gateway': forGateway, reporting: forReporting }, closers);
  }

  const apps = { 'agent-gateway': gateway, reporting };
  const metrics = metricsPage([processRegistry('standalone'), gateway.registry, reporting.registry]);
  const listening = { port, internalPort: config.INTERNAL_PORT, readiness: allReady(apps), metrics, logger };
  const running = await serve(dispatch(apps), listening, () => closers.close());
  return {
    ...running,
    url: forGateway.baseUrl,
    facilitator: facilitator.description,
    database: databases.description,
  };
}
