import 'reflect-metadata';
import { ACCOUNTS_STREAM } from '@evenkeel/contracts';
import { loadConfig } from '@evenkeel/platform/config';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { postgresOptions } from '@evenkeel/platform/persistence';
import { workerModule } from '@evenkeel/platform/service';
import { NestFactory } from '@nestjs/core';
import { IsString } from 'class-validator';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { BILLING } from '../service';

class ProgramConfig {
  /** The database whose outbox holds the stream of accounts. */
  @IsString() ACCOUNTS_URL!: string;
}

/** The worker of billing as a process that can be killed, without a broker. */
async function main(): Promise<void> {
  const { ACCOUNTS_URL: url } = loadConfig(ProgramConfig, process.env);
  const accounts = await new DataSource(postgresOptions({ url, entities: [], migrations: [] })).initialize();
  const broker = new InProcessBroker({ warn: console.error, error: console.error });
  broker.keep(ACCOUNTS_STREAM, accounts);
  const config = loadConfig(BillingConfig, process.env);
  const worker = await NestFactory.createApplicationContext(workerModule(BILLING, config, broker), { logger: false });
  broker.own('billing', worker.get(DataSource));
  await worker.init();
  process.on('SIGTERM', () => void worker.close().then(() => process.exit(0)));
}

void main();
