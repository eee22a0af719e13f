import { type LimitStatus, RateWindows } from './rate-windows.port';
import type { Rate } from '../config';

/** For each length of window; at most twice as many are in memory, about 200 bytes each. */
const MAX_KEYS = 50_000;

/** Windows of this process alone. */
export class LocalWindows extends RateWindows {
  private readonly byLength = new Map<number, Generations>();

  /** @param maxKeys that were hit in one window; more of them push the longest unseen ones out */
  constructor(
    private readonly nowMs: () => number,
    private readonly maxKeys = MAX_KEYS,
  ) {
    super();
  }

  override async take(key: string, { limit, windowSeconds }: Rate): Promise<LimitStatus> {
    const nowMs = this.nowMs();
    const generations = this.generationsOf(windowSeconds);
    const window = generations.find(key, nowMs) ?? generations.add(key, nowMs);
    return window.take(nowMs, limit);
  }

  override giveBack(key: string, { windowSeconds }: Rate): void {
    const nowMs = this.nowMs();
    this.generationsOf(windowSeconds).find(key, nowMs)?.giveBack(nowMs);
  }

  override async look(key: string, { limit, windowSeconds }: Rate): Promise<LimitStatus> {
    const nowMs = this.nowMs();
    const window = this.generationsOf(windowSeconds).find(key, nowMs);
    return window?.look(nowMs, limit) ?? { allowed: true, used: 0, resetMs: windowSeconds * 1_000 };
  }

  private generationsOf(windowSeconds: number): Generations {
    let generations = this.byLength.get(windowSeconds);
    if (!generations) {
      generations = new Generations(windowSeconds * 1_000, this.maxKeys);
      this.byLength.set(windowSeconds, generations);
    }
    return generations;
  }
}

/** Two generations of windows: what had no hit for a whole window is dropped with its map, without a look at any key. */
class Generations {
  private young = new Map<string, SlidingWindow>();
  private old = new Map<string, SlidingWindow>();
  private begunMs = 0;

  constructor(
    private readonly windowMs: number,
    private readonly maxKeys: number,
  ) {}

  find(key: string, nowMs: number): SlidingWindow | undefined {
    if (nowMs - this.begunMs >= this.windowMs) this.turn(nowMs);
    const window = this.young.get(key);
    if (window) return window;
    const older = this.old.get(key);
    return older && this.keep(key, older, nowMs);
  }

  add(key: string, nowMs: number): SlidingWindow {
    return this.keep(key, new SlidingWindow(this.windowMs, nowMs), nowMs);
  }

  private keep(key: string, window: SlidingWindow, nowMs: number): SlidingWindow {
    if (this.young.size >= this.maxKeys) this.turn(nowMs);
    this.young.set(key, window);
    return window;
  }

  private turn(nowMs: number): void {
    this.old = this.young;
    this.young = new Map();
    this.begunMs = nowMs;
  }
}

/** Parts of a window; the script of the Redis adapter has the same number. */
const SLOTS = 10;

/**
 * The hits of one key in tenths of its window, so that a hit costs the same however many there were. A window holds the
 * running tenth and the nine before it: in nine tenths of its length never more hits than the limit, in its whole length
 * never more than twice as many, and each is forgotten after the length of the window at the latest.
 */
export class SlidingWindow {
  private readonly counts = new Array<number>(SLOTS).fill(0);
  private readonly slotMs: number;
  private used = 0;
  /** The running slot, counted from the origin. */
  private slot = 0;

  /** @param originMs of the first hit: an empty window begins again with the next one */
  constructor(
    private readonly windowMs: number,
    private originMs: number,
  ) {
    this.slotMs = windowMs / SLOTS;
  }

  take(nowMs: number, limit: number): LimitStatus {
    this.moveTo(nowMs);
    const allowed = this.used < limit;
    if (allowed) {
      this.counts[this.slot % SLOTS]! += 1;
      this.used += 1;
    }
    return { allowed, used: this.used, resetMs: this.resetMs(nowMs) };
  }

  /** The newest hit is the one taken back, so that the others are forgotten when they would have been. */
  giveBack(nowMs: number): void {
    this.moveTo(nowMs);
    if (this.used === 0) return;
    let newest = this.slot;
    while (this.counts[newest % SLOTS] === 0) newest -= 1;
    this.counts[newest % SLOTS]! -= 1;
    this.used -= 1;
  }

  look(nowMs: number, limit: number): LimitStatus {
    this.moveTo(nowMs);
    return { allowed: this.used < limit, used: this.used, resetMs: this.resetMs(nowMs) };
  }

  /** A clock that goes back changes nothing: its hits are those of the running slot. */
  private moveTo(nowMs: number): void {
    const slot = Math.max(this.slot, Math.floor((nowMs - this.originMs) / this.slotMs));
    for (let begun = Math.max(this.slot + 1, slot - SLOTS + 1); begun <= slot; begun++) {
      this.used -= this.counts[begun % SLOTS]!;
      this.counts[begun % SLOTS] = 0;
    }
    this.slot = slot;
    if (this.used > 0) return;
    this.originMs = nowMs;
    this.slot = 0;
  }

  private resetMs(nowMs: number): number {
    let oldest = Math.max(0, this.slot - SLOTS + 1);
    while (oldest < this.slot && this.counts[oldest % SLOTS] === 0) oldest += 1;
    return Math.min(this.windowMs, this.originMs + (oldest + SLOTS) * this.slotMs - nowMs);
  }
}
