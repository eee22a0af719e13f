import { Random } from '@evenkeel/kernel/random';
import type { Cells } from '../copy-table';
import type { PeopleOptions } from './people-options';

const DAY_MS = 86_400_000;
const NAMES = [
  'Morning run',
  'Read',
  'Stretch',
  'Call home',
  'Water',
  'Piano',
  'Walk',
  'Early night',
  'Vegetables',
  'Diary',
];

interface MadeHabit {
  id: string;
  name: string;
  /** Of so many days, how many are done. */
  tenths: number;
}

/** Somebody with habits, and what they did: the same each time for the same number and options. */
export class MadePerson {
  readonly id: string;
  readonly email: string;
  readonly habits: readonly MadeHabit[];
  private readonly random: Random;
  private readonly firstMs: number;

  /** @param number from 1 */
  constructor(
    number: number,
    private readonly options: PeopleOptions,
  ) {
    const { seed, habits, days, until } = options;
    this.random = new Random(Math.imul(seed, 0x9e3779b1) ^ number);
    this.firstMs = Date.parse(until) - Math.max(0, days - 1) * DAY_MS;
    this.id = this.random.uuid(this.firstMs);
    this.email = `seed-${number}@example.com`;
    this.habits = Array.from({ length: habits }, (_, index) => ({
      id: this.random.uuid(this.firstMs),
      name: `${NAMES[index % NAMES.length]!}${index < NAMES.length ? '' : ` ${Math.floor(index / NAMES.length) + 1}`}`,
      tenths: 5 + this.random.below(5),
    }));
  }

  /** The number of the last change of theirs. */
  get changes(): number {
    return this.habits.length * (1 + this.options.days);
  }

  userCells(passwordHash: string): Cells {
    const joined = instant(this.firstMs);
    return [this.id, this.email, this.email, joined, passwordHash, 'Europe/Madrid', this.changes, joined];
  }

  entitlementCells(): Cells {
    return [this.id, 1, 'infinity', 't', instant(this.firstMs)];
  }

  *habitCells(): Generator<Cells> {
    const day = dayOf(this.firstMs);
    for (const [index, { id, name }] of this.habits.entries()) {
      const created = instant(this.firstMs + index);
      const schedule = ['DAILY', 7, 127];
      yield [id, this.id, name, ...schedule, instant(this.firstMs), day, 't', created, created, index + 1];
    }
  }

  /** In the order in which they came: day by day. */
  *logCells(): Generator<Cells> {
    const { random, firstMs } = this;
    let change = this.habits.length;
    for (let day = 0; day < this.options.days; day++) {
      const dayMs = firstMs + day * DAY_MS;
      const mood = 3 + random.below(5);
      for (const { id, tenths } of this.habits) {
        const at = instant(dayMs + 7 * 3_600_000 + random.below(600) * 60_000);
        const [status, rate, better] = this.outcome(tenths);
        const scores = [mood + better, random.oneIn(2) ? 1 + random.below(10) : null, null];
        const logged = [random.uuid(dayMs), id, this.id, at, dayOf(dayMs), status, rate];
        yield [...logged, ...scores, random.oneIn(20) ? 'as planned' : null, at, ++change];
      }
    }
  }

  private outcome(tenths: number): [status: string, rate: number, better: number] {
    if (this.random.below(10) < tenths) return ['COMPLETED', 1, 2];
    return this.random.oneIn(2) ? ['PARTIAL', 0.5, 1] : ['SKIPPED', 0, 0];
  }
}

export const USER_COLUMNS =
  'id, email, email_key, email_verified_at, password_hash, timezone, change_number, created_at';
export const ENTITLEMENT_COLUMNS = 'user_id, version, access_until, ever_premium, changed_at';
export const HABIT_COLUMNS =
  'id, user_id, name, cadence, target_per_week, target_days_mask, start_date, start_day, start_given, created_at, updated_at, change_number';
export const LOG_COLUMNS =
  'id, habit_id, user_id, occurred_at, local_date, status, completion_rate, mood_score, energy_score, stress_score, note, created_at, change_number';

const instant = (ms: number): string => new Date(ms).toISOString();
const dayOf = (ms: number): string => instant(ms).slice(0, 10);
