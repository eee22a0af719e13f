import type { Database, SqlValue } from 'sql.js';
import type { HabitFile } from '../habit-file';
import { CollectedHabits, type CollectedHabit, type ReadOptions, withNote } from '../reading/collected-habits';
import { UnreadableFile } from '../reading/unreadable-file';
import { LeftOut } from './left-out';
import { entryOf, loopHabitOf, openLoopHabit, type LoopHabit } from './loop-habit';
import { numberOf, readDatabase, type Row, type Table, tableOf, textOf } from './sqlite';

const OLDEST_VERSION = 9;
/** The newest one that is known, and the one that is written. */
export const LOOP_VERSION = 25;
const DAY_MS = 86_400_000;

const HABIT_COLUMNS = [
  ...['id', 'name', 'description', 'question', 'freq_num', 'freq_den'],
  ...['type', 'target_type', 'target_value', 'unit', 'archived', 'color', 'position', 'reminder_hour'],
];
const NEEDED_OF_HABITS = ['id', 'name', 'freq_num', 'freq_den'];
const ENTRY_COLUMNS = ['id', 'habit', 'timestamp', 'value', 'notes'];
const NEEDED_OF_ENTRIES = ['habit', 'timestamp'];

/**
 * Reads a full backup of Loop Habit Tracker by the columns that are there. The file is opened in memory and only read.
 * @throws UnreadableFile
 */
export function readLoopDatabase(bytes: Uint8Array, options: ReadOptions): Promise<HabitFile> {
  return readDatabase(bytes, (database) => readTables(database, bytes, new CollectedHabits(options)));
}

function readTables(database: Database, bytes: Uint8Array, collected: CollectedHabits): HabitFile {
  const version = Number(database.exec('PRAGMA user_version')[0]!.values[0]![0]);
  const habits = neededTable(database, bytes, 'Habits', HABIT_COLUMNS, NEEDED_OF_HABITS);
  const entries = neededTable(database, bytes, 'Repetitions', ENTRY_COLUMNS, NEEDED_OF_ENTRIES);
  if (version < OLDEST_VERSION) {
    const sentence = `The backup has version ${version}: what those before ${OLDEST_VERSION} mean is not known.`;
    throw new UnreadableFile('loop_version_unknown', sentence);
  }
  if (version > LOOP_VERSION) {
    collected.note(`The backup has version ${version}, newer than any known; its columns fit.`);
  }
  const leftOut = new LeftOut();
  const byId = readHabits(habits, collected, leftOut);
  let place = 0;
  for (const row of entries.rows()) {
    collected.countRow();
    const where = `Repetitions, ${placeOf(row, ++place)}`;
    const reason = readEntry(row, entries, byId, { collected, leftOut }, where);
    if (reason !== undefined) collected.reject('logs', where, reason);
  }
  return collected.finished('loop-database', { ofAll: leftOut.notes() });
}

function neededTable(
  database: Database,
  bytes: Uint8Array,
  name: string,
  columns: readonly string[],
  needed: readonly string[],
): Table {
  const table = tableOf(database, bytes, name, columns);
  const missing = needed.find((column) => !table?.columns.has(column));
  if (table && missing === undefined) return table;
  const what = table ? `column ${missing} in its table ${name}` : `table ${name}`;
  throw new UnreadableFile('database_not_of_loop', `The database has no ${what}: it is no backup of Loop.`);
}

type OpenHabits = Map<SqlValue, { loop: LoopHabit; habit: CollectedHabit }>;

function readHabits(table: Table, collected: CollectedHabits, leftOut: LeftOut): OpenHabits {
  const byId: OpenHabits = new Map();
  let place = 0;
  for (const row of table.rows()) {
    collected.countRow();
    const where = `Habits, ${placeOf(row, ++place)}`;
    const loop = habitOf(row);
    if ('reason' in loop) collected.reject('habits', where, loop.reason);
    else if (row('id') === null) collected.reject('habits', where, 'no id');
    else if (byId.has(row('id'))) collected.reject('habits', where, 'a second habit of this id');
    else {
      byId.set(row('id'), { loop, habit: openLoopHabit(collected, loop) });
      for (const [what, column] of WITHOUT_PLACE) if (row(column) !== null) leftOut.count(what);
    }
  }
  return byId;
}

const WITHOUT_PLACE = [
  ['colour', 'color'],
  ['reminder', 'reminder_hour'],
] as const;

function habitOf(row: Row): ReturnType<typeof loopHabitOf> {
  const [name, question, description, unit] = ['name', 'question', 'description', 'unit'].map((column) =>
    textOf(row(column)),
  );
  return loopHabitOf({
    ...{ name: name!, question: question!, description: description!, unit: unit! },
    times: numberOf(row('freq_num')),
    days: numberOf(row('freq_den')),
    archived: row('archived') === 1,
    position: numberOf(row('position')),
    numerical: row('type') === 1,
    atMost: row('target_type') === 1,
    target: numberOf(row('target_value')),
  });
}

/** @returns why the row cannot be used */
function readEntry(
  row: Row,
  { columns }: Table,
  byId: OpenHabits,
  { collected, leftOut }: { collected: CollectedHabits; leftOut: LeftOut },
  where: string,
): string | undefined {
  const owner = byId.get(row('habit'));
  const timestamp = row('timestamp');
  if (!owner) return 'its habit is not in the file';
  if (typeof timestamp !== 'number') return 'no timestamp';
  // Old versions keep a row for what was done, and no value.
  const entry = columns.has('value') ? entryOf(numberOf(row('value')), owner.loop) : entryOf(2, owner.loop);
  if (entry === undefined) return `the value ${textOf(row('value')).slice(0, 30)} means nothing`;
  const day = Math.floor(timestamp / DAY_MS);
  collected.add(owner.habit, day, withNote(leftOut.entry(entry), textOf(row('notes')), collected.texts), where);
  return undefined;
}

function placeOf(row: Row, place: number): string {
  return row('id') === null ? `row ${place}` : `id ${textOf(row('id')).slice(0, 30)}`;
}
