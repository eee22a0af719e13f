import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HTTP_CONVENTIONS } from '@evenkeel/contracts';
import { fromFiles, loadConfig, type Environment, type ServiceConfig } from '@evenkeel/platform/config';
import { CannotListen, listen, serve, type WantedPort } from '@evenkeel/platform/http';
import { openTransport } from '@evenkeel/platform/messaging';
import { closeTracing, metricsPage, openTracing, processRegistry, type Logger } from '@evenkeel/platform/observability';
import { BROKER_LAST_WORDS_MS } from '@evenkeel/platform/service';
import { freePort } from '@evenkeel/services';
import { openDatabase, openFacilitator } from './backing-services';
import { Closers } from './closers';
import type * as Hosted from './hosted-services';
import type { HostedService } from './hosted-services';
import { writeLocalEnvironment } from './local-environment';
import { StandaloneConfig } from './standalone.config';
import { allReady, dispatch, startService } from './start-service';

/** A slow disk or processor is waited for, and the terminal says so. */
const STILL_WAITING_MS = 10_000;

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
    // A failed close is not why it did not start.
    await closers.close().catch(() => undefined);
    throw error;
  }
}

async function start(given: Environment, { logger, report }: Outputs, closers: Closers): Promise<Standalone> {
  const config = loadConfig(StandaloneConfig, fromFiles([StandaloneConfig], given));
  const port = config.PORT === 0 ? await freePort() : config.PORT;
  await refuseTakenPorts(portsOf(config));
  const step = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    report(`${name}: starting`);
    const waiting = setInterval(() => report(`${name}: not ready yet, still waiting`), STILL_WAITING_MS);
    const result = await work().finally(() => clearInterval(waiting));
    report(`${name}: ready`);
    return result;
  };

  // The database starts while this process loads the services.
  const databasePort = await freePort();
  const database = step('database', () => openDatabase(config, databasePort, closers));
  // Its failure is seen when it is asked for.
  database.catch(() => undefined);
  await nextTurn();
  const services = loadServices();
  const env = fromFiles([StandaloneConfig, ...services.map(({ service }) => service.config)], given);
  const [databases, facilitator] = await all([
    database,
    step('facilitator', () => openFacilitator(config, closers)),
  ] as const);
  const hosted = await all(
    services.map(async (one): Promise<[HostedService, ServiceConfig, Environment]> => {
      const { name, config: settings } = one.service;
      const own = one.settings(env, { standalone: config, facilitator });
      const DATABASE_URL = await databases.urlOf(name.replaceAll('-', '_'));
      const given = { ...own, PORT: String(port), DATABASE_URL };
      return [one, loadConfig(settings, given), given];
    }),
  );

  const [, settingsOfAll] = hosted[0]!;
  const { kafka: access, baseUrl } = settingsOfAll;
  await openTracing(settingsOfAll, 'standalone', logger);
  closers.add(closeTracing);
  const transport = openTransport({ access, clientId: 'standalone', log: logger });
  closers.add(() => transport.close());
  const running = await all(
    hosted.map(([{ service }, settings]) =>
      step(service.name.replaceAll('-', ' '), () => startService(service, settings, { transport, logger, closers })),
    ),
  );
  if (!config.isProduction) {
    for (const [one, , given] of hosted) writeLocalEnvironment(config.DATA_DIR, one, given, closers);
  }

  const metrics = metricsPage([processRegistry('standalone'), ...running.map(({ registry }) => registry)]);
  const ports = { port, host: config.HOST, internalPort: config.INTERNAL_PORT, internalHost: config.INTERNAL_HOST };
  const { errorShape } = HTTP_CONVENTIONS;
  const listening = { ...ports, readiness: allReady(running), metrics, logger, errorShape };
  const listeners = await serve(dispatch(running), listening, () => {
    transport.endWithin(BROKER_LAST_WORDS_MS);
    return closers.close();
  });
  return {
    ...listeners,
    url: baseUrl,
    facilitator: facilitator.description,
    database: databases.description,
  };
}

/** The development facilitator has one where none is named. */
function portsOf(config: StandaloneConfig): WantedPort[] {
  const { PORT, INTERNAL_PORT, INTERNAL_HOST, FACILITATOR_PORT, FACILITATOR_URL, isProduction } = config;
  const facilitator = { port: FACILITATOR_PORT, host: '127.0.0.1', variable: 'FACILITATOR_PORT' };
  return [
    { port: PORT, variable: 'PORT' },
    { port: INTERNAL_PORT, host: INTERNAL_HOST, variable: 'INTERNAL_PORT' },
    ...(FACILITATOR_URL === undefined && !isProduction ? [facilitator] : []),
  ];
}

/** Loaded late: nearly all of this process is their code. */
function loadServices(): readonly HostedService[] {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return (require('./hosted-services') as typeof Hosted).SERVICES;
}

/** All results; where one fails, the others are waited for, so that what they have started is closed too. */
async function all<const Work extends readonly Promise<unknown>[]>(
  work: Work,
): Promise<{ -readonly [Place in keyof Work]: Awaited<Work[Place]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/**
 * Looks at all ports before anything else is begun.
 * @throws CannotListen with a sentence for each port that is taken or not allowed
 */
async function refuseTakenPorts(wanted: readonly WantedPort[]): Promise<void> {
  const refused: string[] = [];
  for (const one of wanted) {
    const server = createServer();
    await listen(server, one).then(
      () => once(server.close(), 'close'),
      ({ message }: CannotListen) => refused.push(message),
    );
  }
  if (refused.length > 0) throw new CannotListen(refused.join(' '));
}
