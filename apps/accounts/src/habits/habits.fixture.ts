import type { Accounts, Person } from '../accounts.fixture';
import type { Reply } from '@evenkeel/platform/testing/service';

/** Answers of somebody's routes. */
export type Habit = { id: string; name: string; stats: Record<string, unknown> } & Record<string, unknown>;

/** The routes of habits as one person asks them. */
export class HabitsOf {
  constructor(
    private readonly accounts: Accounts,
    readonly person: Person,
  ) {}

  ask(method: string, path = '', body?: unknown, headers?: Record<string, string>): Promise<Reply> {
    return this.accounts.ask(method, `/v1/habits${path}`, { token: this.person.token, body, headers });
  }

  /** A habit that was created. */
  async habit(terms: Record<string, unknown> = {}): Promise<Habit> {
    const { status, body } = await this.ask('POST', '', { name: 'Run', ...terms });
    if (status !== 201) throw new Error(`create answered ${status}: ${JSON.stringify(body)}`);
    return body as unknown as Habit;
  }

  async log(habitId: string, log: Record<string, unknown> = {}): Promise<Reply> {
    return this.ask('POST', `/${habitId}/logs`, { occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED', ...log });
  }

  async list(query = ''): Promise<Habit[]> {
    const { body } = await this.ask('GET', query);
    return body.habits as Habit[];
  }
}

/** Somebody new. */
export async function somebody(accounts: Accounts, profile: Record<string, unknown> = {}): Promise<HabitsOf> {
  return new HabitsOf(accounts, await accounts.person(profile));
}

/** A UUID that belongs to nothing. */
export const UNKNOWN_ID = '0194a1d0-5f6e-7c1a-9b3e-2f4d5a6b7c8d';

/** The place and code of each issue of a 400. */
export function issuesOf({ body }: Reply): string[] {
  const { issues } = body.details as { issues: { path: string; code: string }[] };
  return issues.map(({ path, code }) => `${path} ${code}`);
}
