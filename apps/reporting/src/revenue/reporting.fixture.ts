import { Clock, ManualClock } from '@evenkeel/kernel';
import {
  createHttpApp,
  createLogger,
  loadConfig,
  requestHandler,
  serve,
  type Environment,
  type RunningHttp,
} from '@evenkeel/platform';
import { databaseReadiness } from '@evenkeel/platform/service';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../app.module';
import { CoreModule } from '../core.module';
import { ENTITIES, MIGRATIONS } from '../database';
import { limitsOf } from '../limits';
import { LAST_DAY, type ToldEvent } from '../projection/history.fixture';
import { EMPTIED_TABLES } from '../rebuild/emptied-tables';
import { ReportingConfig } from '../reporting.config';
import { WorkerModule } from '../worker.module';
import { LedgerStream } from './ledger-stream.fixture';

// Nest and PostgreSQL start within seconds, but not within five on a machine that has other work.
jest.setTimeout(60_000);

/** Of the last day of all histories. */
export const noon = new Date(`${LAST_DAY}T12:00:00.000Z`);
export const TOKEN = 'the word that operators know';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  body: { error?: string; message?: string; details?: Record<string, unknown> } & Record<string, unknown>;
}

/** Reporting at noon over real HTTP, with its worker and a database of its own; its clock stands still. */
export class Reporting {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly running: RunningHttp,
    readonly database: TestDatabase,
    readonly stream: LedgerStream,
    readonly clock: ManualClock,
  ) {}

  static async start(settings: Environment = {}): Promise<Reporting> {
    const clock = new ManualClock(noon);
    const database = await createTestDatabase({ name: 'reporting', entities: ENTITIES, migrations: MIGRATIONS });
    const stream = await LedgerStream.open();
    const config = loadConfig(ReportingConfig, {
      DATABASE_URL: database.url,
      PUBLIC_BASE_URL: 'https://api.example',
      ADMIN_TOKEN: TOKEN,
      // Tests stand still in time and ask as often as they like; those of the limit set their own.
      RATE_LIMIT_SCALE: '1000',
      ...settings,
    });
    const { app, running } = await listen(config, clock, stream);
    return new Reporting(app, running, database, stream, clock);
  }

  /** Asks as an operator, below `/v1/admin/revenue`. */
  async read(path: string): Promise<Reply> {
    return this.send(`/v1/admin/revenue/${path}`, { headers: { 'x-admin-token': TOKEN } });
  }

  /** The answer to a question that must be one. */
  async answer<Answer>(path: string): Promise<Answer> {
    const { status, body, text } = await this.read(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return body as Answer;
  }

  async send(path: string, init: RequestInit = {}): Promise<Reply> {
    const response = await fetch(this.running.url + path, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson && text !== '' ? JSON.parse(text) : {}) as Reply['body'],
    };
  }

  async tell(...events: readonly ToldEvent[]): Promise<void> {
    await this.stream.tell(events, this.database.dataSource);
  }

  /** Forgets all payments and credits, and goes on with the stream where it is. */
  async forget(): Promise<void> {
    const tables = EMPTIED_TABLES.filter((name) => !name.startsWith('inbox') && name !== 'parked');
    await this.database.dataSource.query(`TRUNCATE ${tables.join(', ')}`);
    await this.database.dataSource.query('INSERT INTO credit_totals DEFAULT VALUES');
  }

  async close(): Promise<void> {
    await this.running.close();
    await this.stream.close();
    await this.database.drop();
  }
}

async function listen(config: ReportingConfig, clock: Clock, stream: LedgerStream) {
  const logger = createLogger('reporting', { level: 'silent' });
  const core = withClock(CoreModule.forRoot(config), clock);
  const imports = [core, limitsOf(config), WorkerModule.beside(stream.broker)];
  const { MAX_BODY_BYTES: maxBodyBytes, baseUrl: publicBaseUrl } = config;
  const app = await createHttpApp(
    { module: AppModule, imports },
    { logger, maxBodyBytes, publicBaseUrl, requestLog: false },
  );
  const options = { port: 0, host: '127.0.0.1', internalPort: 0, readiness: databaseReadiness(app), logger };
  return { app, running: await serve(await requestHandler(app), options, () => app.close()) };
}

function withClock({ providers = [], ...core }: DynamicModule, clock: Clock): DynamicModule {
  const others = providers.filter((provider) => !('provide' in provider && provider.provide === Clock));
  return { ...core, providers: [...others, { provide: Clock, useValue: clock }] };
}
