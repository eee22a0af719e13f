import { CollectedHabits, usableName, type CollectedHabit, type Entry, type HabitFile } from './collected-habits';
import type { CsvTable } from './csv-file';
import { dayOf } from './day-of';
import { kindOf } from './frequency';
import type { ReadContext } from './read-file';

const WORDS: Readonly<Record<string, Entry>> = {
  yes: { status: 'COMPLETED' },
  done: { status: 'COMPLETED' },
  x: { status: 'COMPLETED' },
  skip: { status: 'SKIPPED' },
  no: 'nothing',
};

/** `habit,date,value`, and `per_week` where habits are not due every day. */
export function readHabitCsv(table: CsvTable, { rejects, today }: ReadContext): HabitFile {
  const collected = new CollectedHabits(rejects, today);
  const byName = new Map<string, CollectedHabit>();
  for (const { where, cell } of table.rows()) {
    const row = readHabitRow(cell, table.has('per_week'));
    if ('reason' in row) {
      rejects.add(where, row.reason);
      continue;
    }
    const { name, day, entry, perWeek } = row;
    let habit = byName.get(name);
    if (!habit) {
      const frequency = perWeek === 7 ? { times: 1, days: 1 } : { times: perWeek, days: 7 };
      habit = collected.open({ name, kind: kindOf(frequency), frequency, schedule: { targetPerWeek: perWeek } });
      byName.set(name, habit);
    }
    if (perWeek !== habit.facts.schedule.targetPerWeek) rejects.add(where, 'another per_week than in earlier lines');
    else collected.add(habit, day, entry, where);
  }
  const format = 'CSV of habits';
  return { subject: 'habits', format, habits: collected.finished(), weekStart: 'MONDAY', notes: [] };
}

interface HabitRow {
  readonly name: string;
  readonly day: number;
  readonly entry: Entry;
  readonly perWeek: number;
}

function readHabitRow(cell: (column: string) => string, hasTarget: boolean): HabitRow | { reason: string } {
  const text = cell('habit');
  if (text.startsWith('=')) return { reason: 'the habit is a formula' };
  // Spreadsheet-safe exports put an apostrophe before what a spreadsheet would run.
  const named = usableName(text.replace(/^'(?=[=+\-@])/, ''));
  if ('reason' in named) return named;
  const day = dayOf(cell('date'));
  if (day === undefined) return { reason: 'the date is not a day such as 2026-01-31' };
  const entry = entryOf(cell('value'));
  if (entry === undefined) return { reason: 'the value is neither 0 to 1 nor yes, done, x, skip or no' };
  const perWeek = hasTarget && cell('per_week') !== '' ? Number(cell('per_week')) : 7;
  if (!Number.isInteger(perWeek) || perWeek < 1 || perWeek > 14) return { reason: 'per_week is not 1 to 14' };
  return { name: named.name, day, entry, perWeek };
}

function entryOf(value: string): Entry | undefined {
  const word = value.toLowerCase();
  if (Object.hasOwn(WORDS, word)) return WORDS[word];
  if (!/^\d{1,6}(\.\d{1,9})?$/.test(value)) return undefined;
  const share = Number(value);
  if (share > 1) return undefined;
  if (share === 0) return 'nothing';
  return share === 1 ? { status: 'COMPLETED' } : { status: 'PARTIAL', completionRate: share };
}
