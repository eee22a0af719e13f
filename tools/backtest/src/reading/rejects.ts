export interface Reject {
  /** `line 12`, or the place in a database or a JSON document. */
  readonly where: string;
  readonly reason: string;
}

const KEPT = 1_000;

/** What of a file could not be used, in the order of the file. */
export class Rejects {
  count = 0;
  /** The first ones: a file may have a million mistakes. */
  readonly first: Reject[] = [];

  add(where: string, reason: string): void {
    if (this.count++ < KEPT) this.first.push({ where, reason });
  }
}

/** Nothing of the file can be walked; the message is a sentence for the person who gave it. */
export class UnreadableFile extends Error {}

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
