import 'reflect-metadata';
import { PAYMENTS_STREAM, SUBSCRIPTIONS_STREAM } from '@evenkeel/contracts';
import { loadConfig } from '@evenkeel/platform/config';
import { postgresOptions } from '@evenkeel/platform/persistence';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { workerModule } from '@evenkeel/platform/service';
import { NestFactory } from '@nestjs/core';
import { IsOptional, IsString } from 'class-validator';
import { DataSource } from 'typeorm';
import { ReportingConfig } from '../reporting.config';
import { REPORTING } from '../service';

class ProgramConfig {
  /** The database whose outbox holds the stream of payments. */
  @IsString() LEDGER_URL!: string;
  /** That with the stream of subscriptions; nobody publishes them without it. */
  @IsOptional() @IsString() BILLING_URL?: string;
}

/** The worker of reporting as a process that can be killed, without a broker. */
async function main(): Promise<void> {
  const { LEDGER_URL, BILLING_URL } = loadConfig(ProgramConfig, process.env);
  const broker = new InProcessBroker({ warn: console.error, error: console.error });
  broker.keep(PAYMENTS_STREAM, await opened(LEDGER_URL));
  if (BILLING_URL !== undefined) broker.keep(SUBSCRIPTIONS_STREAM, await opened(BILLING_URL));
  const config = loadConfig(ReportingConfig, process.env);
  const worker = await NestFactory.createApplicationContext(workerModule(REPORTING, config, broker), { logger: false });
  await worker.init();
}

function opened(url: string): Promise<DataSource> {
  return new DataSource(postgresOptions({ url, entities: [], migrations: [] })).initialize();
}

void main();
