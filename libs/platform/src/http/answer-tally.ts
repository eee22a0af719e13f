import type { Logger } from '../observability';

const SAID_EVERY_MS = 10_000;

/** Counts answers that are too many and too cheap to be worth a line each: one line per address and status every ten seconds. */
export class AnswerTally {
  /** Few: searched in the time that it takes to put a key together. */
  private counts: { path: string; status: number; count: number }[] = [];

  constructor(private readonly logger: Logger) {}

  add(path: string, status: number): void {
    const known = this.counts.find((one) => one.status === status && one.path === path);
    if (known) {
      known.count++;
      return;
    }
    if (this.counts.length === 0) setTimeout(() => this.say(), SAID_EVERY_MS).unref();
    this.counts.push({ path, status, count: 1 });
  }

  private say(): void {
    for (const answers of this.counts) this.logger.info(answers, 'requests');
    this.counts = [];
  }
}
