import { dayNumber, civilDate, type HabitHistory, type HabitLog, type WeekStart } from '@evenkeel/scoring';
import { expectAtMost, LIMITS, type Rejects } from './rejects';

/** What a habit is, before its days. */
export interface HabitFacts {
  readonly name: string;
  readonly kind: string;
  readonly frequency: Frequency;
  readonly schedule: Pick<HabitHistory, 'cadence' | 'targetPerWeek' | 'targetDaysMask'>;
  readonly archived?: boolean;
  /** When the habit says so itself; else its first entry. */
  readonly startDay?: number;
}

/** A habit as it can be walked. */
export interface Habit extends Omit<HabitFacts, 'schedule' | 'startDay' | 'archived'> {
  readonly history: HabitHistory & { readonly startDate: string };
  /** What happened is known up to this day. */
  readonly lastDay: number;
}

export interface HabitFile {
  readonly subject: 'habits';
  readonly format: string;
  readonly habits: readonly Habit[];
  readonly weekStart: WeekStart;
  readonly notes: readonly string[];
}

/** `unknown` says that the day was looked at, and nothing more. */
export type Entry = Omit<HabitLog, 'localDate'> | 'nothing' | 'unknown';

const FIRST_DAY = 10_957; // 2000-01-01
/** A habit without entries for longer was given up: that nothing follows is no news, and would flatter every forecast. */
const GIVEN_UP_AFTER_DAYS = 28;

/** Habits with their entries while a file is read. */
export class CollectedHabits {
  private readonly all: CollectedHabit[] = [];
  private entries = 0;
  private newest = -Infinity;

  /** @param today entries later than tomorrow are refused: it may be tomorrow already where the person lives */
  constructor(
    private readonly rejects: Rejects,
    private readonly today: number,
  ) {}

  open(facts: HabitFacts): CollectedHabit {
    expectAtMost(LIMITS.series, this.all.length + 1, 'habits');
    const habit = new CollectedHabit(facts);
    this.all.push(habit);
    return habit;
  }

  /** @param once a second entry of the same day is refused */
  add(habit: CollectedHabit, day: number, entry: Entry, where: string, once = true): void {
    if (day < FIRST_DAY) return this.rejects.add(where, 'the day is before 2000-01-01');
    if (day > this.today + 1) return this.rejects.add(where, 'the day is in the future');
    if (once && habit.has(day)) return this.rejects.add(where, 'a second entry of the habit for this day');
    expectAtMost(LIMITS.entries, ++this.entries, 'entries');
    this.newest = Math.max(this.newest, day);
    habit.take(day, entry);
  }

  /** Those with at least one entry. */
  finished(): Habit[] {
    const habits = this.all.flatMap((habit) => habit.finished(this.newest) ?? []);
    const days = habits.reduce(
      (sum, { lastDay, history }) => sum + Math.max(0, lastDay - dayNumber(history.startDate)),
      0,
    );
    expectAtMost(LIMITS.steps, days, 'days of habits');
    return habits;
  }
}

export class CollectedHabit {
  private readonly logs: HabitLog[] = [];
  private readonly days = new Set<number>();
  private first = Infinity;
  private last = -Infinity;

  constructor(readonly facts: HabitFacts) {}

  has(day: number): boolean {
    return this.days.has(day);
  }

  take(day: number, entry: Entry): void {
    this.days.add(day);
    if (entry === 'unknown') return;
    this.first = Math.min(this.first, day);
    this.last = Math.max(this.last, day);
    if (entry !== 'nothing') this.logs.push({ localDate: civilDate(day), ...entry });
  }

  finished(newest: number): Habit | undefined {
    if (this.last === -Infinity) return undefined;
    const { name, kind, frequency, schedule, archived, startDay = this.first } = this.facts;
    return {
      name,
      kind,
      frequency,
      history: { name, ...schedule, startDate: civilDate(Math.max(FIRST_DAY, startDay)), logs: this.logs },
      lastDay: archived ? this.last : Math.min(newest, this.last + GIVEN_UP_AFTER_DAYS),
    };
  }
}

/** @returns why not, or the name as it is used */
export function usableName(text: string): { name: string } | { reason: string } {
  const name = text.trim();
  if (name === '') return { reason: 'no name' };
  if (name.length > LIMITS.name) return { reason: `a name of more than ${LIMITS.name} characters` };
  return { name };
}

/** @returns the day number of a date such as 2026-01-31; undefined when there is no such day */
export function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  try {
    return dayNumber(text);
  } catch {
    return undefined;
  }
}

/** How often a habit is due: so many times in so many days. */
export interface Frequency {
  readonly times: number;
  readonly days: number;
}

/** The words under which figures of habits are put together. */
export function kindOf({ times, days }: Frequency): string {
  if (times === days) return 'every day';
  if (days === 7) return `${timesWord(times)} a week`;
  if (days === 30 || days === 31) return `${timesWord(times)} a month`;
  return times === 1 ? `every ${days} days` : `${timesWord(times)} in ${days} days`;
}

/** The engine knows targets a week: the nearest one, 7 being every day. */
export function targetPerWeek({ times, days }: Frequency): number {
  return Math.max(1, Math.min(7, Math.round((7 * times) / days)));
}

function timesWord(times: number): string {
  return times === 1 ? 'once' : `${times} times`;
}
