import type { FileLog, HabitFile, ReadHabit } from '../habit-file';
import { missingLogs, type KnownLog } from '../missing-logs';
import type { ReadOptions } from '../reading/collected-habits';
import { readHabitFile } from '../reading/read-habit-file';
import { LoopDatabase } from '../writing/write-loop';
import type { DailyFacts, DailyLog } from '../writing/write-text';

/** A habit of a file, of whose logs only the number is known yet. */
export type OpenedHabit = Omit<ReadHabit, 'logs'> & { readonly logCount: number };

/** A file that was read: its logs are still where it was read. */
export type OpenedFile = Omit<HabitFile, 'habits'> & { readonly habits: readonly OpenedHabit[] };

/** Small enough that a process that gets one never works on it for long. */
const LOGS_OF_A_PAGE = 250;
const BYTES_OF_A_PIECE = 256 * 1024;

/**
 * The work of a process on its one file, question by question: no answer is large, and nothing is sent that nobody has asked for.
 * A file that is read answers `read`, then for each habit `know`, `compare` and `nextLogs`; one that is written takes `addHabit` and
 * `addLogs`, and answers `nextBytes`.
 */
export class FileWork {
  private habits: readonly ReadHabit[] = [];
  private known: KnownLog[] = [];
  private rest: readonly FileLog[] = [];
  private writing?: Promise<LoopDatabase>;
  private written?: Uint8Array;

  /** @throws UnreadableFile */
  async read(bytes: Uint8Array, options: ReadOptions): Promise<OpenedFile> {
    const { habits, ...file } = await readHabitFile(bytes, options);
    this.habits = habits;
    return { ...file, habits: habits.map(({ logs, ...habit }) => ({ ...habit, logCount: logs.length })) };
  }

  /** Some of the logs that the account has of the habit that is compared next. */
  async know(logs: readonly KnownLog[]): Promise<void> {
    for (const log of logs) this.known.push(log);
  }

  /**
   * Begins with the logs of a habit: `nextLogs` gives those that the account does not have.
   * @param habitSourceId of the habit of the account in files; null of a new one
   * @returns how many there are
   */
  async compare(habit: number, habitSourceId: string | null): Promise<number> {
    const { logs } = this.habits[habit]!;
    this.rest = habitSourceId === null ? logs : missingLogs(logs, this.known, habitSourceId);
    this.known = [];
    return this.rest.length;
  }

  /** @returns none at the end */
  async nextLogs(): Promise<readonly FileLog[]> {
    const page = this.rest.slice(0, LOGS_OF_A_PAGE);
    this.rest = this.rest.slice(page.length);
    return page;
  }

  async addHabit(habit: DailyFacts): Promise<void> {
    (await this.database()).addHabit(habit);
  }

  /** Logs of the habit that was added last. */
  async addLogs(logs: readonly DailyLog[]): Promise<void> {
    (await this.database()).addLogs(logs);
  }

  /** @returns none at the end */
  async nextBytes(): Promise<Uint8Array> {
    this.written ??= (await this.database()).finished();
    const piece = this.written.slice(0, BYTES_OF_A_PIECE);
    this.written = this.written.subarray(piece.length);
    return piece;
  }

  private database(): Promise<LoopDatabase> {
    return (this.writing ??= LoopDatabase.open());
  }
}
