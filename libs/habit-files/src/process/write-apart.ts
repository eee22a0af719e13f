import type { HabitInFile } from '../habit-file';
import { dailyFacts } from '../writing/one-log-a-day';
import { loopLogs } from '../writing/write-loop';
import { FileProcess, type ProcessLimits } from './file-process';

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
