import { setTimeout as sleep } from 'node:timers/promises';

/** Subtracted from every wait, so that there is time to record the outcome and to answer. */
const RESERVE_MS = 200;

/** Time for the answer itself, and its way to the caller. */
const ANSWER_MS = 100;

/** Waits last whole steps: Node keeps one list for all timers of equal length, and many lists cost a paid call some 2 %. */
const STEP_MS = 20;

/** The time is up. The awaited work goes on without the request. */
export class DeadlineExceeded extends Error {}

/** The end of a request's budget. Monotonic, so that a changed wall clock neither shortens nor lengthens it. */
export class Deadline {
  private readonly endsAt: number;

  constructor(budgetMs: number) {
    this.endsAt = performance.now() + budgetMs;
  }

  /** Time left for waiting, in steps of 20 ms. */
  get leftMs(): number {
    return this.leftUntil(this.endsAt - RESERVE_MS);
  }

  /**
   * Waits for another party.
   * @throws DeadlineExceeded 200 ms before the end; the promise is not lost, only not awaited
   */
  within<T>(awaited: Promise<T>): Promise<T> {
    return settledIn(this.leftMs, awaited);
  }

  /** Waits for something that is not worth a late answer. @returns the fallback when it fails or the time is up */
  async withinOr<T>(awaited: Promise<T>, fallback: T): Promise<T> {
    try {
      return await this.within(awaited);
    } catch {
      return fallback;
    }
  }

  /**
   * Waits for a statement of the ledger, which may use half of the reserve.
   * @throws DeadlineExceeded 100 ms before the end
   */
  withinBudget<T>(promise: Promise<T>): Promise<T> {
    return settledIn(this.leftUntil(this.endsAt - ANSWER_MS), promise);
  }

  /** Waits, but never past the end. */
  async pause(durationMs: number): Promise<void> {
    await sleep(Math.min(durationMs, this.leftMs));
  }

  private leftUntil(end: number): number {
    return STEP_MS * Math.max(0, Math.floor((end - performance.now()) / STEP_MS));
  }
}

/** Written by hand: `Promise.race` takes twice as long, and a paid call waits six times. */
function settledIn<T>(durationMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeadlineExceeded()), durationMs);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: Error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
