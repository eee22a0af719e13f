import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import { fromFiles, loadConfig, type Environment, type ServiceConfig } from '@evenkeel/platform/config';
import { serve } from '@evenkeel/platform/http';
import { openTransport } from '@evenkeel/platform/messaging';
import { closeTracing, metricsPage, openTracing, processRegistry, type Logger } from '@evenkeel/platform/observability';
import { freePort } from '@evenkeel/services';
import { openDatabase, openFacilitator } from './backing-services';
import { Closers } from './closers';
import { SERVICES, type HostedService } from './hosted-services';
import { writeLocalEnvironment } from './local-environment';
import { StandaloneConfig } from './standalone.config';
import { allReady, dispatch, startService, type RunningService } from './start-service';

export interface Standalone {
  url: string;
  internalUrl: string;
  facilitator: string;
  database: string;
  close(): Promise<void>;
}

interface Outputs {
  logger: Logger;
  /** Called with each step that begins, as a line of text. */
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

async function start(given: Environment, { logger, report }: Outputs, closers: Closers): Promise<Standalone> {
  const env = fromFiles([StandaloneConfig, ...SERVICES.map(({ service }) => service.config)], given);
  const config = loadConfig(StandaloneConfig, env);
  const port = config.PORT === 0 ? await freePort() : config.PORT;

  report('database: starting');
  const databases = await openDatabase(config, closers);
  report('facilitator: starting');
  const facilitator = await openFacilitator(config, closers);
  const hosted: [HostedService, ServiceConfig][] = [];
  for (const one of SERVICES) {
    const { name, config: settings } = one.service;
    hosted.push([
      one,
      loadConfig(settings, {
        ...one.settings(env, { standalone: config, facilitator }),
        PORT: String(port),
        DATABASE_URL: await databases.urlOf(name.replaceAll('-', '_')),
      }),
    ]);
  }

  const [, settingsOfAll] = hosted[0]!;
  const { kafka: access, baseUrl } = settingsOfAll;
  await openTracing(settingsOfAll, 'standalone', logger);
  closers.add(closeTracing);
  const transport = openTransport({ access, clientId: 'standalone', log: logger });
  closers.add(() => transport.close());
  const running: RunningService[] = [];
  for (const [{ service }, settings] of hosted) {
    report(`${service.name.replaceAll('-', ' ')}: migrating and starting`);
    running.push(await startService(service, settings, { transport, logger, closers }));
  }
  if (!config.isProduction) {
    for (const [one, settings] of hosted) writeLocalEnvironment(config.DATA_DIR, one, settings, closers);
  }

  const metrics = metricsPage([processRegistry('standalone'), ...running.map(({ registry }) => registry)]);
  const ports = { port, internalPort: config.INTERNAL_PORT, internalHost: config.INTERNAL_HOST };
  const { errorShape } = HTTP_CONVENTIONS;
  const listening = { ...ports, readiness: allReady(running), metrics, logger, errorShape };
  const listeners = await serve(dispatch(running), listening, () => closers.close());
  return {
    ...listeners,
    url: baseUrl,
    facilitator: facilitator.description,
    database: databases.description,
  };
}
