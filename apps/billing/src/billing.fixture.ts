import { randomUUID } from 'node:crypto';
import { ACCOUNTS_STREAM } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { loadConfig, type Environment } from '@evenkeel/platform/config';
import type { RunningHttp } from '@evenkeel/platform/http';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { createLogger } from '@evenkeel/platform/observability';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import {
  ask,
  EventSource,
  jsonRequest,
  serveService,
  TokenIssuer,
  type AskOptions,
  type Reply,
} from '@evenkeel/platform/testing/service';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { auditBilling } from './audited.fixture';
import { BillingConfig } from './billing.config';
import { ENTITIES, MIGRATIONS } from './database';
import { refuseCallsInTransactions } from './provider/no-calls-in-transactions.fixture';
import { StripeApi } from './provider/stripe-api';
import { BILLING } from './service';

// Nest and PostgreSQL start within seconds, but not within five on a machine that has other work.
jest.setTimeout(60_000);

const BASE_URL = 'http://localhost:8080';
/** A request that is not answered fails its test, and does not hang it. */
const ANSWER_LIMIT_MS = 60_000;

/** Secrets, signatures, addresses and cards in the requests of tests. They are in no answer and in no row. */
const SECRETS = /whsec_\w|[rs]k_(test|live)_\w|v1=[0-9a-f]{8}|trace@example|Trace (Person|Street|phone|card)|pm_trace/;

export interface Person {
  id: string;
  token: string;
}

/** Both halves over real HTTP, with a database of their own; the clock stands still. Accounts is played by the tests. */
export class Billing {
  private known: Promise<void> = Promise.resolve();

  private constructor(
    readonly app: NestFastifyApplication,
    readonly running: RunningHttp,
    readonly database: TestDatabase,
    readonly clock: ManualClock,
    readonly broker: InProcessBroker,
    /** Publishes what accounts would. */
    readonly accounts: EventSource,
    readonly tokens: TokenIssuer,
  ) {}

  /**
   * @param settings those of a development Stripe, for a service that is configured
   * @param through what stands between the service and its database
   */
  static async start(
    settings: Environment = {},
    clock = new ManualClock(new Date('2026-01-31T12:00:00Z')),
    through: (databaseUrl: string) => string | Promise<string> = (url) => url,
  ): Promise<Billing> {
    const database = await createTestDatabase({ name: 'billing', entities: ENTITIES, migrations: MIGRATIONS });
    const tokens = await TokenIssuer.start(clock, BASE_URL);
    const config = loadConfig(BillingConfig, {
      DATABASE_URL: await through(database.url),
      RATE_LIMIT_SCALE: '1000',
      PUBLIC_BASE_URL: BASE_URL,
      JWKS_URL: tokens.jwksUrl,
      ...settings,
    });
    const broker = new InProcessBroker(createLogger('test', { level: 'silent' }));
    const { app, running } = await serveService(BILLING, config, { clock, transport: broker });
    refuseCallsInTransactions(app.get(DataSource), app.get(StripeApi, { strict: false }));
    const accounts = await EventSource.open(broker, { streams: [ACCOUNTS_STREAM], source: '/accounts' });
    return new Billing(app, running, database, clock, broker, accounts, tokens);
  }

  /**
   * For all tests of a suite: started before the first one, closed after the last.
   * @param options audited: after each test its rows keep every promise
   */
  static forSuite(settings: Environment = {}, { audited = false } = {}): Billing {
    const billing = Object.create(Billing.prototype) as Billing;
    beforeAll(async () => Object.assign(billing, await Billing.start(settings)));
    if (audited) afterEach(async () => expect(await auditBilling(billing.database.dataSource)).toEqual([]));
    afterAll(() => billing.close());
    return billing;
  }

  /** Somebody with an access token, of whom billing knows that they are there. */
  person(id: string = randomUUID()): Person {
    void this.know(id);
    return { id, token: this.tokens.token(id) };
  }

  /** Publishes a registration as accounts does. Resolves when everybody so far is known. */
  know(id?: string): Promise<void> {
    if (id !== undefined) {
      const add = 'INSERT INTO people (user_id, changed_at) VALUES ($1, $2) ON CONFLICT DO NOTHING';
      const added = () => this.database.dataSource.query(add, [id, this.clock.now()]);
      this.known = this.known.then(async () => void (await added()));
    }
    return this.known;
  }

  async send(path: string, init: RequestInit = {}): Promise<Reply> {
    await this.known;
    const reply = await ask(this.running.url + path, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS), ...init });
    expect(reply.text).not.toMatch(SECRETS);
    return reply;
  }

  /** A JSON request; with a token as the person who has it. */
  ask(method: string, path: string, options?: AskOptions): Promise<Reply> {
    return this.send(path, jsonRequest(method, options));
  }

  /** The events of a user, in order: type and data. */
  events(userId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    return this.database.dataSource.query(
      'SELECT type, payload AS data FROM outbox WHERE aggregate = $1 ORDER BY aggregate_seq',
      [userId],
    );
  }

  async close(): Promise<void> {
    await this.accounts.close();
    await this.running.close();
    await this.tokens.close();
    await this.broker.close();
    try {
      await this.expectNoSecrets();
    } finally {
      await this.database.drop();
    }
  }

  /** Events that other services read, and all that is stored. */
  private async expectNoSecrets(): Promise<void> {
    const { dataSource } = this.database;
    const tables = await dataSource.query<{ name: string }[]>(
      `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) {
      const found = `SELECT t::text AS row FROM ${name} t WHERE t::text ~ $1`;
      const rows = await dataSource.query<object[]>(found, [SECRETS.source]);
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
  }
}
