import type { Database, SqlValue } from 'sql.js';
import type { HabitFile } from '../habit-file';
import { CollectedHabits, type CollectedHabit, type ReadOptions, withNote } from '../reading/collected-habits';
import { expectAtMost, UnreadableFile } from '../reading/unreadable-file';
import { LeftOut, entryOf, loopHabitOf, openLoopHabit, type LoopHabit, colourOfNumber } from './loop-habit';
import { numberOf, readDatabase, type Row, type Table, tableOf, textOf } from './sqlite';

const OLDEST_VERSION = 9;
/** The newest one that is known, and the one that is written. */
export const LOOP_VERSION = 25;
const DAY_MS = 86_400_000;

const HABIT_COLUMNS = [
  'id',
  'name',
  'description',
  'question',
  'freq_num',
  'freq_den',
  'type',
  'target_type',
  'target_value',
  'unit',
  'archived',
  'color',
  'position',
  'reminder_hour',
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

/** By the id that entries have; of those that were refused, why. */
type OpenHabits = Map<SqlValue, { loop: LoopHabit; habit: CollectedHabit } | { refused: string }>;

/** In the order of the tracker's list, as an export has them: of habits of one name the first one there is the first here. */
function readHabits(table: Table, collected: CollectedHabits, leftOut: LeftOut): OpenHabits {
  const byId: OpenHabits = new Map();
  const found = new Map<SqlValue, LoopHabit>();
  let place = 0;
  for (const row of table.rows()) {
    collected.countRow();
    const where = `Habits, ${placeOf(row, ++place)}`;
    const [id, loop] = [row('id'), habitOf(row)];
    if (id === null) collected.reject('habits', where, 'no id');
    else if (byId.has(id) || found.has(id)) collected.reject('habits', where, 'a second habit of this id');
    else if ('reason' in loop) {
      collected.reject('habits', where, loop.reason);
      byId.set(id, { refused: loop.reason });
    } else {
      found.set(id, loop);
      expectAtMost(collected.limits.habits, found.size, 'too_many_habits', 'habits');
      if (row('reminder_hour') !== null) leftOut.count('reminder');
    }
  }
  const orderOf = ({ order }: LoopHabit): number => order ?? Number.MAX_SAFE_INTEGER;
  const inOrder = [...found].sort(([, one], [, other]) => orderOf(one) - orderOf(other));
  for (const [id, loop] of inOrder) byId.set(id, { loop, habit: openLoopHabit(collected, loop) });
  return byId;
}

function habitOf(row: Row): ReturnType<typeof loopHabitOf> {
  const text = (column: string): string => textOf(row(column));
  return loopHabitOf({
    name: text('name'),
    question: text('question'),
    description: text('description'),
    unit: text('unit'),
    times: numberOf(row('freq_num')),
    days: numberOf(row('freq_den')),
    archived: row('archived') === 1,
    order: numberOf(row('position')),
    color: colourOfNumber(numberOf(row('color'))),
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
  if ('refused' in owner) {
    collected.rejectLogOf(owner.refused, where);
    return undefined;
  }
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
