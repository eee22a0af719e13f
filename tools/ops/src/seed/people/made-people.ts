import { Random } from '@evenkeel/kernel/random';
import { CommandLine, integer, text } from '@evenkeel/platform/command-line';
import type { Cells } from '../copy-table';

export interface PeopleOptions {
  people: number;
  /** Of each. */
  habits: number;
  /** Each habit has a log on each of so many local days, the last one included. */
  days: number;
  /** Of all of them. */
  password: string;
  /** Equal options make equal people. */
  seed: number;
  /** Last day, `YYYY-MM-DD`. */
  until: string;
}

const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** @param today for `--until` */
export function peopleCommand(today: string) {
  return new CommandLine({
    call: 'npm run seed:accounts',
    about: `Adds people to a database of accounts, each with Premium, habits and a log of every habit on every day, loaded by COPY. They sign
in as seed-1@example.com, seed-2@example.com and so on. Equal options make equal rows in an empty database.`,
    usage: ['npm run seed:accounts -- --people 10 --days 1826'],
    options: {
      people: integer({ help: '', from: 1, to: 100_000, fallback: 10 }),
      habits: integer({ help: 'of each', from: 1, to: 500, fallback: 25 }),
      days: integer({ help: 'with a log of every habit', from: 0, to: 9_000, fallback: 365 }),
      password: text({
        help: 'of all of them',
        ...{ placeholder: 'text', matches: /^.{8,128}$/u, must: 'have 8 to 128 characters.' },
        fallback: 'seven quiet otters',
      }),
      until: text({
        help: 'last day, YYYY-MM-DD',
        ...{ placeholder: 'date', otherwise: 'today', matches: DAY, must: 'be a day, such as 2026-01-31.' },
      }),
      seed: integer({ help: 'other people', from: 0, to: 2 ** 31 - 1, fallback: 1 }),
    },
    environment: { DATABASE_URL: 'of accounts, with its migrations' },
    read: ({ until = today, ...rest }): PeopleOptions => ({ ...rest, until }),
  });
}

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
