import { createHash } from 'node:crypto';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import type { SignedIn } from '@evenkeel/platform/auth';
import type { Rate } from '@evenkeel/platform/config';
import { RateLimited } from '@evenkeel/platform/http';
import { Injectable, Global, Module } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { lockSignedIn } from '../users/lock-user';
import { User, type LiveUser } from '../users/users.entities';
import { BreachedPasswords, CommonPasswords, PasswordFile } from './breached-passwords';
import { triedAddressKey, type Origin } from './mail-address';
import { InvalidCredentials, Passwords } from './passwords';
import { callerHash, SecurityEvents, type SecurityEvent } from './security-events';
import { transactionInTurn } from '../users/turn-of-user';

/** Somebody tries a password. */
export interface Attempt {
  /** As typed. */
  email: string;
  password: string;
  from: Origin;
}

/** An account whose password is compared. */
export interface Guarded {
  userId: string;
  /** Null when it is deleted. */
  passwordHash: string | null;
}

/** Ends the failures for an address from a caller, as a part of what a right password is given for. */
export type Forget = (tx: EntityManager) => Promise<void>;

/** Runs a transaction that holds the lock on the row of the user, and in which password and session are still right. */
export type Confirmed = <Result>(work: (tx: EntityManager, user: LiveUser) => Promise<Result>) => Promise<Result>;

/** SQL alone: failures are counted and forgotten, and no row of them is ever read. */
const COUNT = `
  SELECT count(*) FILTER (WHERE network = $2 AND failed_at > $3)::integer AS here,
    min(failed_at) FILTER (WHERE network = $2 AND failed_at > $3) AS "oldestHere",
    count(*) FILTER (WHERE failed_at > $4)::integer AS anywhere, min(failed_at) FILTER (WHERE failed_at > $4) AS oldest
  FROM login_failures WHERE address_hash = $1 AND failed_at > least($3::timestamptz, $4::timestamptz)`;

/** Unless it is one too many: then the caller learns only that. */
const COUNT_ONE_MORE = `
  WITH failures AS (${COUNT}), counted AS (
    INSERT INTO login_failures (id, address_hash, network, failed_at)
    SELECT $5, $1, $2, $6 WHERE (SELECT here FROM failures) < $7
  )
  SELECT * FROM failures`;

/** By a sign-in, or by a session that lasted longer than that is remembered. Old rows have no caller: then their network decides. */
const IS_KNOWN = `
  SELECT EXISTS (
    SELECT FROM security_events
    WHERE user_id = $1 AND kind IN ('registered', 'sign_in') AND occurred_at > $2
      AND (caller_hash = $3 OR (caller_hash IS NULL AND network = $4))
  ) OR EXISTS (
    SELECT FROM sessions WHERE user_id = $1 AND caller_hash = $3 AND least(expires_at, revoked_at) > $2
  ) AS "isKnown"`;
const KNOWN_MS = 90 * 86_400_000;

/** A row that is locked is being forgotten by somebody else. */
const FORGET = `
  DELETE FROM login_failures WHERE id IN (
    SELECT id FROM login_failures WHERE address_hash = $1 AND network = $2 FOR UPDATE SKIP LOCKED)`;

/** Hashes of the address, and of the caller as text. */
type Key = [Buffer, string];

interface Failures {
  here: number;
  oldestHere: Date | null;
  anywhere: number;
  oldest: Date | null;
}

/**
 * Ends guessing. After so many wrong passwords for an address from one caller, that caller waits, whatever they send. After so many
 * from anywhere, all wait but those from where this account was signed in before.
 */
@Injectable()
export class Lockout {
  private readonly here: Rate;
  private readonly anywhere: Rate;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly events: SecurityEvents,
    { rates }: AccountsConfig,
  ) {
    this.here = rates.loginFailures;
    this.anywhere = rates.loginFailuresAnywhere;
  }

  /**
   * Checks a password, and goes on when it is right. Only a wrong one is a failure, recorded when it is known to be wrong: a right
   * password is not refused for others that are tried beside it.
   * @param find none: there is no account with this address; all the same is done for it
   * @param goOn a success forgets the failures of its caller: in its transaction
   * @throws InvalidCredentials, RateLimited while locked out or when too many wait
   */
  async attempt<User extends Guarded, Result>(
    { email, password, from }: Attempt,
    find: (tx: EntityManager) => Promise<User[]>,
    goOn: (user: User, forget: Forget) => Promise<Result>,
  ): Promise<Result> {
    const key: Key = [hashOfAddress(email), callerHash(from.caller).toString('base64url')];
    const { manager } = this.dataSource;
    const [failures] = await manager.query<[Failures]>(COUNT, [...key, ...this.since()]);
    const [user] = await find(manager);
    await this.assertMayTry(manager, failures, user, from);
    const isRight = await this.passwords.matches(password, user?.passwordHash ?? null);
    const forget: Forget = async (tx) => {
      await tx.query(FORGET, key);
    };
    try {
      if (!user || !isRight) throw new InvalidCredentials();
      return await goOn(user, forget);
    } catch (error) {
      // Also one that was right when it was compared, and is not any more.
      if (error instanceof InvalidCredentials) {
        await this.recordFailure(key, { userId: user?.userId ?? null, network: from.network });
      }
      throw error;
    }
  }

  /**
   * The same for somebody who is signed in. Password and session are looked at again behind the lock on the row of the user:
   * another request may have changed the one or ended the other while this one was compared or waited.
   * @throws as attempt, Unauthorized when the session has ended meanwhile
   */
  confirm<Result>(attempt: Attempt & SignedIn, goOn: (confirmed: Confirmed) => Promise<Result>): Promise<Result> {
    const find = async (tx: EntityManager): Promise<Guarded[]> =>
      (await tx.findBy(User, { id: attempt.userId })).map(({ id: userId, passwordHash }) => ({ userId, passwordHash }));
    return this.attempt(attempt, find, ({ passwordHash }, forget) =>
      goOn((work) =>
        transactionInTurn(this.dataSource, attempt.userId, async (tx) => {
          const locked = await lockSignedIn(tx, attempt);
          if (locked.passwordHash !== passwordHash) throw new InvalidCredentials();
          await forget(tx);
          return work(tx, locked);
        }),
      ),
    );
  }

  /** Ends every lock of an address: forgets the failures for it, from wherever they came. */
  async forget(tx: EntityManager, email: string): Promise<void> {
    await tx.query(`DELETE FROM login_failures WHERE address_hash = $1`, [hashOfAddress(email)]);
  }

  /** Where the windows begin: of one caller, of all. */
  private since(): Date[] {
    const now = this.clock.now().getTime();
    return [this.here, this.anywhere].map(({ windowSeconds }) => new Date(now - windowSeconds * 1_000));
  }

  /** @throws RateLimited */
  private async assertMayTry(
    on: EntityManager,
    { here, oldestHere, anywhere, oldest }: Failures,
    user: Guarded | undefined,
    from: Origin,
  ): Promise<void> {
    if (here >= this.here.limit) throw this.refusal(this.here, oldestHere);
    if (anywhere < this.anywhere.limit) return;
    const since = new Date(this.clock.now().getTime() - KNOWN_MS);
    const values = [user?.userId, since, callerHash(from.caller), from.network];
    const [{ isKnown }] = await on.query<[{ isKnown: boolean }]>(IS_KNOWN, values);
    if (!isKnown) throw this.refusal(this.anywhere, oldest);
  }

  private refusal(rate: Rate, oldest: Date | null): RateLimited {
    const now = this.clock.now();
    return tooOften(rate, oldest ?? now, now);
  }

  /**
   * Wrong passwords that were tried at the same time are counted one after the other. The lockout is recorded as it begins, not
   * for every attempt during it.
   * @throws RateLimited when others have used up what was left
   */
  private async recordFailure(key: Key, of: Pick<SecurityEvent, 'userId' | 'network'>): Promise<void> {
    const now = this.clock.now();
    const [{ here, oldestHere }] = await this.dataSource.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [key[0].toString('hex')]);
      return tx.query<[Failures]>(COUNT_ONE_MORE, [...key, ...this.since(), uuidv7(now), now, this.here.limit]);
    });
    if (here >= this.here.limit) throw this.refusal(this.here, oldestHere);
    const kinds = ['sign_in_failed', ...(here + 1 >= this.here.limit ? ['locked_out' as const] : [])] as const;
    await this.events.record(this.dataSource, ...kinds.map((kind) => ({ kind, ...of })));
  }
}

/** Of an account: until the oldest of what it counts is past. */
export function tooOften({ limit, windowSeconds }: Rate, oldest: Date, now: Date): RateLimited {
  const waitMs = oldest.getTime() + windowSeconds * 1_000 - now.getTime();
  const details = { scope: 'account', limit, window_seconds: windowSeconds };
  return new RateLimited(details, Math.max(1, Math.ceil(waitMs / 1_000)));
}

function hashOfAddress(email: string): Buffer {
  return createHash('sha256').update(triedAddressKey(email)).digest();
}

const breachedPasswords = {
  provide: BreachedPasswords,
  inject: [AccountsConfig],
  useFactory: ({ BREACH_LIST_FILE: file, BREACH_THRESHOLD: threshold }: AccountsConfig) =>
    file === undefined ? new CommonPasswords() : PasswordFile.open(file, threshold),
};

/** Passwords, tokens and limits of sign-in. */
@Global()
@Module({
  providers: [breachedPasswords, Passwords, Lockout, SecurityEvents],
  exports: [Passwords, Lockout, SecurityEvents],
})
export class SecurityModule {}
