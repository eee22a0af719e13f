import initSqlJs, { type Database, type SqlValue } from 'sql.js';
import {
  type Entry,
  type HabitFacts,
  kindOf,
  targetPerWeek,
  CollectedHabits,
  usableName,
  type CollectedHabit,
  type HabitFile,
} from './collected-habits';
import { expectAtMost, LIMITS, UnreadableFile } from './rejects';
import type { ReadContext } from './read-file';

const OLDEST_VERSION = 9;
const KNOWN_VERSION = 25;
const DAY_MS = 86_400_000;

/**
 * Reads a full backup of Loop Habit Tracker by the columns that are there. The file is opened in memory and only read.
 * @throws UnreadableFile
 */
export async function readLoopDatabase(bytes: Uint8Array, context: ReadContext): Promise<HabitFile> {
  const sql = await initSqlJs();
  let database: Database | undefined;
  try {
    database = new sql.Database(bytes);
    return readTables(database, context);
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(`The database cannot be read: ${(error as Error).message}.`);
  } finally {
    database?.close();
  }
}

function readTables(database: Database, context: ReadContext): HabitFile {
  database.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON');
  const version = Number(database.exec('PRAGMA user_version')[0]!.values[0]![0]);
  const habitColumns = columnsOf(database, 'Habits');
  const entryColumns = columnsOf(database, 'Repetitions');
  if (version < OLDEST_VERSION) {
    throw new UnreadableFile(
      `The backup has version ${version}: what those before ${OLDEST_VERSION} mean is not known.`,
    );
  }
  const notes =
    version > KNOWN_VERSION ? [`The backup has version ${version}, newer than any known; its columns fit.`] : [];

  const collected = new CollectedHabits(context.rejects, context.today);
  const byId = new Map<SqlValue, { loop: LoopHabit; habit: CollectedHabit }>();
  for (const row of rowsOf(database, 'Habits', habitColumns, LIMITS.series, 'habits')) {
    const where = `Habits, id ${textOf(row('id'))}`;
    const loop = habitOf(row);
    if ('reason' in loop) context.rejects.add(where, loop.reason);
    else byId.set(row('id'), { loop, habit: collected.open(factsOf(loop)) });
  }
  for (const row of rowsOf(database, 'Repetitions', entryColumns, LIMITS.entries, 'entries')) {
    const where = `Repetitions, id ${textOf(row('id'))}`;
    const owner = byId.get(row('habit'));
    const timestamp = row('timestamp');
    if (!owner) context.rejects.add(where, 'its habit is not in the file');
    else if (typeof timestamp !== 'number') context.rejects.add(where, 'no timestamp');
    else {
      const value = entryColumns.includes('value') ? numberOf(row('value')) : 2;
      const entry = owner.loop.numerical ? entryOfNumber(value, owner.loop) : entryOfMark(value);
      if (entry === undefined) context.rejects.add(where, `the value ${textOf(row('value'))} means nothing`);
      else collected.add(owner.habit, Math.floor(timestamp / DAY_MS), entry, where);
    }
  }
  return { subject: 'habits', format: 'Loop database', habits: collected.finished(), weekStart: 'MONDAY', notes };
}

type Row = (column: string) => SqlValue;

function habitOf(row: Row): LoopHabit | { reason: string } {
  const named = usableName(textOf(row('name')));
  if ('reason' in named) return named;
  const times = numberOf(row('freq_num'));
  const days = numberOf(row('freq_den'));
  if (!isFrequency(times, days)) return { reason: 'no frequency' };
  const numerical = row('type') === 1;
  const target = numberOf(row('target_value'));
  if (numerical && !(target >= 0 && Number.isFinite(target))) return { reason: 'a number without a target' };
  return {
    ...named,
    times,
    days,
    numerical,
    atMost: row('target_type') === 1,
    target,
    archived: row('archived') === 1,
  };
}

const COLUMNS = {
  Habits: ['id', 'name', 'freq_num', 'freq_den', 'type', 'target_type', 'target_value', 'archived'],
  Repetitions: ['id', 'habit', 'timestamp', 'value'],
} as const;
type Table = keyof typeof COLUMNS;

/** Those of a table that are there. Only a real table will do: a view may count to infinity. */
function columnsOf(database: Database, table: Table): string[] {
  const found = database.exec(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND lower(name) = '${table.toLowerCase()}'`,
  );
  if (found.length === 0) throw new UnreadableFile(`The database has no table ${table}: it is no backup of Loop.`);
  const names = database.exec(`PRAGMA table_info(${table})`)[0]!.values.map(([, name]) => textOf(name!).toLowerCase());
  return COLUMNS[table].filter((column) => names.includes(column));
}

function* rowsOf(database: Database, table: Table, columns: string[], limit: number, what: string): Generator<Row> {
  const statement = database.prepare(`SELECT ${columns.join()} FROM ${table} LIMIT ${limit + 1}`);
  const places = new Map(columns.map((column, place) => [column, place]));
  try {
    for (let count = 1; statement.step(); count++) {
      expectAtMost(limit, count, what);
      const values = statement.get();
      yield (column) => values[places.get(column) ?? -1] ?? null;
    }
  } finally {
    statement.free();
  }
}

function textOf(value: SqlValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? 'of bytes' : String(value);
}

function numberOf(value: SqlValue): number {
  return typeof value === 'number' ? value : NaN;
}

/** A habit as Loop Habit Tracker keeps it. */
export interface LoopHabit {
  readonly name: string;
  readonly times: number;
  readonly days: number;
  readonly numerical: boolean;
  readonly atMost: boolean;
  readonly target: number;
  readonly archived: boolean;
}

export function factsOf({ name, times, days, archived }: LoopHabit): HabitFacts {
  const frequency = { times, days };
  return { name, kind: kindOf(frequency), frequency, schedule: { targetPerWeek: targetPerWeek(frequency) }, archived };
}

export function isFrequency(times: number, days: number): boolean {
  const isCount = (count: number) => Number.isInteger(count) && count >= 1 && count <= 1_000;
  return isCount(times) && isCount(days);
}

/** 2 done by hand, 1 done by the frequency (so nothing was done that day), 0 no, 3 skipped, -1 unknown. */
export function entryOfMark(value: number): Entry | undefined {
  if (value === 2) return { status: 'COMPLETED' };
  if (value === 3) return { status: 'SKIPPED' };
  if (value === 0) return 'nothing';
  return value === 1 || value === -1 ? 'unknown' : undefined;
}

/** @param value the number times 1000; -1 is unknown */
export function entryOfNumber(value: number, { atMost, target }: LoopHabit): Entry | undefined {
  if (value === -1) return 'unknown';
  if (!Number.isFinite(value) || value < 0) return undefined;
  const number = value / 1_000;
  const reached = atMost ? number <= target : number >= target;
  if (reached) return { status: 'COMPLETED' };
  return { status: 'PARTIAL', completionRate: atMost ? target / number : number / target };
}
