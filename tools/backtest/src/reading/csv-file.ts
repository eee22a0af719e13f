import {
  usableName,
  dayOf,
  CollectedHabits,
  type CollectedHabit,
  type Entry,
  type HabitFile,
  kindOf,
} from './collected-habits';
import { expectAtMost, LIMITS, UnreadableFile } from './rejects';
import type { ReadContext, WalkableFile } from './read-file';
import { csvRows, type CsvRow } from './csv-rows';

/** A table whose first row names its columns, in any order and case; columns that are not asked for are skipped. */
interface CsvTable {
  /** Rows that have the cells asked for; the others are rejected. */
  rows(): Generator<{ where: string; cell: (column: string) => string }>;
  readonly has: (column: string) => boolean;
}

/** The columns decide whether a table is of habits or of tasks. */
export function readCsv(bytes: Uint8Array, context: ReadContext): WalkableFile {
  const rows = csvRows(new TextDecoder().decode(bytes));
  const header = rows.next().value as CsvRow | undefined;
  const columns = (header?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  const table = tableOf(rows, columns, context);
  if (['habit', 'date', 'value'].every(table.has)) return readHabitCsv(table, context);
  if (['task', 'time', 'ok'].every(table.has)) return readTaskCsv(table, context);
  throw new UnreadableFile(
    `${refusalOf(bytes, columns)} A table begins with a row that names its columns: habit,date,value or task,time,ok, with commas between.`,
  );
}

function tableOf(rows: Generator<CsvRow>, columns: readonly string[], { rejects }: ReadContext): CsvTable {
  const has = (column: string) => columns.includes(column);
  return {
    has,
    *rows() {
      for (const { line, cells, fault } of rows) {
        const where = `line ${line}`;
        if (fault !== undefined) rejects.add(where, fault);
        else if (cells.some((cell) => cell.includes('\uFFFD'))) rejects.add(where, 'the line is not UTF-8');
        else if (cells.length < columns.length)
          rejects.add(where, `${cells.length} cells where ${columns.length} belong`);
        else yield { where, cell: (column) => cells[columns.indexOf(column)]!.trim() };
      }
    },
  };
}

function refusalOf(bytes: Uint8Array, columns: readonly string[]): string {
  if (bytes.length === 0) return 'The file is empty.';
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return 'The file is text in UTF-16: save it as UTF-8.';
  }
  if (bytes.subarray(0, 1_000).includes(0)) return 'The file is none of the kinds that can be read.';
  if (columns.length === 1 && /[;\t]/.test(columns[0]!)) return 'The columns are not separated by commas.';
  return 'The first row does not name the columns.';
}

const WORDS: Readonly<Record<string, Entry>> = {
  yes: { status: 'COMPLETED' },
  done: { status: 'COMPLETED' },
  x: { status: 'COMPLETED' },
  skip: { status: 'SKIPPED' },
  no: 'nothing',
};

/** `habit,date,value`, and `per_week` where habits are not due every day. */
function readHabitCsv(table: CsvTable, { rejects, today }: ReadContext): HabitFile {
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

/** A recurring job with its runs, oldest first; runs of the same instant in the order of the file. */
export interface Task {
  readonly name: string;
  readonly runs: readonly Run[];
}

interface Run {
  readonly atMs: number;
  readonly ok: boolean;
}

export interface TaskFile {
  readonly subject: 'tasks';
  readonly format: string;
  readonly tasks: readonly Task[];
  readonly notes: readonly string[];
}

const OK = ['1', 'true', 'yes', 'ok', 'pass', 'passed', 'success'];
const FAILED = ['0', 'false', 'no', 'fail', 'failed', 'failure', 'error'];
/** Day, time, and a zone; without one it is UTC. */
const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/i;
const FIRST_MS = Date.UTC(2000, 0);

/** `task,time,ok`. */
function readTaskCsv(table: CsvTable, { rejects, today }: ReadContext): TaskFile {
  const byName = new Map<string, Run[]>();
  let count = 0;
  for (const { where, cell } of table.rows()) {
    const row = readRun(cell, (today + 2) * 86_400_000);
    if ('reason' in row) {
      rejects.add(where, row.reason);
      continue;
    }
    expectAtMost(LIMITS.entries, ++count, 'runs');
    const runs = byName.get(row.name) ?? [];
    runs.push(row.run);
    byName.set(row.name, runs);
    expectAtMost(LIMITS.series, byName.size, 'tasks');
  }
  const tasks = [...byName].map(([name, runs]): Task => ({ name, runs: runs.sort((a, b) => a.atMs - b.atMs) }));
  return { subject: 'tasks', format: 'CSV of tasks', tasks, notes: [] };
}

function readRun(cell: (column: string) => string, endMs: number): { name: string; run: Run } | { reason: string } {
  const text = cell('task');
  if (text.startsWith('=')) return { reason: 'the task is a formula' };
  const named = usableName(text.replace(/^'(?=[=+\-@])/, ''));
  if ('reason' in named) return named;
  const atMs = instantOf(cell('time'));
  if (atMs === undefined) return { reason: 'the time is not an instant such as 2026-01-31T07:00:00Z' };
  if (atMs < FIRST_MS) return { reason: 'the time is before 2000-01-01' };
  if (atMs >= endMs) return { reason: 'the time is in the future' };
  const word = cell('ok').toLowerCase();
  if (!OK.includes(word) && !FAILED.includes(word))
    return { reason: 'ok is neither yes nor no, 1 nor 0, passed nor failed' };
  return { name: named.name, run: { atMs, ok: OK.includes(word) } };
}

function instantOf(text: string): number | undefined {
  const [, date, time, zone = 'Z'] = INSTANT.exec(text) ?? [];
  if (date === undefined || dayOf(date) === undefined) return undefined;
  const atMs = Date.parse(`${date}T${time!.replace(/(\.\d{3})\d+$/, '$1')}${zone.toUpperCase()}`);
  return Number.isNaN(atMs) ? undefined : atMs;
}
