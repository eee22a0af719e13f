import { NestFactory } from '@nestjs/core';
import { loadConfig, plainTextWarnings, redacted, type Environment, type ServiceConfig } from '../config';
import type * as Doctor from '../doctor/check';
import { closeOnSignal, createHttpApp, exposeRequests, httpOptionsOf, internalServer, listen, runHttp } from '../http';
import { openTransport } from '../messaging';
import {
  closeTracing,
  createLogger,
  metricsPage,
  NestPinoLogger,
  openTracing,
  processRegistry,
} from '../observability';
import { migrate, waitForSchema } from '../persistence';
import type { Service } from './service';
import { appModule, appReadiness, registryOf, workerModule, workerReadiness } from './service-modules';

/** The time for a broker when a process stops: it may be gone, and the process is to end within five seconds. */
export const BROKER_LAST_WORDS_MS = 2_500;

/** Runs a program; an error that was not caught is printed for the operator, and ends the process with 1. */
function runProgram(program: () => Promise<void>): void {
  program().catch((error: Error) => {
    console.error(redacted(error.message));
    process.exit(1);
  });
}

/** One line of JSON on standard output for the program that started this one. */
function sayReady(addresses: { url?: string; internalUrl: string }): void {
  console.log(JSON.stringify({ ready: true, ...addresses }));
}

/**
 * The program `main` of a service: waits for its schema, then answers over HTTP until SIGTERM or SIGINT. With `--check`
 * it says what is wrong with what the settings lead to, and ends.
 */
export function runMain<Config extends ServiceConfig>(service: Service<Config>, env: Environment): void {
  const args = process.argv.slice(2);
  runProgram(async () => {
    if (args.includes('--check')) {
      // Loaded when it is wanted: the client of Kafka alone takes an eighth of a second.
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { check } = require('../doctor/check') as typeof Doctor;
      // A hanging probe would keep the process alive.
      process.exit(await check(service, args, env, (text) => process.stdout.write(text)));
    }
    const config = loadConfig(service.config, env);
    const logger = createLogger(service.name, { secretFields: service.http?.secretHeaders });
    for (const sentence of plainTextWarnings(service.config, env)) logger.warn(sentence);
    await openTracing(config, service.name, logger);
    await waitForSchema(service.database(config));
    const app = await createHttpApp(appModule(service, config), httpOptionsOf(config, logger, service.http));
    const readiness = appReadiness(service, app);
    const registry = registryOf(service.name, app);
    exposeRequests(app, registry);
    const metrics = metricsPage([processRegistry(service.name), registry]);
    const { errorShape } = service.http ?? {};
    const ports = { port: config.PORT, internalPort: config.INTERNAL_PORT, internalHost: config.INTERNAL_HOST };
    const listening = { ...ports, readiness, metrics, logger, errorShape };
    const { url, internalUrl } = await runHttp(app, listening);
    sayReady({ url, internalUrl });
  });
}

/** The program `worker` of a service: waits for its schema, then works in the background until SIGTERM or SIGINT. */
export function runWorker<Config extends ServiceConfig>(service: Service<Config>, env: Environment): void {
  runProgram(async () => {
    const KAFKA_BROKERS = 'KAFKA_BROKERS is required by a worker in a process of its own';
    const config = loadConfig(service.config, env, service.workerOnlyReads ? { KAFKA_BROKERS } : {});
    const name = `${service.name}-worker`;
    const logger = createLogger(name, { secretFields: service.http?.secretHeaders });
    for (const sentence of plainTextWarnings(service.config, env)) logger.warn(sentence);
    await openTracing(config, name, logger);
    await waitForSchema(service.database(config));
    const transport = openTransport({ access: config.kafka, clientId: name, log: logger });
    const app = await NestFactory.createApplicationContext(workerModule(service, config, transport), {
      logger: new NestPinoLogger(logger),
    });
    let draining = false;
    const internal = internalServer({
      readiness: workerReadiness(service, app, transport),
      metrics: metricsPage([processRegistry(name), registryOf(service.name, app)]),
      isDraining: () => draining,
      errorShape: service.http?.errorShape,
    });
    const internalUrl = await listen(internal.server, {
      port: config.WORKER_INTERNAL_PORT,
      host: config.INTERNAL_HOST,
      variable: 'WORKER_INTERNAL_PORT',
    });
    const close = async (): Promise<void> => {
      draining = true;
      transport.endWithin(BROKER_LAST_WORDS_MS);
      await app.close();
      await transport.close();
      await closeTracing();
      await internal.drain(0);
    };
    closeOnSignal({ close }, logger);
    sayReady({ internalUrl });
  });
}

/** The program `migrate` of a service: brings its schema up, and ends. */
export function runMigrate<Config extends ServiceConfig>(service: Service<Config>, env: Environment): void {
  runProgram(async () => {
    const done = await migrate(service.database(loadConfig(service.config, env)));
    console.log(done.length > 0 ? `migrated: ${done.join(', ')}` : 'nothing to migrate');
  });
}
