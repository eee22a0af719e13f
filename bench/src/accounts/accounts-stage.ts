import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { databaseOptions } from '@evenkeel/accounts';
import { SystemClock } from '@evenkeel/kernel';
import { newEs256Key } from '@evenkeel/platform/keys';
import { migrate } from '@evenkeel/platform/persistence';
import { seedPeople, type SeededPerson } from '@evenkeel/ops/seed';
import { ensureDatabase, productionAllocator, productionNodeOptions } from '@evenkeel/services';
import { built } from '../processes/built';
import type { Child } from '../processes/child';
import { Scene } from '../processes/scene';

/** Somebody with an account in the service under test. */
export type BenchPerson = SeededPerson & { token: string };

export const PASSWORD = 'correct horse of the benchmark';
const HABITS = 25;

/** One PostgreSQL with fsync, accounts over it as in production, and a bare Fastify beside it. */
export class AccountsStage extends Scene {
  databaseUrl!: string;
  app!: Child;
  echo!: Child;
  /** From the start of the process to its first line. */
  startSeconds!: number;

  /** @param profileTo folder for a CPU profile of accounts, written when it stops */
  static set(profileTo?: string): Promise<AccountsStage> {
    const stage = new AccountsStage();
    return stage.opened(() => stage.open(profileTo));
  }

  /** Signed in, with Premium and 25 habits that have a log on each of so many days. */
  async person(days: number): Promise<BenchPerson> {
    const [person] = await this.people(1, days);
    return person!;
  }

  /** So many of them. */
  async people(count: number, days: number): Promise<BenchPerson[]> {
    const until = new SystemClock().now().toISOString().slice(0, 10);
    const options = { people: count, habits: HABITS, days, password: PASSWORD, seed: 1, until };
    const people: BenchPerson[] = [];
    for (const person of await seedPeople(this.databaseUrl, options)) {
      const credentials = { email: person.email, password: PASSWORD };
      const { accessToken: token } = await this.post<{ accessToken: string }>('/v1/auth/login', credentials);
      people.push({ ...person, token });
    }
    return people;
  }

  private async post<Answer>(path: string, body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.app.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  private async open(profileTo?: string): Promise<void> {
    const program = await built('@evenkeel/accounts', 'main');
    this.databaseUrl = await ensureDatabase(await this.startPostgres(), 'accounts');
    await migrate(databaseOptions({ DATABASE_URL: this.databaseUrl }));
    const started = performance.now();
    this.app = await this.start(program, {
      isBuilt: true,
      env: {
        ...{ DATABASE_URL: this.databaseUrl, NODE_ENV: 'production', SMTP_URL: 'none', PORT: '0', INTERNAL_PORT: '0' },
        ...{ JWT_KEYS: newEs256Key('bench'), REFRESH_TOKEN_KEYS: `bench:${randomBytes(32).toString('base64')}` },
        RATE_LIMIT_SCALE: '1000000',
        ...productionAllocator(),
      },
      nodeOptions: [
        ...productionNodeOptions('accounts'),
        ...(profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`]),
      ],
    });
    this.startSeconds = (performance.now() - started) / 1_000;
    this.echo = await this.start(join(__dirname, 'bare-echo'));
  }
}
