import 'reflect-metadata';
import { PAYMENTS_STREAM } from '@evenkeel/contracts';
import { loadConfig } from '@evenkeel/platform/config';
import { postgresOptions } from '@evenkeel/platform/persistence';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { NestFactory } from '@nestjs/core';
import { IsString } from 'class-validator';
import { DataSource } from 'typeorm';
import { ReportingConfig } from '../reporting.config';
import { WorkerModule } from '../app.module';

class ProgramConfig {
  /** The database whose outbox holds the stream. */
  @IsString() LEDGER_URL!: string;
}

/** The worker of reporting as a process that can be killed, without a broker. */
async function main(): Promise<void> {
  const { LEDGER_URL: url } = loadConfig(ProgramConfig, process.env);
  const ledger = await new DataSource(postgresOptions({ url, entities: [], migrations: [] })).initialize();
  const broker = new InProcessBroker({ warn: console.error, error: console.error });
  broker.keep(PAYMENTS_STREAM, ledger);
  const config = loadConfig(ReportingConfig, process.env);
  const worker = await NestFactory.createApplicationContext(WorkerModule.forRoot(config, broker), { logger: false });
  await worker.init();
}

void main();
