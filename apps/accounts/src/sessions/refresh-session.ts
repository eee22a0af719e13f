import { Clock, DomainError, uuidv7 } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, MoreThan, type EntityManager } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import { tierAt } from '../entitlements/plan-refusals';
import { hashOfToken } from '../security/opaque-tokens';
import { SecurityEvents } from '../security/security-events';
import { ACCESS_UNTIL } from '../users/account-user';
import { lockUser } from '../users/lock-user';
import { Session, StoredRefreshToken } from '../users/users.entities';
import { EndSessions } from './end-sessions';
import { IssueTokens, type RefreshToken } from './issue-tokens';
import type { TokenPair } from './token-views';
import { transactionInTurn } from '../users/turn-of-user';

/** A refresh token of ours, whatever has become of it. */
export interface FoundToken {
  id: string;
  sessionId: string;
  userId: string;
  /** As it was sent. */
  clear: string;
}

/** Unknown, expired, or of a session that is over. */
export class InvalidRefreshToken extends DomainError {
  readonly kind = 'unauthorized';
  readonly code = 'invalid_refresh_token';
  constructor() {
    super('The refresh token is unknown, or its session is over. Sign in again.');
  }
}

export class RefreshTokenReused extends DomainError {
  readonly kind = 'unauthorized';
  readonly code = 'refresh_token_reused';
  constructor() {
    super('The refresh token was used before: somebody else may have it. The session has ended; sign in again.');
  }
}

/** A refresh token with its session and its successor, once nothing about them can change any more. */
interface Presented {
  keyId: string;
  usedAt: Date | null;
  successorUsedAt: Date | null;
  sessionId: string;
  signedInAt: Date;
  expiresAt: Date;
  endsAt: Date;
  accessUntil: Date | null;
}

/** SQL: joins four tables, so that all is read from one state of the database. */
const READ = `
  SELECT t.key_id AS "keyId", t.used_at AS "usedAt", next.used_at AS "successorUsedAt", s.id AS "sessionId",
    s.signed_in_at AS "signedInAt", s.expires_at AS "expiresAt", s.ends_at AS "endsAt",
    ${ACCESS_UNTIL} AS "accessUntil"
  FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id
    LEFT JOIN refresh_tokens next ON next.parent_id = t.id LEFT JOIN entitlements e ON e.user_id = s.user_id
  WHERE t.id = $1 AND s.revoked_at IS NULL AND s.expires_at > $2`;

/** Exchanges a refresh token for the next pair of its family. */
@Injectable()
export class RefreshSession {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly tokens: IssueTokens,
    private readonly endSessions: EndSessions,
    private readonly events: SecurityEvents,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /** Whatever has become of it; null for none of ours. */
  async find(clear: string): Promise<FoundToken | null> {
    const where = { tokenHash: hashOfToken(clear) };
    const [found] = await this.dataSource.manager.find(StoredRefreshToken, { where, relations: { session: true } });
    return found ? { id: found.id, sessionId: found.sessionId, userId: found.session!.userId, clear } : null;
  }

  /**
   * A token is consumed once and has one successor. While that was never used the answer may not have arrived: the same
   * token gets the same successor again. A token whose successor was used is old, and its sender is not the
   * only one who has it: the session ends.
   * @throws InvalidRefreshToken, RefreshTokenReused
   */
  async execute(found: FoundToken): Promise<TokenPair> {
    const pair = await transactionInTurn(this.dataSource, found.userId, async (tx) => {
      const user = await lockUser(tx, found.userId);
      // Behind the lock: this sees what the transaction before has written.
      const [presented] = await tx.query<Presented[]>(READ, [found.id, this.clock.now()]);
      if (!user || !presented) throw new InvalidRefreshToken();
      if (presented.successorUsedAt) return this.endReused(tx, found);
      const next = this.successorOf(found, presented);
      const expiresAt = presented.usedAt ? presented.expiresAt : await this.consume(tx, found, presented, next);
      this.crash.pass('before_commit');
      const tier = tierAt(presented.accessUntil, this.clock.now());
      const { sessionId, signedInAt } = presented;
      return this.tokens.pair({ userId: found.userId, sessionId, tier, signedInAt }, next, expiresAt);
    });
    this.crash.pass('after_commit');
    if (!pair) throw new RefreshTokenReused();
    return pair;
  }

  /** Under the present key, whatever key was present when this token was made: keys rotate without an end to sessions. */
  private successorOf({ clear }: FoundToken, { usedAt, keyId }: Presented): RefreshToken {
    const next = this.tokens.successorOf(clear, usedAt ? keyId : this.tokens.presentKeyId);
    if (!next) throw new InvalidRefreshToken();
    return next;
  }

  /** Stores the successor; the session lives on. */
  private async consume(
    tx: EntityManager,
    { id }: FoundToken,
    { sessionId, endsAt }: Presented,
    { hash, keyId }: RefreshToken,
  ): Promise<Date> {
    const now = this.clock.now();
    const expiresAt = this.tokens.expiryOf(endsAt);
    const live = { id, usedAt: IsNull(), revokedAt: IsNull(), expiresAt: MoreThan(now) };
    const { affected } = await tx.update(StoredRefreshToken, live, { usedAt: now, keyId });
    if (affected === 0) throw new InvalidRefreshToken();
    const successor = { id: uuidv7(now), sessionId, parentId: id, tokenHash: hash, keyId };
    await tx.insert(StoredRefreshToken, { ...successor, createdAt: now, expiresAt });
    await tx.update(Session, { id: sessionId }, { lastUsedAt: now, expiresAt });
    return expiresAt;
  }

  private async endReused(tx: EntityManager, { userId, sessionId }: FoundToken): Promise<null> {
    await this.endSessions.execute(tx, userId, { only: sessionId });
    await this.events.record(tx, { kind: 'refresh_reused', userId, sessionId });
    return null;
  }
}
