import type { Rate } from '../config';
import type { LimitStatus } from './rate-windows.port';

const MAX_KEYS = 10_000;
/** Hits that another replica takes back are seen after this time. */
const MAX_REMEMBERED_MS = 1_000;

interface Refusal {
  limit: number;
  used: number;
  untilMs: number;
  askAgainMs: number;
}

/** Refusals of the shared windows, remembered for a second, or until a repeat makes sense. */
export class Refusals {
  private readonly byKey = new Map<string, Refusal>();

  constructor(private readonly nowMs: () => number) {}

  add(key: string, { limit }: Rate, { used, resetMs }: LimitStatus): void {
    if (this.byKey.size >= MAX_KEYS) this.byKey.clear();
    const nowMs = this.nowMs();
    const askAgainMs = nowMs + Math.min(resetMs, MAX_REMEMBERED_MS);
    this.byKey.set(key, { limit, used, untilMs: nowMs + resetMs, askAgainMs });
  }

  forget(key: string): void {
    this.byKey.delete(key);
  }

  /** Null when nothing speaks against asking. A refusal says nothing about a higher limit. */
  standing(key: string, { limit }: Rate): LimitStatus | null {
    const refusal = this.byKey.get(key);
    if (!refusal) return null;
    const nowMs = this.nowMs();
    const { used, untilMs, askAgainMs } = refusal;
    if (nowMs < askAgainMs && limit <= refusal.limit) return { allowed: false, used, resetMs: untilMs - nowMs };
    this.byKey.delete(key);
    return null;
  }
}
