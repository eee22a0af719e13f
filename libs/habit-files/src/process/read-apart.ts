import type { FileLog } from '../habit-file';
import type { KnownLog } from '../missing-logs';
import type { ReadOptions } from '../reading/collected-habits';
import { FileProcess, type ProcessLimits } from './file-process';
import type { OpenedFile } from './file-work';

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
