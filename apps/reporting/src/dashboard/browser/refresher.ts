import { type Refusal, Refused } from './admin-api';

const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;

interface RefresherOptions {
  /** Loads and shows the numbers. @throws Refused */
  load: (signal: AbortSignal) => Promise<void>;
  /** Called before and after every load. */
  changed: () => void;
  isVisible: () => boolean;
  /** Time from one load to the next. */
  everyMs: () => number;
  /** Milliseconds on a monotonic clock. */
  now: () => number;
}

/** Loads at intervals while the page is visible, with growing pauses after failures; one load at a time. */
export class Refresher {
  refusal: Refusal | undefined;
  loading = false;
  nextAt = 0;
  private failures = 0;
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
  }

  /** Loads now and aborts the load under way, whose answer is for other settings. */
  async refresh(): Promise<void> {
    const { load, changed, everyMs, now } = this.options;
    clearTimeout(this.timer);
    this.running.abort();
    const own = (this.running = new AbortController());
    this.loading = true;
    changed();
    const refusal = await load(own.signal).then(() => undefined, refusalFrom);
    if (own.signal.aborted || this.stopped) return;
    this.loading = false;
    this.refusal = refusal;
    this.failures = refusal ? this.failures + 1 : 0;
    const waitMs = refusal ? backoffMs(this.failures, retryAfterOf(refusal)) : everyMs();
    this.nextAt = now() + waitMs;
    this.schedule(waitMs);
    changed();
  }

  /** Pauses while the page is hidden; loads when it is visible again. */
  visibilityChanged(): void {
    if (this.stopped || this.loading) return;
    clearTimeout(this.timer);
    if (this.options.isVisible()) this.schedule(Math.max(0, this.nextAt - this.options.now()));
  }

  private schedule(waitMs: number): void {
    if (this.options.isVisible()) this.timer = setTimeout(() => void this.refresh(), waitMs);
  }
}

function refusalFrom(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  throw error;
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
