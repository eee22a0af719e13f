import 'reflect-metadata';
import { SUBSCRIPTIONS_STREAM } from '@evenkeel/contracts';
import { loadConfig } from '@evenkeel/platform/config';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { postgresOptions } from '@evenkeel/platform/persistence';
import { workerModule } from '@evenkeel/platform/service';
import { NestFactory } from '@nestjs/core';
import { IsString } from 'class-validator';
import { DataSource } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { ACCOUNTS } from '../service';

class ProgramConfig {
  /** The database whose outbox holds the stream of billing. */
  @IsString() BILLING_URL!: string;
}

/** The worker of accounts as a process that can be killed, without a broker. */
async function main(): Promise<void> {
  const { BILLING_URL: url } = loadConfig(ProgramConfig, process.env);
  const billing = await new DataSource(postgresOptions({ url, entities: [], migrations: [] })).initialize();
  const broker = new InProcessBroker({ warn: console.error, error: console.error });
  broker.keep(SUBSCRIPTIONS_STREAM, billing);
  const config = loadConfig(AccountsConfig, process.env);
  const worker = await NestFactory.createApplicationContext(workerModule(ACCOUNTS, config, broker), { logger: false });
  broker.own('accounts', worker.get(DataSource));
  await worker.init();
  process.on('SIGTERM', () => void worker.close().then(() => process.exit(0)));
}

void main();
