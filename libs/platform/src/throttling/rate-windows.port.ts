import type { Rate } from '../config';

/** The state of a key in its window. */
export interface LimitStatus {
  /** Whether the hit was within the limit and is counted; for a look, whether one would be. */
  allowed: boolean;
  /** Hits counted in the window, this one included. */
  used: number;
  /** Until the oldest of them are forgotten, at most the length of the window: when refused, until a repeat may be allowed. */
  resetMs: number;
}

/** Counts hits per key in sliding windows. A refused hit is not counted. The promises never fail. */
export abstract class RateWindows {
  /** Counts a hit, unless the limit is reached. */
  abstract take(key: string, rate: Rate): Promise<LimitStatus>;
  /** Hits that were decided without the store that all replicas share. */
  get degradedTotal(): number {
    return 0;
  }

  /** Whether the store that all replicas share answers; null where a process counts alone by its settings. */
  storeAnswers(): Promise<boolean> | null {
    return null;
  }

  /** Takes back a hit that was counted and need not have been, in the background. */
  abstract giveBack(key: string, rate: Rate): void;
  /** Counts nothing. */
  abstract look(key: string, rate: Rate): Promise<LimitStatus>;
}
