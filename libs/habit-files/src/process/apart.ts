import type { FileLog, HabitInFile } from '../habit-file';
import type { KnownLog } from '../missing-logs';
import type { ReadOptions } from '../reading/collected-habits';
import { FileProcess, type ProcessLimits } from './file-process';
import type { OpenedFile } from './file-work';
import { dailyFacts } from '../writing/write-text';
import { loopLogs } from '../writing/write-loop';

/** The logs that an account already has of a habit of a file. */
export interface KnownHabit {
  /** Its id in files. */
  readonly sourceId: string;
  readonly logs: AsyncIterable<readonly KnownLog[]>;
}

/** A file that was read in a process of its own, where its logs stay until they are asked for. */
export class FileApart {
  private constructor(
    readonly file: OpenedFile,
    private readonly process: FileProcess,
  ) {}

  /**
   * Close it in the end.
   * @throws UnreadableFile also when the file takes too long, or too much memory
   */
  static async read(bytes: Uint8Array, options: ReadOptions, limits?: Partial<ProcessLimits>): Promise<FileApart> {
    const process = new FileProcess(limits);
    try {
      return new FileApart(await process.ask('read', bytes, options), process);
    } catch (error) {
      process.close();
      throw error;
    }
  }

  /**
   * The logs of a habit that the account does not have, some at a time; one habit after the other.
   * @param habit its place in the file
   * @param known what the account has of it; without it all logs are missing
   * @returns how many there are, and the logs
   */
  async missingLogs(
    habit: number,
    known?: KnownHabit,
  ): Promise<{ count: number; pages: AsyncGenerator<readonly FileLog[]> }> {
    if (known) for await (const logs of known.logs) await this.process.ask('know', logs);
    const count = await this.process.ask('compare', habit, known?.sourceId ?? null);
    return { count, pages: this.pages() };
  }

  close(): void {
    this.process.close();
  }

  private async *pages(): AsyncGenerator<readonly FileLog[]> {
    for (;;) {
      const logs = await this.process.ask('nextLogs');
      if (logs.length === 0) return;
      yield logs;
    }
  }
}

/**
 * A backup that Loop Habit Tracker restores, made in a process of its own, which ends with the last bytes.
 * @param habits in the order of the file; logs are asked for some at a time
 * @returns its bytes, some at a time; by then all habits are read
 * @throws UnreadableFile when it would be too large, or takes too long
 */
export async function loopApart(
  habits: Iterable<HabitInFile>,
  limits?: Partial<ProcessLimits>,
): Promise<AsyncGenerator<Uint8Array>> {
  const process = new FileProcess(limits);
  try {
    for (const habit of habits) {
      await process.ask('addHabit', dailyFacts(habit));
      for await (const logs of loopLogs(habit)) await process.ask('addLogs', logs);
    }
    return piecesOf(process, await process.ask('nextBytes'));
  } catch (error) {
    process.close();
    throw error;
  }
}

async function* piecesOf(process: FileProcess, first: Uint8Array): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = first; piece.length > 0; piece = await process.ask('nextBytes')) yield piece;
  } finally {
    process.close();
  }
}
