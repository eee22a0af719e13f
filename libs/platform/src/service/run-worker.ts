import { NestFactory } from '@nestjs/core';
import { InvalidConfig, loadConfig, type Environment, type ServiceConfig } from '../config';
import { closeOnSignal, internalServer, listen } from '../http';
import { openTransport } from '../messaging';
import { createLogger, metricsPage, NestPinoLogger, processRegistry } from '../observability';
import { waitForSchema } from '../persistence';
import { workerReadiness } from './readiness';
import { registryOf } from './registry-of';
import { runProgram, sayReady } from './run-program';
import type { Service } from './service';

/** The program `worker` of a service: waits for its schema, then works in the background until SIGTERM or SIGINT. */
export function runWorker<Config extends ServiceConfig>(service: Service<Config>, env: Environment): void {
  runProgram(async () => {
    const config = loadConfig(service.config, env);
    if (service.workerOnlyReads && !config.KAFKA_BROKERS) {
      throw new InvalidConfig(['KAFKA_BROKERS is required by a worker in a process of its own']);
    }
    const name = `${service.name}-worker`;
    const logger = createLogger(name);
    await waitForSchema(service.database(config));
    const transport = openTransport({ brokers: config.KAFKA_BROKERS, clientId: name, log: logger });
    const app = await NestFactory.createApplicationContext(service.worker.forRoot(config, transport), {
      logger: new NestPinoLogger(logger),
    });
    let draining = false;
    const internal = internalServer({
      readiness: workerReadiness(service, app),
      metrics: metricsPage([processRegistry(name), registryOf(service.name, app)]),
      isDraining: () => draining,
    });
    const internalUrl = await listen(internal.server, {
      port: config.WORKER_INTERNAL_PORT,
      host: '127.0.0.1',
      variable: 'WORKER_INTERNAL_PORT',
    });
    const close = async (): Promise<void> => {
      draining = true;
      await app.close();
      await transport.close();
      await internal.drain(0);
    };
    closeOnSignal({ close }, logger);
    sayReady({ internalUrl });
  });
}
