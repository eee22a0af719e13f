const WINDOW_SECONDS = 10;
const COOL_DOWN_MS = 5_000;
const MIN_CALLS = 10;
const FAILURE_RATIO = 0.5;
/** So few that a dependency that is down is left alone, so many that one caller cannot spend all of them. */
const MAX_PROBES = 5;
const BLAMED_ONCE_IN_MS = 60_000;

/** The caller that a call is made for: calls for the same caller may fail for the same reason. Null: for no particular caller. */
type Caller = string | null;

/** When the circuit opened or its last round of probes began, who had a probe in it, and how many more may have one. */
interface Open {
  sinceMs: number;
  probed: Set<Caller>;
  probesLeft: number;
}

/**
 * The result of a call.
 * - `answered`: the dependency works; a refusal is an answer.
 * - `failed`: it did not answer.
 * - `undecided`: an answer that decides nothing. What the caller sent may be the cause, so it is a failure once in a
 *   minute for each caller, and otherwise not at all.
 */
export type CallResult = 'answered' | 'failed' | 'undecided';

/**
 * Stops calling a dependency that does not answer: opens at half failures of at least 10 calls in 10 s. Every 5 s after
 * that it lets one probe through for each of up to 5 callers; the first good answer closes it.
 */
export class CircuitBreaker {
  private seconds: { second: number; calls: number; failures: number }[] = [];
  private readonly blamedAtMs = new Map<Caller, number>();
  private open: Open | null = null;

  /** @param elapsedMs a time that never goes back */
  constructor(private readonly elapsedMs: () => number) {}

  get isOpen(): boolean {
    return this.open !== null;
  }

  /** Asked before each call; while open it also takes the caller's probe. */
  admits(caller: Caller): boolean {
    if (this.open === null) return true;
    const now = this.elapsedMs();
    if (now - this.open.sinceMs >= COOL_DOWN_MS) {
      this.open = { sinceMs: now, probed: new Set(), probesLeft: MAX_PROBES };
    }
    if (this.open.probesLeft === 0 || this.open.probed.has(caller)) return false;
    this.open.probed.add(caller);
    this.open.probesLeft -= 1;
    return true;
  }

  record(result: CallResult, caller: Caller): void {
    if (this.open !== null) this.recordProbe(result, caller, this.open);
    else if (result !== 'undecided' || this.blames(caller)) this.count(result !== 'answered');
  }

  /** A probe that decided nothing was wasted by its caller: another one may have its place. */
  private recordProbe(result: CallResult, caller: Caller, open: Open): void {
    if (result === 'answered') this.close();
    if (result === 'undecided' && open.probed.has(caller)) open.probesLeft = Math.min(open.probesLeft + 1, MAX_PROBES);
  }

  /** Whether an undecided answer to this caller is a failure; the oldest come first in the map. */
  private blames(caller: Caller): boolean {
    const now = this.elapsedMs();
    for (const [one, atMs] of this.blamedAtMs) {
      if (now - atMs < BLAMED_ONCE_IN_MS) break;
      this.blamedAtMs.delete(one);
    }
    if (this.blamedAtMs.has(caller)) return false;
    this.blamedAtMs.set(caller, now);
    return true;
  }

  private count(isFailure: boolean): void {
    const second = Math.floor(this.elapsedMs() / 1_000);
    let current = this.seconds.at(-1);
    if (current?.second !== second) {
      current = { second, calls: 0, failures: 0 };
      this.seconds = this.seconds.filter((past) => past.second > second - WINDOW_SECONDS);
      this.seconds.push(current);
    }
    current.calls += 1;
    if (!isFailure) return;
    current.failures += 1;
    if (this.isFailing()) this.open = { sinceMs: this.elapsedMs(), probed: new Set(), probesLeft: 0 };
  }

  private isFailing(): boolean {
    const calls = this.seconds.reduce((sum, past) => sum + past.calls, 0);
    const failures = this.seconds.reduce((sum, past) => sum + past.failures, 0);
    return calls >= MIN_CALLS && failures >= calls * FAILURE_RATIO;
  }

  private close(): void {
    this.open = null;
    this.seconds = [];
  }
}
