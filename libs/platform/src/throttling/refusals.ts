import type { Rate } from '../config';
import type { Standing } from './rate-windows.port';

const MAX_KEYS = 10_000;

/** Refusals of the shared windows, remembered until a repeat makes sense. */
export class Refusals {
  private readonly byKey = new Map<string, { limit: number; used: number; untilMs: number }>();

  constructor(private readonly nowMs: () => number) {}

  add(key: string, { limit }: Rate, { used, resetMs }: Standing): void {
    if (this.byKey.size >= MAX_KEYS) this.byKey.clear();
    this.byKey.set(key, { limit, used, untilMs: this.nowMs() + resetMs });
  }

  /** Null when nothing speaks against asking. A refusal says nothing about a higher limit. */
  standing(key: string, { limit }: Rate): Standing | null {
    const refusal = this.byKey.get(key);
    if (!refusal) return null;
    const resetMs = refusal.untilMs - this.nowMs();
    if (resetMs > 0 && limit <= refusal.limit) return { allowed: false, used: refusal.used, resetMs };
    this.byKey.delete(key);
    return null;
  }
}
