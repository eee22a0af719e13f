import { randomBytes } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { ManualClock } from '@evenkeel/kernel';
import { type Environment, loadConfig, newEs256Key } from '@evenkeel/platform/config';
import type { RunningHttp } from '@evenkeel/platform/http';
import { openTransport, type EventTransport } from '@evenkeel/platform/messaging';
import { createLogger } from '@evenkeel/platform/observability';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { ask, serveService, jsonRequest, type AskOptions, type Reply } from '@evenkeel/platform/testing/service';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { EntityManager } from 'typeorm';
import { ENTITIES, MIGRATIONS } from './database';
import { AccountsConfig } from './accounts.config';
import { GivenSecrets } from './given-secrets.fixture';
import { ACCOUNTS } from './service';

// Nest and PostgreSQL start within seconds, but not within five on a machine that has other work.
jest.setTimeout(60_000);

/** A request that is not answered fails its test, and does not hang it. */
const ANSWER_LIMIT_MS = 20_000;

export interface Tokens {
  token: string;
  refreshToken: string;
}

/** Somebody with an account, and their first session. */
export interface Person extends Tokens {
  id: string;
  email: string;
  password: string;
}

/** Both halves over real HTTP, with a database of their own; the clock stands still. */
export class Accounts {
  private people = 0;

  private constructor(
    private readonly secrets: GivenSecrets,
    readonly app: NestFastifyApplication,
    readonly running: RunningHttp,
    readonly database: TestDatabase,
    readonly clock: ManualClock,
    readonly broker: EventTransport,
  ) {}

  /** @param by another way to its database */
  static async start(settings: Environment = {}, by = async (url: string) => url): Promise<Accounts> {
    const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
    const database = await createTestDatabase({ name: 'accounts', entities: ENTITIES, migrations: MIGRATIONS });
    const config = loadConfig(AccountsConfig, {
      DATABASE_URL: await by(database.url),
      RATE_LIMIT_SCALE: '1000',
      PUBLIC_BASE_URL: 'http://localhost:8080',
      JWT_KEYS: newEs256Key('test'),
      REFRESH_TOKEN_KEYS: `test:${randomBytes(32).toString('base64')}`,
      // Real hashes, of the smallest size there is: most tests are about something else.
      ARGON2_MEMORY_KIB: '8',
      ARGON2_PASSES: '1',
      ...settings,
    });
    const log = createLogger('test', { level: 'silent' });
    const broker = openTransport({ access: config.kafka, clientId: 'test', log });
    const secrets = new GivenSecrets();
    const { output } = secrets;
    const { app, running } = await serveService(ACCOUNTS, config, { clock, transport: broker, output });
    return new Accounts(secrets, app, running, database, clock, broker);
  }

  /**
   * For all tests of a suite: started before the first one, closed after the last.
   * @param options audited: after each test its rows keep every promise
   */
  static forSuite(settings: Environment | (() => Environment) = {}, { audited = false } = {}): Accounts {
    const accounts = Object.create(Accounts.prototype) as Accounts;
    beforeAll(async () =>
      Object.assign(accounts, await Accounts.start(typeof settings === 'function' ? settings() : settings)),
    );
    if (audited) afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));
    afterAll(() => accounts.close());
    return accounts;
  }

  /** A second process of the service over the same database, while some work is done. */
  async beside<Result>(settings: Environment, work: (other: Accounts) => Promise<Result>): Promise<Result> {
    const other = await Accounts.start({ DATABASE_URL: this.database.url, ...settings });
    return work(other).finally(() => other.close());
  }

  /** Rows of its database. */
  sql<Row = Record<string, unknown>>(statement: string, ...values: unknown[]): Promise<Row[]> {
    return this.database.dataSource.query<Row[]>(statement, values);
  }

  /** Done while another transaction has the row of a person, as an import has it for as long as it takes. */
  whileLocked<Result>(userId: string, work: (tx: EntityManager) => Promise<Result>): Promise<Result> {
    return this.database.dataSource.transaction(async (tx) => {
      await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [userId]);
      return work(tx);
    });
  }

  /** How many connections to its database wait for a row that another one has locked. */
  async waitingForRows(): Promise<number> {
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return (await this.sql(waiting)).length;
  }

  send(path: string, init: RequestInit = {}): Promise<Reply> {
    return ask(this.running.url + path, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS), ...init });
  }

  /** A JSON request; with a token as the person who has it. */
  ask(method: string, path: string, options?: AskOptions): Promise<Reply> {
    this.secrets.tell(options?.body);
    return this.send(path, jsonRequest(method, options));
  }

  /** Signs somebody in; their token is the new one. */
  async signIn(
    { email, password }: Pick<Person, 'email' | 'password'>,
    headers?: Record<string, string>,
  ): Promise<Tokens> {
    const { body } = await this.ask('POST', '/v1/auth/login', { body: { email, password }, headers });
    return { token: String(body['accessToken']), refreshToken: String(body['refreshToken']) };
  }

  /** The status of the profile: 200 while a token is valid. */
  async statusOf(token: string): Promise<number> {
    return (await this.ask('GET', '/v1/auth/me', { token })).status;
  }

  /** The token of the link to choose a new password, of a service that shows its mails. */
  async resetToken(email: string): Promise<string> {
    // The last fifty are shown, and the clock stands still.
    await this.sql('DELETE FROM mails');
    await this.ask('POST', '/v1/auth/password/forgot', { body: { email } });
    return this.mailedToken(email, 'hrp_');
  }

  /** The token of a mail to an address, of the kind that it begins with: a worker sends them, as a busy machine lets it. */
  mailedToken(address: string, kind: 'hrv_' | 'hrp_'): Promise<string> {
    const shown = async () => {
      const { body } = await this.ask('GET', '/dev/mails');
      const mails = body['mails'] as { to: string; text: string }[];
      const mail = mails.find(({ to, text }) => to === address && text.includes(kind));
      return new RegExp(`${kind}[\\w-]{43}`).exec(mail!.text)![0];
    };
    return eventually(shown, { withinMs: 30_000 });
  }

  /** Somebody new, signed in. */
  async person(profile: Record<string, unknown> = {}): Promise<Person> {
    const email = `person-${++this.people}@example.com`;
    const password = `a long password of ${email}`;
    const { status, body } = await this.ask('POST', '/v1/auth/register', { body: { email, password, ...profile } });
    if (status !== 201) throw new Error(`register answered ${status}: ${JSON.stringify(body)}`);
    const { accessToken, refreshToken, user } = body as {
      accessToken: string;
      refreshToken: string;
      user: { id: string };
    };
    return { id: user.id, email, password, token: accessToken, refreshToken };
  }

  /** Premium until an instant, as billing would say it. */
  async grantPremium(userId: string, until: Date | 'infinity' = 'infinity'): Promise<void> {
    await this.database.dataSource.query(
      `INSERT INTO entitlements (user_id, version, access_until, ever_premium, changed_at) VALUES ($1, 1, $2, true, $3)
       ON CONFLICT (user_id) DO UPDATE SET version = entitlements.version + 1, access_until = $2`,
      [userId, until, this.clock.now()],
    );
  }

  /** The events of a user, in order: type and data. */
  events(userId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    return this.sql('SELECT type, payload AS data FROM outbox WHERE aggregate = $1 ORDER BY aggregate_seq', userId);
  }

  /** Secrets of the suite that are where they may not be, in its database or its log. */
  secretsLeft(): Promise<string[]> {
    return this.secrets.found(this.database.dataSource);
  }

  /** @throws Error when secrets are left */
  async close(): Promise<void> {
    await this.running.close();
    await this.broker.close();
    const found = await this.secretsLeft();
    await this.database.drop();
    if (found.length > 0) throw new Error(`secrets are left: ${found.join('; ')}`);
  }
}
