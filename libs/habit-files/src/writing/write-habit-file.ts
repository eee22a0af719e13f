import type { HabitToWrite } from '../habit-file';
import { writeCsv } from './write-csv';
import { writeJson } from './write-json';
import { writeLoop } from './write-loop';

export type WrittenFormat = 'json' | 'csv' | 'loop';

/**
 * Writes habits and their logs in an order of their own: equal habits make equal bytes, whatever order they come in.
 * `json` has all of them, `csv` and `loop` what such a file can say.
 */
export async function writeHabitFile(format: WrittenFormat, habits: readonly HabitToWrite[]): Promise<Uint8Array> {
  switch (format) {
    case 'json':
      return writeJson(habits);
    case 'csv':
      return writeCsv(habits);
    case 'loop':
      return writeLoop(habits);
  }
}
