import { openPool } from '@evenkeel/platform/persistence';
import type { DataSource } from 'typeorm';
import { Deadline, DeadlineExceeded } from '../calls/call';

type Pool = ReturnType<typeof openPool>;

/** For claims and for settlements one batch each, and two rows beside it (`WalletQueue`). */
const CONNECTIONS = 6;
const MOST_AT_ONCE = 2;
/** An attempt takes so long when it meets a lock: the lock time-out of the connections. */
const ATTEMPT_MS = 200;
/** For work that no request waits for: two seconds, and what a deadline holds back. */
const UNATTENDED_BUDGET_MS = 2_400;
const LOCK_NOT_AVAILABLE = '55P03';

const pools = new WeakMap<DataSource, Pool>();

/** The connections of claims and settlements, so that they never wait with whatever else reads and writes the ledger. */
export function ledgerPool(dataSource: DataSource): Pool {
  let pool = pools.get(dataSource);
  if (!pool) {
    pool = openPool(dataSource.options, { max: CONNECTIONS, lockTimeoutMs: ATTEMPT_MS });
    pools.set(dataSource, pool);
  }
  return pool;
}

export async function closeLedgerPool(dataSource: DataSource): Promise<void> {
  const pool = pools.get(dataSource);
  pools.delete(dataSource);
  await pool?.end();
}

/**
 * Where a row waits whose wallet another session has locked: beside the batches, which go on without it. Two wallets are
 * served at once, one row of each, and the wallets take turns, so that none of them waits for all the rows of another.
 */
export class WalletQueue {
  /** Waiting rows by wallet; the wallets in the order of their turns. */
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
        // An attempt that would end too late is not begun: its answer would be recorded and never given.
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
