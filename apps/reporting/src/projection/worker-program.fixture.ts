import 'reflect-metadata';
import { PAYMENTS_STREAM, SUBSCRIPTIONS_STREAM } from '@evenkeel/contracts';
import { loadConfig } from '@evenkeel/platform/config';
import { postgresOptions } from '@evenkeel/platform/persistence';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { workerModule } from '@evenkeel/platform/service';
import { NestFactory } from '@nestjs/core';
import { IsString } from 'class-validator';
import { DataSource } from 'typeorm';
import { ReportingConfig } from '../reporting.config';
import { REPORTING } from '../service';

class ProgramConfig {
  /** The database whose outbox holds both streams. */
  @IsString() LEDGER_URL!: string;
}

/** The worker of reporting as a process that can be killed, without a broker. */
async function main(): Promise<void> {
  const { LEDGER_URL } = loadConfig(ProgramConfig, process.env);
  const broker = new InProcessBroker({ warn: console.error, error: console.error });
  const ledger = await new DataSource(postgresOptions({ url: LEDGER_URL, entities: [], migrations: [] })).initialize();
  for (const stream of [PAYMENTS_STREAM, SUBSCRIPTIONS_STREAM]) broker.keep(stream, ledger);
  const config = loadConfig(ReportingConfig, process.env);
  const worker = await NestFactory.createApplicationContext(workerModule(REPORTING, config, broker), { logger: false });
  await worker.init();
}

void main();
