import { expectAtMost, type Frequency, type HabitFile, type ReadHabit } from '@evenkeel/habit-files';
import { dayNumber, type HabitHistory, type WeekStart } from '@evenkeel/scoring';

/** A habit as it can be walked. */
export interface Habit {
  readonly name: string;
  readonly kind: string;
  readonly frequency: Frequency;
  readonly history: HabitHistory & { readonly startDate: string };
  /** The last day with a known outcome. */
  readonly lastDay: number;
}

export interface HabitsToWalk {
  readonly subject: 'habits';
  readonly format: string;
  readonly habits: readonly Habit[];
  readonly weekStart: WeekStart;
  readonly notes: readonly string[];
}

/** Days to walk over, of all habits together. */
const MOST_DAYS = 2_000_000;

const FORMATS: Readonly<Record<HabitFile['format'], string>> = {
  'loop-database': 'Loop database',
  'loop-zip': 'Loop zip',
  json: 'JSON export',
  csv: 'CSV of habits',
};

/** A habit without entries for longer was given up: that nothing follows is no news, and would flatter every forecast. */
const GIVEN_UP_AFTER_DAYS = 28;
const FIRST_DAY = dayNumber('2000-01-01');

/**
 * Those with at least one entry.
 * @throws UnreadableFile when there are more days than can be walked
 */
export function habitsToWalk({ format, habits, weekStart, notes }: HabitFile): HabitsToWalk {
  const newest = Math.max(...habits.flatMap(({ observed }) => (observed ? dayNumber(observed.to) : [])));
  const walked = habits.flatMap((habit) => habitToWalk(habit, newest) ?? []);
  const steps = walked.map(({ lastDay, history }) => Math.max(0, lastDay - dayNumber(history.startDate)));
  const days = steps.reduce((sum, count) => sum + count, 0);
  expectAtMost(MOST_DAYS, days, 'too_many_rows', 'days of habits');
  return { subject: 'habits', format: FORMATS[format], habits: walked, weekStart: weekStart ?? 'MONDAY', notes };
}

function habitToWalk(habit: ReadHabit, newest: number): Habit | undefined {
  const { name, frequency, observed, start, archived, cadence, targetPerWeek, targetDaysMask, logs } = habit;
  if (!observed || start === null) return undefined;
  const last = dayNumber(observed.to);
  const startDate = dayNumber(start) < FIRST_DAY ? '2000-01-01' : start;
  return {
    name,
    kind: targetDaysMask !== 0 && targetDaysMask !== 127 ? 'fixed weekdays' : kindOf(frequency),
    frequency,
    history: { name, cadence, targetPerWeek, targetDaysMask, startDate, logs },
    lastDay: archived ? last : Math.min(newest, last + GIVEN_UP_AFTER_DAYS),
  };
}

/** The words under which figures of habits are put together. */
function kindOf({ times, days }: Frequency): string {
  if (times === days) return 'every day';
  if (days === 7) return `${timesWord(times)} a week`;
  if (days === 30 || days === 31) return `${timesWord(times)} a month`;
  return times === 1 ? `every ${days} days` : `${timesWord(times)} in ${days} days`;
}

function timesWord(times: number): string {
  return times === 1 ? 'once' : `${times} times`;
}
