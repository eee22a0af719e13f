import { UnreadableFile } from './unreadable-file';

/** What is read at most, so that no file can take the machine: years of many habits stay far below. */
export const LIMITS = {
  fileBytes: 64 * 1024 * 1024,
  unpackedBytes: 100 * 1024 * 1024,
  filesInZip: 2_000,
  /** Habits or tasks. */
  series: 500,
  /** Entries or runs. */
  entries: 1_000_000,
  /** Days or runs to walk over, of all habits or tasks together. */
  steps: 2_000_000,
  /** Characters of a cell, with all its line breaks. */
  cell: 10_000,
  name: 200,
} as const;

/** @throws UnreadableFile where a file holds more than is read */
export function expectAtMost(limit: number, count: number, what: string): void {
  if (count > limit) throw new UnreadableFile(`The file holds more than ${limit.toLocaleString('en')} ${what}.`);
}
