import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type Rate, scaled } from '../config';
import { type LimitStatus, RateWindows } from './rate-windows.port';
import type { LocalWindows } from './local-windows';
import type { RedisWindows } from './redis-windows';

const PROBE_EVERY_MS = 200;

/**
 * Windows shared by all replicas for as long as Redis answers, and otherwise of each process with its part of the limit.
 * The first hit that gets no answer changes over, a probe in the background changes back: no request waits for a Redis
 * that is known to be silent. Every hit is counted in process too, so that a change over, or a Redis that comes back
 * empty, does not begin the window of this process again.
 */
export class SharedWindows extends RateWindows implements OnApplicationShutdown {
  private readonly logger = new Logger('rate-limits');
  private readonly refusals: Refusals;
  private probing?: NodeJS.Timeout;
  private decidedAlone = 0;

  /** @param replicas processes that share a limit */
  constructor(
    private readonly redis: RedisWindows,
    private readonly local: LocalWindows,
    private readonly replicas: number,
  ) {
    super();
    this.refusals = new Refusals(() => performance.now());
  }

  override get degradedTotal(): number {
    return this.decidedAlone;
  }

  override storeAnswers(): Promise<boolean> {
    return this.redis.probe().then(
      () => true,
      () => false,
    );
  }

  override take(key: string, rate: Rate): Promise<LimitStatus> {
    return this.decide(key, rate, 'take');
  }

  override giveBack(key: string, rate: Rate): void {
    this.local.giveBack(key, rate);
    this.refusals.forget(key);
    if (!this.probing) this.redis.giveBack(key, rate).catch((error: unknown) => this.countAlone(error));
  }

  override look(key: string, rate: Rate): Promise<LimitStatus> {
    return this.decide(key, rate, 'look');
  }

  /** Tries Redis once, so that a process knows from its first request on whether it counts alone. */
  async begin(): Promise<void> {
    await this.redis.probe().catch((error: unknown) => this.countAlone(error));
  }

  onApplicationShutdown(): void {
    clearInterval(this.probing);
    this.redis.close();
  }

  private async decide(key: string, rate: Rate, act: 'take' | 'look'): Promise<LimitStatus> {
    if (this.probing) return this.alone(key, rate, act);
    // A caller far over its limit costs Redis nothing.
    const refused = this.refusals.statusOf(key, rate);
    if (refused) return refused;
    const own = await this.local.look(key, rate);
    return own.allowed ? this.together(key, rate, act) : own;
  }

  private async together(key: string, rate: Rate, act: 'take' | 'look'): Promise<LimitStatus> {
    let status: LimitStatus;
    try {
      status = await this.redis[act](key, rate);
    } catch (error) {
      this.countAlone(error);
      return this.alone(key, rate, act);
    }
    if (!status.allowed) this.refusals.add(key, rate, status);
    else if (act === 'take') await this.local.take(key, rate);
    return status;
  }

  private alone(key: string, rate: Rate, act: 'take' | 'look'): Promise<LimitStatus> {
    this.decidedAlone += 1;
    return this.local[act](key, scaled(rate, 1 / this.replicas));
  }

  private countAlone(error: unknown): void {
    if (this.probing) return;
    this.logger.warn({ message: 'Redis does not answer: each process counts for itself', error });
    this.probing = setInterval(() => void this.probe(), PROBE_EVERY_MS).unref();
  }

  private async probe(): Promise<void> {
    try {
      await this.redis.probe();
    } catch {
      return;
    }
    if (!this.probing) return;
    clearInterval(this.probing);
    this.probing = undefined;
    this.logger.log({
      message: 'Redis answers: the processes count together again',
      degradedTotal: this.degradedTotal,
    });
  }
}

const MAX_KEYS = 10_000;
/** Hits that another replica takes back are seen after this time. */
const MAX_REMEMBERED_MS = 1_000;

interface Refusal {
  limit: number;
  used: number;
  untilMs: number;
  askAgainMs: number;
}

/** Refusals of the shared windows, remembered for a second, or until a repeat may be allowed. */
class Refusals {
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

  /** Null when Redis must be asked. A refusal says nothing about a higher limit. */
  statusOf(key: string, { limit }: Rate): LimitStatus | null {
    const refusal = this.byKey.get(key);
    if (!refusal) return null;
    const nowMs = this.nowMs();
    const { used, untilMs, askAgainMs } = refusal;
    if (nowMs < askAgainMs && limit <= refusal.limit) return { allowed: false, used, resetMs: untilMs - nowMs };
    this.byKey.delete(key);
    return null;
  }
}
