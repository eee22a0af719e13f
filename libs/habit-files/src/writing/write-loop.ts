import { createHash } from 'node:crypto';
import { dayNumber } from '@evenkeel/scoring';
import type { Database } from 'sql.js';
import type { HabitInFile } from '../habit-file';
import { numberOfColour, isMonth, SKIPPED, descriptionAlone } from '../loop/loop-habit';
import { LOOP_VERSION } from '../loop/read-loop-database';
import { openedDatabase } from '../loop/sqlite';
import { frequencyOf } from '../reading/schedules';
import { UnreadableFile } from '../reading/unreadable-file';
import { dailyLogs, type DailyFacts, type DailyLog } from './write-text';

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

/** A backup is at most this large: memory holds it twice in the end. */
const MOST_BYTES = 64 * 1024 * 1024;
const PAGE_BYTES = 4_096;

/** The logs of a habit as a backup has them. */
export function loopLogs({ logs }: HabitInFile): AsyncGenerator<DailyLog[]> {
  return dailyLogs(logs, inThousandths);
}

/** A habit whose logs are still coming. */
interface OpenHabit {
  readonly id: number;
  readonly habit: DailyFacts;
  /** A log of it was done in part: then all of them are counted in per cent. */
  isCounted: boolean;
}

/** A backup that Loop Habit Tracker restores, habit by habit; equal habits make equal bytes. No log is held. */
export class LoopDatabase {
  private open?: OpenHabit;
  /** Of each habit by its position in the file; the order in the tracker is known with the last one. */
  private readonly orders: (number | null)[] = [];

  private constructor(private readonly database: Database) {}

  static async open(): Promise<LoopDatabase> {
    const database = await openedDatabase();
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA max_page_count = ${MOST_BYTES / PAGE_BYTES}`);
    database.exec('BEGIN');
    database.exec(TABLES);
    return new LoopDatabase(database);
  }

  /** @throws UnreadableFile when it becomes too large */
  addHabit(habit: DailyFacts): void {
    this.writeOpen();
    this.open = { id: this.orders.push(habit.order), habit, isCounted: false };
  }

  /**
   * Of the habit that was added last.
   * @throws UnreadableFile when it becomes too large
   */
  addLogs(logs: readonly DailyLog[]): void {
    fitting(() => writeLogs(this.database, this.open!, logs));
  }

  /** @throws UnreadableFile when it becomes too large */
  finished(): Uint8Array {
    this.writeOpen();
    fitting(() => {
      placesInOrder(this.orders).forEach((place, position) =>
        this.database.run('UPDATE Habits SET position = ? WHERE id = ?', [position, place + 1]),
      );
      this.database.exec('COMMIT');
    });
    const bytes = this.database.export();
    this.database.close();
    return bytes;
  }

  private writeOpen(): void {
    const { open } = this;
    if (open) fitting(() => writeHabit(this.database, open));
    this.open = undefined;
  }
}

function fitting(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!/full|out of memory/.test((error as Error).message)) throw error;
    const sentence = 'The backup would be larger than a tracker takes: take the habits along as JSON or CSV.';
    throw new UnreadableFile('file_too_large', sentence);
  }
}

/** As the list of the tracker has them: those without an order are last. */
function placesInOrder(orders: readonly (number | null)[]): number[] {
  const orderOf = (place: number): number => orders[place] ?? Number.MAX_SAFE_INTEGER;
  return [...orders.keys()].sort((one, other) => orderOf(one) - orderOf(other));
}

/** The log as far as whole thousandths of a per cent can say it. */
function inThousandths({ localDate, status, completionRate, note }: DailyLog): DailyLog {
  if (status === 'SKIPPED') return { localDate, status, completionRate: 0, note };
  const value = Math.round(completionRate * ALL_OF_IT);
  if (value === ALL_OF_IT) return { localDate, status: 'COMPLETED', completionRate: 1, note };
  const unlikeSkipped = value === SKIPPED ? SKIPPED + 1 : value;
  return { localDate, status: 'PARTIAL', completionRate: unlikeSkipped / ALL_OF_IT, note };
}

/** As if the habit were counted, and adds to `open` whether it is: bytes must not depend on which logs come together. */
function writeLogs(database: Database, open: OpenHabit, logs: readonly DailyLog[]): void {
  open.isCounted ||= logs.some(({ status }) => status === 'PARTIAL');
  const statement = database.prepare('INSERT INTO Repetitions (habit, timestamp, value, notes) VALUES (?, ?, ?, ?)');
  try {
    for (const log of logs) {
      const [at, value] = [dayNumber(log.localDate) * DAY_MS, valueOf(log)];
      statement.run([open.id, at, value, readable(log.note ?? '') || null]);
    }
  } finally {
    statement.free();
  }
}

function writeHabit(database: Database, { id, isCounted, habit }: OpenHabit): void {
  if (!isCounted) {
    database.run('UPDATE Repetitions SET value = ? WHERE habit = ? AND value = ?', [DONE, id, ALL_OF_IT]);
  }
  const { name, archived, question, color } = habit;
  const { times, days } = frequencyOf(habit);
  const asked = readable(question ?? '');
  const description = descriptionAlone(readable(habit.description ?? ''), asked);
  insert(database, 'Habits', {
    id,
    name,
    description,
    question: asked,
    position: 0,
    archived: archived ? 1 : 0,
    uuid: uuidOf(name),
    // The tracker knows no more than every day.
    ...(times > days ? { freq_num: 1, freq_den: 1 } : { freq_num: times, freq_den: days }),
    color: numberOfColour(color),
    highlight: 0,
    type: isCounted ? 1 : 0,
    // Per cent of a week, of which a month has more.
    target_value: isCounted ? (times === 1 && isMonth(days) ? (100 * days) / 7 : 100) : 0,
    unit: isCounted ? '%' : '',
  });
}

/** A mark of byte order at the beginning of a text is no part of it to SQLite's readers. */
function readable(text: string): string {
  return text.replace(/^\uFEFF+/, '');
}

function valueOf({ status, completionRate }: DailyLog): number {
  return status === 'SKIPPED' ? SKIPPED : Math.round(completionRate * ALL_OF_IT);
}

/** Made of the name, which no other habit of the file has: nothing of ours, and the same each time. */
function uuidOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

function insert(database: Database, table: string, row: Readonly<Record<string, string | number>>): void {
  const places = Object.keys(row).map(() => '?');
  database.run(`INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${places.join()})`, Object.values(row));
}
