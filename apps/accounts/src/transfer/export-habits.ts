import { Readable } from 'node:stream';
import {
  inFileOrder,
  loopApart,
  writtenCsv,
  writtenJson,
  type HabitInFile,
  type WrittenFormat,
} from '@evenkeel/habit-files';
import { Snapshot } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { logsInFiles, readNamedHabits } from './account-habits';
import { Turns } from './turns';

/** To the last byte: a reader may be slow. */
export const EXPORT_WITHIN_MS = 60_000;
/** Each holds a connection of the database until its reader has all of it. */
const AT_ONCE = { running: 3, waiting: 6 };

/** The day of the first log of each habit; $2: of the first one that says that something was done, or skipped. A look into the index. */
const FIRST_DAYS = `
  SELECT h.id, first.day FROM habits h CROSS JOIN LATERAL (
    SELECT local_date::text AS day FROM habit_logs
    WHERE user_id = $1 AND habit_id = h.id AND (NOT $2 OR status = 'SKIPPED' OR completion_rate > 0)
    ORDER BY local_date LIMIT 1
  ) AS first WHERE h.user_id = $1`;

/** Habits and logs of a person as a file: no id of ours, and nothing that changes by itself. */
@Injectable()
export class ExportHabits {
  private readonly turns = new Turns(AT_ONCE);

  constructor(private readonly dataSource: DataSource) {}

  /**
   * The file, made while it is read, from one state of the database; a backup of Loop is made before.
   * @param signal ends it, also while it is read
   * @throws RateLimited when the person has another export, or too many wait
   */
  async execute(userId: string, format: WrittenFormat, signal: AbortSignal): Promise<Readable> {
    return this.inTurn(userId, signal, async (snapshot) => {
      const habits = await habitsOf(userId, format, snapshot);
      if (format === 'loop') return loopApart(habits, { signal });
      return format === 'json' ? writtenJson(habits) : writtenCsv(habits);
    });
  }

  /** A document that holds a turn and a state of the database until it is closed. */
  async inTurn(
    userId: string,
    signal: AbortSignal,
    write: (snapshot: Snapshot) => Promise<AsyncIterable<string | Uint8Array>>,
  ): Promise<Readable> {
    const endTurn = await this.turns.take(userId, signal);
    try {
      const snapshot = await Snapshot.open(this.dataSource);
      let closing: Promise<void> | undefined;
      const close = (): Promise<void> => (closing ??= snapshot.close().finally(endTurn));
      try {
        const document = Readable.from(endingWith(close, await write(snapshot)), { signal });
        // Also without an end: what makes it never begins when the reader has gone before the first word.
        return document.once('close', () => void close()).once('error', () => undefined);
      } catch (error) {
        void close();
        throw error;
      }
    } catch (error) {
      endTurn();
      throw error;
    }
  }
}

/** Before the end is sent: a reader that has all of a file may ask for the next one at once. */
async function* endingWith<Part>(close: () => Promise<void>, parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  yield* parts;
  await close();
}

async function habitsOf(userId: string, format: WrittenFormat, { query }: Snapshot): Promise<HabitInFile[]> {
  const habits = await readNamedHabits(query, userId);
  const rows = await query<{ id: string; day: string }>(FIRST_DAYS, [userId, format === 'csv']);
  const firstDays = new Map(rows.map(({ id, day }) => [id, day]));
  const inFile = habits.map((habit) => {
    const { id, inFiles, ...rest } = habit;
    return { ...rest, ...inFiles, firstDay: firstDays.get(id) ?? null, logs: logsInFiles(query, userId, habit) };
  });
  return inFileOrder(format, inFile);
}
