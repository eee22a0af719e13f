import { randomUUID } from 'node:crypto';
import type { Reply } from '@evenkeel/platform/testing/service';
import { civilDate, dayNumber, STATUS_CODES } from '@evenkeel/scoring';
import type { Accounts, Person } from '../accounts.fixture';

/** The history of the documented examples: d done, m missed, s skipped. */
export const PUBLISHED = {
  first: '2025-11-03',
  days: 'dddmddd ddddmdd dddddds ddddddd ddddddm dmddddd mdddmdd dddmddm ddddmdm mdmdddd dmdmddd dddmddd dddddd',
  moods: '....... ....... ....... ....... ......7 758.7.5 ..6.586 ...38.6 5..88.. 7...66. ...268. .776..6 7..68.',
};

const STATUSES = { d: 'COMPLETED', p: 'PARTIAL', s: 'SKIPPED' } as const;
type Status = keyof typeof STATUS_CODES;

export interface MadeLog {
  localDate: string;
  status: Status;
  mood?: number | null;
  energy?: number | null;
  stress?: number | null;
}

/**
 * Logs as a calendar is read: a letter for each day from `first` on; others than d, p and s are days without a log. A mood
 * belongs to the log of its day.
 */
export function logsOf(letters: string, first: string, moods = ''): MadeLog[] {
  const marks = moods.replaceAll(' ', '');
  return [...letters.replaceAll(' ', '')].flatMap((letter, day): MadeLog[] => {
    if (!(letter in STATUSES)) return [];
    const mood = Number(marks[day]) || null;
    const localDate = civilDate(dayNumber(first) + day);
    return [{ localDate, status: STATUSES[letter as keyof typeof STATUSES], mood }];
  });
}

export interface MadeHabit {
  name?: string;
  targetPerWeek?: number;
  targetDaysMask?: number;
  startDay?: string;
  archived?: boolean;
  logs?: readonly MadeLog[];
}

const STORE_HABIT = `
  INSERT INTO habits (id, user_id, name, cadence, target_per_week, target_days_mask, start_date, start_day, start_given,
    archived_at, created_at, updated_at, change_number)
  VALUES ($1, $2, $3, 'CUSTOM', $4, $5, $6::date, $6, true, $7, $8, $8, 0)`;
const STORE_LOGS = `
  INSERT INTO habit_logs (user_id, id, habit_id, occurred_at, local_date, status, completion_rate, mood_score, energy_score,
    stress_score, created_at, change_number)
  SELECT $1, gen_random_uuid(), $2, l."localDate" + interval '8 hours', l."localDate", l.status,
    CASE l.status WHEN 'COMPLETED' THEN 1 WHEN 'PARTIAL' THEN 0.5 ELSE 0 END, l.mood, l.energy, l.stress, $4, 0
  FROM jsonb_to_recordset($3::jsonb) AS l ("localDate" date, status text, mood smallint, energy smallint, stress smallint)`;

/** Somebody's analyses, and their histories as they would have been stored. */
export class AnalysesOf {
  private constructor(
    private readonly accounts: Accounts,
    readonly person: Person,
  ) {}

  static async somebody(accounts: Accounts, profile: Record<string, unknown> = {}): Promise<AnalysesOf> {
    return new AnalysesOf(accounts, await accounts.person(profile));
  }

  ask(route: 'analyze' | 'insights' | 'plan' | 'recommend', body?: object): Promise<Reply> {
    return this.accounts.ask('POST', `/v1/habits/${route}`, { token: this.person.token, body });
  }

  get(path: string): Promise<Reply> {
    return this.accounts.ask('GET', `/v1/habits/${path}`, { token: this.person.token });
  }

  async signInAgain(): Promise<void> {
    this.person.token = (await this.accounts.signIn(this.person)).token;
  }

  /** @returns the id of the habit */
  async habit(habit: MadeHabit = {}): Promise<string> {
    const id = randomUUID();
    const { name = 'Morning run', targetPerWeek = 7, targetDaysMask = 127, startDay = PUBLISHED.first } = habit;
    const now = this.accounts.clock.now();
    const archivedAt = habit.archived ? now : null;
    const row = [id, this.person.id, name, targetPerWeek, targetDaysMask, startDay, archivedAt, now];
    await this.accounts.sql(STORE_HABIT, ...row);
    if (habit.logs) await this.accounts.sql(STORE_LOGS, this.person.id, id, JSON.stringify(habit.logs), now);
    return id;
  }

  /** The habit of the documented examples, and another one whose logs hold the moods of missed days. */
  async publishedHabit(): Promise<string> {
    const { first, days, moods } = PUBLISHED;
    const id = await this.habit({ logs: logsOf(days, first, moods) });
    const missed = [...days.replaceAll(' ', '')].map((letter) => (letter === 'm' ? 'd' : '.')).join('');
    const diary = logsOf(missed, first, moods).filter(({ mood }) => mood);
    await this.habit({ name: 'Diary', archived: true, logs: diary });
    return id;
  }

  /** The row of the month and the events about it, of one moment: an analysis may be at work. */
  async usage(period = '2026-01'): Promise<{ used: number; events: number[] }> {
    const [row] = await this.accounts.sql<{ used: number; events: number[] }>(
      `SELECT coalesce((SELECT used FROM usage_months WHERE user_id = $1 AND period = $2), 0) AS used,
         ARRAY(SELECT (payload->>'used')::integer FROM outbox
               WHERE type = 'usage.metered' AND aggregate = $1::text AND payload->>'period' = $2 ORDER BY seq) AS events`,
      this.person.id,
      period,
    );
    return row!;
  }
}

/** The headers of a quota, without those that are absent. */
export function quotaOf({ headers }: Reply): Record<string, string> {
  const names = ['limit', 'used', 'remaining', 'period'];
  const found = names.flatMap((name) => {
    const value = headers.get(`x-quota-${name}`);
    return value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(found) as Record<string, string>;
}
