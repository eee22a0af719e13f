import { CsvTable, formatOf, HABIT_COLUMNS, readHabitFile, type Reject, UnreadableFile } from '@evenkeel/habit-files';
import { civilDate } from '@evenkeel/scoring';
import { type HabitsToWalk, habitsToWalk } from './habits-to-walk';
import { LIMITS, readTaskCsv, TASK_COLUMNS, type TaskFile } from './task-csv';

export type WalkableFile = HabitsToWalk | TaskFile;

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

export interface ReadContext {
  readonly rejects: Rejects;
  /** Day number of the present day: entries later than tomorrow are rejected, which it may be where the person lives. */
  readonly today: number;
}

/**
 * Reads a file of any kind that is known; its content says which, never its name.
 * @throws UnreadableFile when nothing of it is left
 */
export async function readFile(bytes: Uint8Array, context: ReadContext): Promise<WalkableFile> {
  const file = readTasks(bytes, context) ?? (await readHabits(bytes, context));
  const isEmpty = file.subject === 'habits' ? file.habits.length === 0 : file.tasks.length === 0;
  if (isEmpty) {
    throw new UnreadableFile('nothing_usable', `Nothing of the file is left: no ${file.subject} with a usable entry.`);
  }
  return file;
}

/** @returns undefined for a file of habits */
function readTasks(bytes: Uint8Array, { rejects, today }: ReadContext): TaskFile | undefined {
  if (formatOf(bytes) !== 'csv') return undefined;
  const table = new CsvTable(bytes, () => undefined);
  if (table.has(...HABIT_COLUMNS)) return undefined;
  if (!table.has(...TASK_COLUMNS)) throw table.unknownColumns(`${HABIT_COLUMNS.join()} or ${TASK_COLUMNS.join()}`);
  return readTaskCsv(table, (today + 2) * 86_400_000, (row, reason) => rejects.add(row, reason));
}

async function readHabits(bytes: Uint8Array, { rejects, today }: ReadContext): Promise<HabitsToWalk> {
  const file = await readHabitFile(bytes, { lastDay: civilDate(today + 1), limits: LIMITS });
  rejects.first.push(...file.rejects);
  rejects.count += file.rejected.habits + file.rejected.logs;
  return habitsToWalk(file);
}
