import {
  closeOnSignal,
  createLogger,
  internalServer,
  InvalidConfig,
  listen,
  loadConfig,
  NestPinoLogger,
  waitForSchema,
} from '@evenkeel/platform';
import { openTransport } from '@evenkeel/platform/messaging';
import { NestFactory } from '@nestjs/core';
import { databaseOptions, ReportingConfig, WorkerModule, workerReadinessOf } from './index';

async function main(): Promise<void> {
  const config = loadConfig(ReportingConfig, process.env);
  // Alone in its process it would wait for ever, and say nothing.
  if (!config.KAFKA_BROKERS) throw new InvalidConfig(['KAFKA_BROKERS is required by a worker in a process of its own']);
  const logger = createLogger('reporting-worker');
  await waitForSchema(databaseOptions(config));
  const clientId = 'reporting-worker';
  const transport = openTransport({ brokers: config.KAFKA_BROKERS, clientId, log: logger });
  const app = await NestFactory.createApplicationContext(WorkerModule.forRoot(config, transport), {
    logger: new NestPinoLogger(logger),
  });
  let draining = false;
  const internal = internalServer(workerReadinessOf(app), () => draining);
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
  console.log(JSON.stringify({ ready: true, internalUrl }));
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
