import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { databaseOptions } from '@evenkeel/accounts';
import { newEs256Key } from '@evenkeel/platform/keys';
import { migrate } from '@evenkeel/platform/persistence';
import { ensureDatabase, productionNodeOptions } from '@evenkeel/services';
import { Client } from 'pg';
import { built } from '../processes/built';
import type { Child } from '../processes/child';
import { Scene } from '../processes/scene';

/** Somebody with an account in the service under test. */
export interface BenchPerson {
  id: string;
  email: string;
  token: string;
  /** The oldest of their habits. */
  habitId: string;
}

export const PASSWORD = 'correct horse of the benchmark';
const HABITS = 25;

/** One PostgreSQL with fsync, accounts over it as in production, and a bare Fastify beside it. */
export class AccountsStage extends Scene {
  databaseUrl!: string;
  app!: Child;
  echo!: Child;
  /** From the start of the process to its first line. */
  startSeconds!: number;
  private people = 0;

  /** @param profileTo folder for a CPU profile of accounts, written when it stops */
  static set(profileTo?: string): Promise<AccountsStage> {
    const stage = new AccountsStage();
    return stage.opened(() => stage.open(profileTo));
  }

  /** Signed in, with Premium and 25 habits that have a log on each of so many days. */
  async person(days: number): Promise<BenchPerson> {
    const email = `bench-${++this.people}@example.com`;
    const { user, accessToken: token } = await this.post<Registered>('/v1/auth/register', {
      email,
      password: PASSWORD,
    });
    const client = new Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      await client.query(PREMIUM, [user.id]);
      const { rows } = await client.query<{ id: string }>(MAKE_HABITS, [user.id, HABITS, days]);
      if (days > 0) await client.query(MAKE_LOGS, [user.id, days]);
      await client.query('ANALYZE habit_logs');
      return { id: user.id, email, token, habitId: rows[0]!.id };
    } finally {
      await client.end();
    }
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

interface Registered {
  user: { id: string };
  accessToken: string;
}

const PREMIUM = `
  INSERT INTO entitlements (user_id, version, access_until, ever_premium, changed_at) VALUES ($1, 1, 'infinity', true, now())`;

/** The day of the first log is the first of the habit. */
const MAKE_HABITS = `
  INSERT INTO habits (id, user_id, name, cadence, target_per_week, target_days_mask, start_date, start_day, start_given,
    created_at, updated_at, change_number)
  SELECT gen_random_uuid(), $1, 'Habit number ' || n, 'DAILY', 7, 127, now() - $3 * interval '1 day',
    current_date - $3::integer, true, now() - $3 * interval '1 day' + n * interval '1 second', now(), n
  FROM generate_series(1, $2::integer) n RETURNING id`;

/** Four of five are done; mood moves with them. */
const MAKE_LOGS = `
  INSERT INTO habit_logs (user_id, id, habit_id, occurred_at, local_date, status, completion_rate, mood_score, created_at,
    change_number)
  SELECT $1, gen_random_uuid(), h.id, (current_date - d) + time '08:00', current_date - d,
    CASE WHEN done THEN 'COMPLETED' ELSE 'SKIPPED' END, CASE WHEN done THEN 1 ELSE 0 END,
    3 + (d * 7) % 5 + done::integer, now(), 100 + d
  FROM habits h, generate_series(1, $2::integer) d, LATERAL (SELECT (d * 31 + length(h.name)) % 5 > 0 AS done) made
  WHERE h.user_id = $1`;
