import { loadConfig } from '@evenkeel/platform/config';
import { workerModule } from '@evenkeel/platform/service';
import type { TestDatabase } from '@evenkeel/platform/testing';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ReportingConfig } from '../reporting.config';
import { LedgerStream } from '../revenue/ledger-stream.fixture';
import { REPORTING } from '../service';
import { reportingDatabase } from './projection.fixture';

/** The worker of reporting, with a database of its own and a stream of payments. */
export class ReportingSite {
  private workers: INestApplicationContext[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly ledger: LedgerStream,
  ) {}

  static async open(): Promise<ReportingSite> {
    return new ReportingSite(...(await Promise.all([reportingDatabase(), LedgerStream.open()])));
  }

  async startWorker(): Promise<INestApplicationContext> {
    const config = loadConfig(ReportingConfig, { DATABASE_URL: this.database.url });
    const worker = await NestFactory.createApplicationContext(workerModule(REPORTING, config, this.ledger.broker), {
      logger: false,
      abortOnError: false,
    });
    await worker.init();
    this.workers.push(worker);
    return worker;
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.close()));
  }

  async query<Row>(sql: string, values?: unknown[]): Promise<Row[]> {
    return this.database.dataSource.query<Row[]>(sql, values);
  }

  async close(): Promise<void> {
    await this.stopWorkers();
    await this.ledger.close();
    await this.database.drop();
  }
}
