import { createHash } from 'node:crypto';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import type { Rate } from '@evenkeel/platform/config';
import { RateLimited } from '@evenkeel/platform/http';
import { transactTogether } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { InvalidCredentials, Passwords } from './passwords';
import { SecurityEvents, type SecurityEvent } from './security-events';

/** Somebody tries a password. */
export interface Attempt {
  /** As typed. */
  email: string;
  password: string;
  /** Shortened address of the caller: a lockout holds for it alone. */
  network: string;
}

/** An account whose password is compared. */
export interface Guarded {
  userId: string;
  /** Null when it is deleted. */
  passwordHash: string | null;
}

const COUNT = `
  WITH recent AS (
    SELECT failed_at FROM login_failures WHERE address_hash = $1 AND network = $2 AND failed_at > $3
  ), counted AS (
    INSERT INTO login_failures (id, address_hash, network, failed_at)
    SELECT $4, $1, $2, $5 WHERE (SELECT count(*) FROM recent) < $6
  )
  SELECT count(*)::integer AS before, min(failed_at) AS oldest FROM recent`;

/** Ends the failures for an address from a network, as a part of what a right password is given for. */
export type Forget = (tx: EntityManager) => Promise<void>;

/** A row that is locked is being forgotten by somebody else. */
const FORGET = `
  DELETE FROM login_failures WHERE id IN (
    SELECT id FROM login_failures WHERE address_hash = $1 AND network = $2 FOR UPDATE SKIP LOCKED)`;

const FIND = `SELECT id AS "userId", password_hash AS "passwordHash" FROM users WHERE id = $1`;

/** Hash of the address, and network. */
type Key = [Buffer, string];

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
    private readonly passwords: Passwords,
    private readonly events: SecurityEvents,
    { rates }: AccountsConfig,
  ) {
    this.rate = rates.loginFailures;
  }

  /**
   * Checks a password, and goes on when it is right. The attempt counts as a failure from its beginning: attempts at the same time
   * do not pass the limit together.
   * @param find none: there is no account with this address; all the same is done for it
   * @param goOn a success forgets all failures: in its transaction; an attempt that fails for another reason than the
   * password does not count
   * @throws InvalidCredentials, RateLimited while locked out or when too many wait: then the attempt does not count
   */
  async attempt<User extends Guarded, Result>(
    { email, password, network }: Attempt,
    find: (tx: EntityManager) => Promise<User[]>,
    goOn: (user: User, forget: Forget) => Promise<Result>,
  ): Promise<Result> {
    const key: Key = [hashOfAddress(email), network];
    const failureId = uuidv7(this.clock.now());
    const { before, user } = await this.begin(key, failureId, find);
    const withdraw = () => this.dataSource.query(`DELETE FROM login_failures WHERE id = $1`, [failureId]);
    const isRight = await this.passwords.matches(password, user?.passwordHash ?? null).catch(async (error: unknown) => {
      await withdraw();
      throw error;
    });
    if (!user || !isRight) {
      await this.recordFailure({ userId: user?.userId ?? null, network }, before + 1);
      throw new InvalidCredentials();
    }
    const forget: Forget = async (tx) => {
      await tx.query(FORGET, key);
    };
    return goOn(user, forget).catch((error: unknown) => {
      // The password was right. Not awaited: what failed may be the database.
      if (!(error instanceof InvalidCredentials)) void withdraw().catch(() => undefined);
      throw error;
    });
  }

  /** The same for somebody who is signed in. @throws as attempt */
  confirm<Result>(
    { userId, ...attempt }: Attempt & { userId: string },
    goOn: (user: Guarded, forget: Forget) => Promise<Result>,
  ): Promise<Result> {
    const find = (tx: EntityManager) => tx.query<Guarded[]>(FIND, [userId]);
    return this.attempt(attempt, find, goOn);
  }

  /** Forgets the failures for an address, from wherever they came. */
  async forget(tx: EntityManager, email: string): Promise<void> {
    await tx.query(`DELETE FROM login_failures WHERE address_hash = $1`, [hashOfAddress(email)]);
  }

  /** @returns failures before this one */
  private async begin<User>(
    key: Key,
    failureId: string,
    find: (tx: EntityManager) => Promise<User[]>,
  ): Promise<{ before: number; user: User | undefined }> {
    const { limit, windowSeconds } = this.rate;
    const now = this.clock.now();
    const since = new Date(now.getTime() - windowSeconds * 1_000);
    const [, [{ before, oldest }], [user]] = await transactTogether(this.dataSource, (tx) => [
      tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${key[0].toString('hex')} ${key[1]}`]),
      tx.query<[Recent]>(COUNT, [...key, since, failureId, now, limit]),
      find(tx),
    ]);
    if (before < limit) return { before, user };
    const waitMs = (oldest?.getTime() ?? now.getTime()) + windowSeconds * 1_000 - now.getTime();
    const details = { scope: 'account', limit, window_seconds: windowSeconds };
    throw new RateLimited(details, Math.max(1, Math.ceil(waitMs / 1_000)));
  }

  /** The lockout is recorded as it begins, not for every attempt during it. */
  private async recordFailure(of: Pick<SecurityEvent, 'userId' | 'network'>, failures: number): Promise<void> {
    const kinds = ['sign_in_failed', ...(failures >= this.rate.limit ? ['locked_out' as const] : [])] as const;
    await this.events.record(this.dataSource, ...kinds.map((kind) => ({ kind, ...of })));
  }
}

function hashOfAddress(email: string): Buffer {
  return createHash('sha256').update(email.trim().toLowerCase()).digest();
}
