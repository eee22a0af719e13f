import type { Entry } from '../reading/collected-habits';

/** What an entry of the tracker says; one that it made by itself, of the frequency, says nothing of its day. */
export type LoopEntry = Entry | 'filled in';

const SENTENCES = {
  reminder: 'Reminders left out',
  nothing: 'Days marked as not done, which are days without a log here',
  'filled in': 'Days filled in by how often their habit is due, which are days without a log here',
  unknown: 'Days marked as unknown, which are days without a log here',
} as const;

/** Counts what Loop has and a habit with its logs has no place for. */
export class LeftOut {
  private readonly counts = new Map<keyof typeof SENTENCES, number>();

  count(what: keyof typeof SENTENCES): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** @returns the entry as a habit takes it */
  entry(entry: LoopEntry): Entry {
    if (typeof entry === 'object') return entry;
    this.count(entry);
    return entry === 'filled in' ? 'unknown' : entry;
  }

  notes(): string[] {
    return Object.entries(SENTENCES).flatMap(([what, sentence]) => {
      const count = this.counts.get(what as keyof typeof SENTENCES);
      return count === undefined ? [] : [`${sentence}: ${count.toLocaleString('en')}.`];
    });
  }
}
