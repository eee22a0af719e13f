import type { FileLog, HabitInFile, HabitToWrite } from '../habit-file';
import { namesInFiles, inFileOrder, orderedLogs, type WrittenFormat } from './ordered-habits';
import { loopLogs, LoopDatabase } from './write-loop';
import { dailyFacts, shareOf, writtenCsv, writtenJson } from './write-text';

/** Habits that are in memory, as a file: what a service does some logs at a time. */
export async function writeHabitFile(format: WrittenFormat, habits: readonly HabitToWrite[]): Promise<Uint8Array> {
  const inOrder = inFileOrder(format, habitsInFile(format, habits));
  if (format === 'loop') return loopOf(inOrder);
  const parts: string[] = [];
  for await (const part of format === 'json' ? writtenJson(inOrder) : writtenCsv(inOrder)) parts.push(part);
  return Buffer.from(parts.join(''));
}

function habitsInFile(format: WrittenFormat, habits: readonly HabitToWrite[]) {
  const names = namesInFiles(habits);
  return habits.map((habit): HabitInFile & { firstDay: string | null } => {
    const { sourceId, dailyName } = names.get(habit)!;
    const logs = orderedLogs(habit.logs, sourceId);
    const firstDay = logs.find((log) => format !== 'csv' || shareOf(log) !== undefined)?.localDate ?? null;
    return { ...habit, sourceId, dailyName, firstDay, logs: inPages(logs) };
  });
}

/** Small ones: days lie across their ends. */
async function* inPages(logs: readonly FileLog[]): AsyncGenerator<readonly FileLog[]> {
  for (let at = 0; at < logs.length; at += 3) yield logs.slice(at, at + 3);
}

async function loopOf(habits: readonly HabitInFile[]): Promise<Uint8Array> {
  const database = await LoopDatabase.open();
  for (const habit of habits) {
    database.addHabit(dailyFacts(habit));
    for await (const logs of loopLogs(habit)) database.addLogs(logs);
  }
  return database.finished();
}
