import type { HabitInFile } from '../habit-file';
import { guardedCell } from '../reading/csv-table';
import { dailyLogs, type DailyLog } from './one-log-a-day';

/** Smaller ones would be written with an exponent. */
const LEAST_SHARE = 1e-6;

/**
 * `habit,date,value,note`: what was done on which day, and no more. Schedules, habits without logs and logs of nothing
 * done have no place in it.
 * @see RFC 4180
 */
export async function* writtenCsv(habits: Iterable<HabitInFile>): AsyncGenerator<string> {
  yield 'habit,date,value,note\r\n';
  for (const { dailyName, logs } of habits) {
    for await (const days of dailyLogs(logs, shareOf)) {
      const rows = days.map((log) => [dailyName, log.localDate, valueOf(log), log.note ?? ''].map(cellOf).join());
      yield `${rows.join('\r\n')}\r\n`;
    }
  }
}

/** The log as far as this format can say it. */
export function shareOf({ localDate, status, completionRate, note }: DailyLog): DailyLog | undefined {
  if (status === 'SKIPPED') return { localDate, status, completionRate: 0, note };
  if (completionRate < LEAST_SHARE) return undefined;
  return { localDate, status: completionRate === 1 ? 'COMPLETED' : 'PARTIAL', completionRate, note };
}

function valueOf({ status, completionRate }: DailyLog): string {
  if (status === 'SKIPPED') return 'skip';
  return status === 'COMPLETED' ? 'yes' : String(completionRate);
}

function cellOf(text: string): string {
  const cell = guardedCell(text);
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
