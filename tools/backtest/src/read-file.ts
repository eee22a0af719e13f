import {
  CsvTable,
  expectAtMost,
  formatOf,
  type Frequency,
  HABIT_COLUMNS,
  type HabitFile,
  readHabitFile,
  type ReadHabit,
  type Reject,
  UnreadableFile,
} from '@evenkeel/habit-files';
import { civilDate, dayNumber, type HabitHistory, type WeekStart } from '@evenkeel/scoring';
import { LIMITS, readTaskCsv, type Task, TASK_COLUMNS } from './read-tasks';

/** A habit as it can be walked. */
export interface Habit {
  readonly name: string;
  readonly kind: string;
  readonly frequency: Frequency;
  readonly history: HabitHistory & { readonly startDate: string };
  /** The last day with a known outcome. */
  readonly lastDay: number;
}

/** What a file says of habits or tasks. */
export type WalkableFile = { readonly format: string; readonly notes: readonly string[] } & (
  | { readonly subject: 'habits'; readonly all: readonly Habit[]; readonly weekStart: WeekStart }
  | { readonly subject: 'tasks'; readonly all: readonly Task[] }
);

const KEPT_REJECTS = 1_000;

/** Rows of a file that could not be used, in the order of the file. */
export class Rejects {
  count = 0;
  /** The first ones: a file may have a million mistakes. */
  readonly first: Reject[] = [];

  add(row: string, reason: string): void {
    if (this.count++ < KEPT_REJECTS) this.first.push({ row, reason });
  }
}

/**
 * Reads a file of any kind that is known; its content says which, never its name.
 * @param today day number: entries later than tomorrow are rejected, which it may be where the person lives
 * @throws UnreadableFile when nothing of it is left
 */
export async function readFile(bytes: Uint8Array, today: number, rejects: Rejects): Promise<WalkableFile> {
  const file = readTasks(bytes, today, rejects) ?? (await readHabits(bytes, today, rejects));
  if (file.all.length > 0) return file;
  throw new UnreadableFile('file_empty', `Nothing of the file is left: no ${file.subject} with a usable entry.`);
}

/** @returns undefined for a file of habits */
function readTasks(bytes: Uint8Array, today: number, rejects: Rejects): WalkableFile | undefined {
  if (formatOf(bytes) !== 'csv') return undefined;
  const table = new CsvTable(bytes, () => undefined);
  if (table.has(...HABIT_COLUMNS)) return undefined;
  if (!table.has(...TASK_COLUMNS)) throw table.unknownColumns(`${HABIT_COLUMNS.join()} or ${TASK_COLUMNS.join()}`);
  const all = readTaskCsv(table, (today + 2) * 86_400_000, (row, reason) => rejects.add(row, reason));
  return { subject: 'tasks', format: 'CSV of tasks', all, notes: [] };
}

/** Days to walk over, of all habits together. */
const MOST_DAYS = 2_000_000;

const FORMATS: Readonly<Record<HabitFile['format'], string>> = {
  'loop-database': 'Loop database',
  'loop-zip': 'Loop zip',
  json: 'JSON export',
  csv: 'CSV of habits',
};

/** Those with at least one entry. */
async function readHabits(bytes: Uint8Array, today: number, rejects: Rejects): Promise<WalkableFile> {
  const file = await readHabitFile(bytes, { lastDay: civilDate(today + 1), limits: LIMITS });
  rejects.first.push(...file.rejects);
  rejects.count += file.rejected.habits + file.rejected.logs;
  const newest = Math.max(...file.habits.flatMap(({ observed }) => (observed ? dayNumber(observed.to) : [])));
  const all = file.habits.flatMap((habit) => habitToWalk(habit, newest) ?? []);
  const days = all.map(({ lastDay, history }) => Math.max(0, lastDay - dayNumber(history.startDate)));
  expectAtMost(
    MOST_DAYS,
    days.reduce((sum, count) => sum + count, 0),
    'too_many_rows',
    'days of habits',
  );
  const { format, notes, weekStart } = file;
  return { subject: 'habits', format: FORMATS[format], all, weekStart: weekStart ?? 'MONDAY', notes };
}

/** A habit without entries for longer was given up: that nothing follows is no news, and would flatter every forecast. */
const GIVEN_UP_AFTER_DAYS = 28;
const FIRST_DAY = '2000-01-01';

function habitToWalk(habit: ReadHabit, newest: number): Habit | undefined {
  const { name, frequency, observed, start, archived, cadence, targetPerWeek, targetDaysMask, logs } = habit;
  if (!observed || start === null) return undefined;
  const last = dayNumber(observed.to);
  const startDate = start < FIRST_DAY ? FIRST_DAY : start;
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
  const often = times === 1 ? 'once' : `${times} times`;
  if (times === days) return 'every day';
  if (days === 7) return `${often} a week`;
  if (days === 30 || days === 31) return `${often} a month`;
  return times === 1 ? `every ${days} days` : `${often} in ${days} days`;
}
