import { createHash } from 'node:crypto';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import type { Rate } from '@evenkeel/platform/config';
import { RateLimited } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { SecurityEvents } from './security-events';

/** Somebody tries a password. */
export interface Attempt {
  /** As typed. */
  email: string;
  /** Shortened address of the caller: a lockout holds for it alone. */
  network: string;
  /** Null when there is no account with this address: all the same is done for it. */
  userId: string | null;
}

const COUNT = `
  WITH recent AS (
    SELECT failed_at FROM login_failures WHERE address_hash = $1 AND network = $2 AND failed_at > $3
  ), counted AS (
    INSERT INTO login_failures (id, address_hash, network, failed_at)
    SELECT $4, $1, $2, $5 WHERE (SELECT count(*) FROM recent) < $6
  )
  SELECT count(*)::integer AS before, min(failed_at) AS oldest FROM recent`;

interface Recent {
  before: number;
  oldest: Date | null;
}

/** Ends guessing: after so many failures for an address from a network, that network waits, whatever it sends. */
@Injectable()
export class Lockout {
  private readonly rate: Rate;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly events: SecurityEvents,
    { rates }: AccountsConfig,
  ) {
    this.rate = rates.loginFailures;
  }

  /**
   * Checks a password. The attempt counts as a failure from its beginning: attempts at the same time do not pass the limit
   * together. A success forgets all failures.
   * @returns whether the check held
   * @throws RateLimited while locked out, or what the check throws: then the attempt does not count
   */
  async attempt(attempt: Attempt, check: () => Promise<boolean>): Promise<boolean> {
    const key = [hashOfAddress(attempt.email), attempt.network];
    const failureId = uuidv7(this.clock.now());
    const before = await this.count(key, failureId);
    const holds = await check().catch(async (error: unknown) => {
      await this.dataSource.query(`DELETE FROM login_failures WHERE id = $1`, [failureId]);
      throw error;
    });
    if (holds) await this.dataSource.query(`DELETE FROM login_failures WHERE address_hash = $1 AND network = $2`, key);
    else await this.recordFailure(attempt, before + 1);
    return holds;
  }

  /** Forgets the failures for an address, from wherever they came. */
  async forget(tx: EntityManager, email: string): Promise<void> {
    await tx.query(`DELETE FROM login_failures WHERE address_hash = $1`, [hashOfAddress(email)]);
  }

  /** @returns failures before this one */
  private async count(key: unknown[], failureId: string): Promise<number> {
    const { limit, windowSeconds } = this.rate;
    const now = this.clock.now();
    const since = new Date(now.getTime() - windowSeconds * 1_000);
    const { before, oldest } = await this.dataSource.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
        key.map((part) => (Buffer.isBuffer(part) ? part.toString('hex') : part)).join(' '),
      ]);
      const [recent] = await tx.query<[Recent]>(COUNT, [...key, since, failureId, now, limit]);
      return recent;
    });
    if (before < limit) return before;
    const waitMs = (oldest?.getTime() ?? now.getTime()) + windowSeconds * 1_000 - now.getTime();
    const details = { scope: 'account', limit, window_seconds: windowSeconds };
    throw new RateLimited(details, Math.max(1, Math.ceil(waitMs / 1_000)));
  }

  /** The lockout is recorded as it begins, not for every attempt during it. */
  private async recordFailure({ userId, network }: Attempt, failures: number): Promise<void> {
    await this.events.record(this.dataSource, { kind: 'sign_in_failed', userId, network });
    if (failures >= this.rate.limit) await this.events.record(this.dataSource, { kind: 'locked_out', userId, network });
  }
}

function hashOfAddress(email: string): Buffer {
  return createHash('sha256').update(email.trim().toLowerCase()).digest();
}
