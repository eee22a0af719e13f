import { Deadline, DeadlineExceeded } from '../calls/deadline';

const MOST_AT_ONCE = 2;
/** An attempt takes so long when it meets a lock: the lock time-out of the connections. */
export const ATTEMPT_MS = 200;
/** For what no request waits for: two seconds, and what a deadline keeps back. */
const UNATTENDED_BUDGET_MS = 2_400;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Where a row waits whose wallet somebody else has locked: beside the batches, which go on without it. Two wallets are at
 * work at once, one row of each, and the wallets take turns, so that none of them waits for all the rows of another.
 */
export class WalletLane {
  /** Who waits, by wallet; the wallets in the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private readonly working = new Set<string>();

  has(wallet: string): boolean {
    return this.working.has(wallet) || this.waiting.has(wallet);
  }

  /**
   * Tries until it meets no lock any more.
   * @param attempt waits for a lock itself, for a short time
   * @throws DeadlineExceeded once there is no time for another one, and what an attempt throws for other reasons
   */
  async run<Result>(
    wallet: string,
    attempt: () => Promise<Result>,
    deadline = new Deadline(UNATTENDED_BUDGET_MS),
  ): Promise<Result> {
    for (;;) {
      await this.turn(wallet);
      try {
        // What would come too late is not begun: its answer would be recorded and never given.
        if (deadline.leftMs < ATTEMPT_MS) throw new DeadlineExceeded();
        return await attempt();
      } catch (error) {
        if (!isLocked(error)) throw error;
      } finally {
        this.end(wallet);
      }
    }
  }

  private turn(wallet: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.waiting.get(wallet);
      if (waiting) waiting.push(resolve);
      else this.waiting.set(wallet, [resolve]);
      this.begin();
    });
  }

  private begin(): void {
    for (const [wallet, waiting] of this.waiting) {
      if (this.working.size >= MOST_AT_ONCE) return;
      if (this.working.has(wallet)) continue;
      this.working.add(wallet);
      waiting.shift()!();
      if (waiting.length === 0) this.waiting.delete(wallet);
    }
  }

  /** Its next row waits behind all other wallets. */
  private end(wallet: string): void {
    this.working.delete(wallet);
    const waiting = this.waiting.get(wallet);
    if (waiting) {
      this.waiting.delete(wallet);
      this.waiting.set(wallet, waiting);
    }
    this.begin();
  }
}

/** For a batch that met a lock which it could not pass over. */
export function lockedOrThrow(error: unknown): 'locked' {
  if (isLocked(error)) return 'locked';
  throw error;
}

function isLocked(error: unknown): boolean {
  return (error as { code?: string }).code === LOCK_NOT_AVAILABLE;
}
