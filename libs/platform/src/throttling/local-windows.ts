import type { Rate } from '../config';
import { RateWindows, type LimitStatus } from './rate-windows.port';
import { SlidingWindow } from './sliding-window';

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

  override take(key: string, { limit, windowSeconds }: Rate): LimitStatus {
    const nowMs = this.nowMs();
    const generations = this.generationsOf(windowSeconds);
    const window = generations.find(key, nowMs) ?? generations.add(key, nowMs);
    return window.take(nowMs, limit);
  }

  override giveBack(key: string, { windowSeconds }: Rate): void {
    const nowMs = this.nowMs();
    this.generationsOf(windowSeconds).find(key, nowMs)?.giveBack(nowMs);
  }

  override look(key: string, { limit, windowSeconds }: Rate): LimitStatus {
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
