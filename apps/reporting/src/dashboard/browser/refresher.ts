import { type Refusal, refusalFrom } from './refusals';

const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;

interface RefresherOptions {
  /** Loads and shows the numbers. */
  load: (signal: AbortSignal) => Promise<void>;
  /** Called before and after every load. */
  changed: () => void;
  /** Whether it may load by itself now, as on a page that is seen. */
  isAllowed: () => boolean;
  /** Time from one load to the next; the shortest one where it does not repeat. */
  everyMs: () => number;
  /** Whether it loads again without being asked to. */
  repeats: boolean;
  /** Milliseconds on a monotonic clock. */
  now: () => number;
}

/** Loads at intervals or when it should, with growing pauses after failures; one load at a time. */
export class Refresher {
  refusal: Refusal | undefined;
  loading = false;
  nextAt = 0;
  private failures = 0;
  private isDue = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running = new AbortController();
  private stopped = true;

  constructor(private readonly options: RefresherOptions) {}

  start(): void {
    this.stopped = false;
    this.failures = 0;
    void this.refresh();
  }

  stop(): void {
    this.stopped = true;
    this.running.abort();
    clearTimeout(this.timer);
    this.refusal = undefined;
    this.loading = false;
    this.isDue = false;
  }

  /** Loads now and aborts the load under way, whose answer is for other settings. */
  async refresh(): Promise<void> {
    if (this.stopped) return;
    const { load, changed, everyMs, now } = this.options;
    clearTimeout(this.timer);
    this.running.abort();
    const own = (this.running = new AbortController());
    this.loading = true;
    this.isDue = false;
    changed();
    const refusal = await load(own.signal).then(() => undefined, refusalFrom);
    if (own.signal.aborted || this.stopped) return;
    this.loading = false;
    this.refusal = refusal;
    this.failures = refusal ? this.failures + 1 : 0;
    this.nextAt = now() + (refusal ? backoffMs(this.failures, retryAfterOf(refusal)) : everyMs());
    this.schedule();
    changed();
  }

  /** Loads as soon as its time has come. */
  due(): void {
    this.isDue = true;
    if (!this.loading) this.schedule();
  }

  /** Loads at the latest in so long, unless it waits after a failure. */
  within(ms: number): void {
    if (this.refusal) return;
    this.nextAt = Math.min(this.nextAt, this.options.now() + ms);
    if (!this.loading) this.schedule();
  }

  /** Pauses while it may not load; loads what it has missed when it may again. */
  allowedChanged(): void {
    if (!this.loading) this.schedule();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    const { isAllowed, repeats, now } = this.options;
    if (this.stopped || !isAllowed() || !(repeats || this.isDue || this.refusal)) return;
    this.timer = setTimeout(() => void this.refresh(), Math.max(0, this.nextAt - now()));
  }
}

function retryAfterOf(refusal: Refusal): number | undefined {
  return 'retryAfterSeconds' in refusal ? refusal.retryAfterSeconds : undefined;
}

/**
 * Time to the next try: doubled each time, and never less than the server asked for.
 * @param failures in a row, 1 or more
 * @param retryAfterSeconds of the last answer, where it had one
 */
export function backoffMs(failures: number, retryAfterSeconds = 0): number {
  return Math.max(Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS), retryAfterSeconds * 1_000);
}
