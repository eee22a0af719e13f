import { createHash } from 'node:crypto';
import { dayNumber } from '@evenkeel/scoring';
import type { Database } from 'sql.js';
import type { HabitToWrite } from '../habit-file';
import { numberOfColour } from '../loop/loop-colours';
import { isMonth, SKIPPED } from '../loop/loop-habit';
import { descriptionAlone } from '../loop/question';
import { LOOP_VERSION } from '../loop/read-loop-database';
import { withDatabase } from '../loop/sqlite';
import { frequencyOf } from '../reading/schedules';
import { type DailyHabit, dailyHabits, type DailyLog } from './one-log-a-day';

const DAY_MS = 86_400_000;
const DONE = 2;
/** A habit that was done in part is counted in per cent; a value is the number times 1000. */
const ALL_OF_IT = 100_000;

/** Every column that the tracker asks for when it restores a backup. */
const TABLES = `
CREATE TABLE android_metadata (locale TEXT);
CREATE TABLE Habits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  archived INTEGER NOT NULL,
  color INTEGER NOT NULL,
  description TEXT NOT NULL,
  freq_den INTEGER NOT NULL,
  freq_num INTEGER NOT NULL,
  highlight INTEGER NOT NULL,
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  reminder_hour INTEGER,
  reminder_min INTEGER,
  reminder_days INTEGER NOT NULL DEFAULT 127,
  type INTEGER NOT NULL DEFAULT 0,
  target_type INTEGER NOT NULL DEFAULT 0,
  target_value REAL NOT NULL DEFAULT 0,
  unit TEXT NOT NULL DEFAULT '',
  question TEXT NOT NULL DEFAULT '',
  uuid TEXT NOT NULL UNIQUE
);
CREATE TABLE Repetitions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  habit INTEGER NOT NULL REFERENCES Habits (id),
  timestamp INTEGER NOT NULL,
  value INTEGER NOT NULL,
  notes TEXT
);
CREATE UNIQUE INDEX idx_repetitions_habit_timestamp ON Repetitions (habit, timestamp);
PRAGMA user_version = ${LOOP_VERSION};
INSERT INTO android_metadata VALUES ('en_US');
`;

/** A backup that Loop Habit Tracker restores; equal habits make equal bytes. */
export function writeLoop(habits: readonly HabitToWrite[]): Promise<Uint8Array> {
  return withDatabase(undefined, (database) => {
    database.exec('BEGIN');
    database.exec(TABLES);
    const daily = dailyHabits(habits, inThousandths);
    const positions = positionsOf(daily);
    daily.forEach((habit, place) => writeHabit(database, habit, place + 1, positions.get(habit)!));
    database.exec('COMMIT');
    return database.export();
  });
}

/** In the list of the tracker: by the order that they have, those without one behind. */
function positionsOf(habits: readonly DailyHabit[]): Map<DailyHabit, number> {
  const orderOf = ({ order }: DailyHabit): number => order ?? Infinity;
  const listed = [...habits].sort((one, other) =>
    orderOf(one) < orderOf(other) ? -1 : Number(orderOf(one) > orderOf(other)),
  );
  return new Map(listed.map((habit, position) => [habit, position]));
}

/** The log as far as whole thousandths of a per cent can say it. */
function inThousandths({ localDate, status, completionRate, note }: DailyLog): DailyLog {
  if (status === 'SKIPPED') return { localDate, status, completionRate: 0, note };
  const value = Math.round(completionRate * ALL_OF_IT);
  if (value === ALL_OF_IT) return { localDate, status: 'COMPLETED', completionRate: 1, note };
  const unlikeSkipped = value === SKIPPED ? SKIPPED + 1 : value;
  return { localDate, status: 'PARTIAL', completionRate: unlikeSkipped / ALL_OF_IT, note };
}

function writeHabit(
  database: Database,
  { name, archived, logs, question, color, ...habit }: DailyHabit,
  id: number,
  position: number,
): void {
  const { times, days } = frequencyOf(habit);
  const isCounted = logs.some(({ status }) => status === 'PARTIAL');
  const asked = readable(question ?? '');
  const description = descriptionAlone(readable(habit.description ?? ''), asked);
  insert(database, 'Habits', {
    ...{ id, name, description, question: asked, position, archived: archived ? 1 : 0, uuid: uuidOf(name) },
    // The tracker knows no more than every day.
    ...(times > days ? { freq_num: 1, freq_den: 1 } : { freq_num: times, freq_den: days }),
    ...{
      color: numberOfColour(color),
      highlight: 0,
      type: isCounted ? 1 : 0,
      // Per cent of a week, of which a month has more.
      target_value: isCounted ? (times === 1 && isMonth(days) ? (100 * days) / 7 : 100) : 0,
      unit: isCounted ? '%' : '',
    },
  });
  const statement = database.prepare('INSERT INTO Repetitions (habit, timestamp, value, notes) VALUES (?, ?, ?, ?)');
  for (const log of logs) {
    statement.run([id, dayNumber(log.localDate) * DAY_MS, valueOf(log, isCounted), readable(log.note ?? '') || null]);
  }
  statement.free();
}

/** A mark of byte order at the beginning of a text is no part of it to SQLite's readers. */
function readable(text: string): string {
  return text.replace(/^\uFEFF+/, '');
}

function valueOf({ status, completionRate }: DailyLog, isCounted: boolean): number {
  if (status === 'SKIPPED') return SKIPPED;
  return isCounted ? Math.round(completionRate * ALL_OF_IT) : DONE;
}

/** Made of the name, which no other habit of the file has: nothing of ours, and the same each time. */
function uuidOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

function insert(database: Database, table: string, row: Readonly<Record<string, string | number>>): void {
  const places = Object.keys(row).map(() => '?');
  database.run(`INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${places.join()})`, Object.values(row));
}
