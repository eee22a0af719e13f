import type { HabitFile } from '../habit-file';
import {
  CollectedHabits,
  dayOf,
  type CollectedHabit,
  type Entry,
  type ReadOptions,
  withNote,
} from './collected-habits';
import { CsvTable, nameIn, type CsvLine } from './csv-table';
import { completeSchedule, frequencyOf } from './schedules';
import { LONGEST } from './texts';

export const HABIT_COLUMNS: readonly string[] = ['habit', 'date', 'value'];

const COMPLETED: Entry = { status: 'COMPLETED', completionRate: 1 };
const WORDS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['yes', COMPLETED],
  ['done', COMPLETED],
  ['x', COMPLETED],
  ['skip', { status: 'SKIPPED', completionRate: 0 }],
  ['no', 'nothing'],
]);

/**
 * Reads `habit,date,value`, with `note` and, where habits are not due every day, `per_week` as further columns.
 * @throws UnreadableFile
 */
export function readHabitCsv(bytes: Uint8Array, options: ReadOptions): HabitFile {
  const collected = new CollectedHabits(options);
  const table = new CsvTable(bytes, () => collected.countRow());
  if (!table.has(...HABIT_COLUMNS)) throw table.unknownColumns(HABIT_COLUMNS.join());
  for (const column of table.others(...HABIT_COLUMNS, 'note', 'per_week')) {
    collected.leaveOut(`the column "${column.slice(0, LONGEST.tag)}"`);
  }
  const byName = new Map<string, CollectedHabit>();
  for (const line of table.lines((row, reason) => collected.reject('logs', row, reason))) {
    const read = readLine(line, collected);
    if ('reason' in read) {
      collected.reject('logs', line.row, read.reason);
      continue;
    }
    const { name, day, entry, perWeek } = read;
    let habit = byName.get(name);
    if (!habit) {
      const schedule = completeSchedule({ cadence: perWeek === 7 ? 'DAILY' : 'WEEKLY', targetPerWeek: perWeek });
      const facts = { name, description: null, category: null, archived: false };
      habit = collected.open({ ...facts, ...schedule, frequency: frequencyOf(schedule) });
      byName.set(name, habit);
    }
    if (perWeek === habit.facts.targetPerWeek) collected.add(habit, day, entry, line.row);
    else collected.reject('logs', line.row, 'another per_week than in earlier lines');
  }
  return collected.finished('csv');
}

interface HabitLine {
  readonly name: string;
  readonly day: number;
  readonly entry: Entry;
  readonly perWeek: number;
}

function readLine(line: CsvLine, { texts }: CollectedHabits): HabitLine | { reason: string } {
  const { cell, text } = line;
  const named = nameIn(line, 'habit');
  if ('reason' in named) return named;
  const day = dayOf(cell('date'));
  if (day === undefined) return { reason: 'the date is not a day such as 2026-01-31' };
  const entry = entryOf(cell('value'));
  if (entry === undefined) return { reason: 'the value is neither 0 to 1 nor yes, done, x, skip or no' };
  const perWeek = cell('per_week') === '' ? 7 : Number(cell('per_week'));
  if (!Number.isInteger(perWeek) || perWeek < 1 || perWeek > 14) return { reason: 'per_week is not 1 to 14' };
  return { name: named.name, day, entry: withNote(entry, text('note'), texts), perWeek };
}

function entryOf(value: string): Entry | undefined {
  const word = WORDS.get(value.toLowerCase());
  if (word !== undefined) return word;
  if (!/^\d{1,6}(\.\d{1,30})?$/.test(value)) return undefined;
  const share = Number(value);
  if (share > 1) return undefined;
  if (share === 0) return 'nothing';
  return share === 1 ? COMPLETED : { status: 'PARTIAL', completionRate: share };
}
