import type { Logger } from '../observability';

const SAID_EVERY_MS = 10_000;

/** Counts answers that are too many and too cheap to be worth a line each: one line per address and status every ten seconds. */
export class AnswerTally {
  private readonly counts = new Map<string, { path: string; status: number; count: number }>();

  constructor(private readonly logger: Logger) {}

  add(path: string, status: number): void {
    const key = `${status} ${path}`;
    const known = this.counts.get(key);
    if (known) {
      known.count++;
      return;
    }
    if (this.counts.size === 0) setTimeout(() => this.say(), SAID_EVERY_MS).unref();
    this.counts.set(key, { path, status, count: 1 });
  }

  private say(): void {
    for (const answers of this.counts.values()) this.logger.info(answers, 'requests');
    this.counts.clear();
  }
}
