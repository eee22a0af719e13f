import { ManualClock } from '@evenkeel/kernel';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import type { RunningHttp } from '@evenkeel/platform/http';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { ask, serveService, type Reply } from '@evenkeel/platform/testing/service';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { LAST_DAY, type PublishedEvent } from '../projection/history.fixture';
import { reportingDatabase } from '../projection/projection.fixture';
import { LEDGER_PROJECTION } from '../projection/project-ledger.consumer';
import { SUBSCRIPTIONS_PROJECTION } from '../projection/subscriptions/project-subscriptions.consumer';
import { ReportingConfig } from '../reporting.config';
import { REPORTING } from '../service';
import { LedgerStream } from './ledger-stream.fixture';

// Nest and PostgreSQL start within seconds, but not within five on a machine that has other work.
jest.setTimeout(60_000);

export const noon = new Date(`${LAST_DAY}T12:00:00.000Z`);
export const TOKEN = 'the word that operators know';

export type { Reply };

/** Reporting at noon over real HTTP, with its worker and a database of its own; its clock does not move. */
export class Reporting {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly running: RunningHttp,
    readonly database: TestDatabase,
    readonly stream: LedgerStream,
    readonly clock: ManualClock,
  ) {}

  /** @param heartbeats streams that get some */
  static async start(settings: Environment = {}, heartbeats?: readonly string[]): Promise<Reporting> {
    const clock = new ManualClock(noon);
    const database = await reportingDatabase();
    const stream = await LedgerStream.open(heartbeats);
    const config = loadConfig(ReportingConfig, {
      DATABASE_URL: database.url,
      PUBLIC_BASE_URL: 'https://api.example',
      ADMIN_TOKEN: TOKEN,
      // Tests have a clock that does not move and ask as often as they like; those of the limit set their own.
      RATE_LIMIT_SCALE: '1000',
      ...settings,
    });
    const { app, running } = await serveService(REPORTING, config, { clock, transport: stream.broker });
    return new Reporting(app, running, database, stream, clock);
  }

  /** For all tests of a suite, or of a block: started before the first one, closed after the last. */
  static forSuite(
    settings: Environment | (() => Promise<Environment>) = {},
    heartbeats?: readonly string[],
  ): Reporting {
    const reporting = Object.create(Reporting.prototype) as Reporting;
    beforeAll(async () => {
      const given = typeof settings === 'function' ? await settings() : settings;
      Object.assign(reporting, await Reporting.start(given, heartbeats));
    });
    afterAll(() => reporting.close());
    return reporting;
  }

  async read(path: string): Promise<Reply> {
    return this.sendAsOperator(`/v1/admin/revenue/${path}`);
  }

  sendAsOperator(path: string, method = 'GET'): Promise<Reply> {
    return this.send(path, { method, headers: { 'x-admin-token': TOKEN } });
  }

  /** The answer to a question that must be one. */
  async answer<Answer>(path: string): Promise<Answer> {
    const { status, body, text } = await this.read(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return body as Answer;
  }

  /** The lines of a file by its titles; no field of it may have a comma. */
  file(path: string): Promise<Record<string, string>[]> {
    // An export that has just been read may still be one of the two that are read at once.
    return eventually(async () => {
      const { status, text } = await this.read(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      const [titles, ...lines] = text.split('\r\n').slice(0, -1);
      const names = titles!.split(',');
      return lines.map((line) => Object.fromEntries(line.split(',').map((field, place) => [names[place]!, field])));
    });
  }

  send(path: string, init: RequestInit = {}): Promise<Reply> {
    return ask(this.running.url + path, init);
  }

  async publish(...events: readonly PublishedEvent[]): Promise<void> {
    await this.stream.publishAndWait(events, this.database.dataSource);
  }

  /** Forgets all payments, credits, subscriptions and invoices, and goes on with the streams where they are. */
  async forget(): Promise<void> {
    const tables = [LEDGER_PROJECTION, SUBSCRIPTIONS_PROJECTION].flatMap((projection) => projection.tables);
    await this.database.dataSource.query(`TRUNCATE ${tables.join(', ')}`);
  }

  async close(): Promise<void> {
    await this.running.close();
    await this.stream.close();
    await this.database.drop();
  }
}
