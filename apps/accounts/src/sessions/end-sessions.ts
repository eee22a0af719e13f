import { SessionRevoked } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { ACCESS_LEEWAY_SECONDS, type SignedIn } from '@evenkeel/platform/auth';
import { announce } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, MoreThan, Not, type EntityManager } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { SecurityEvents } from '../security/security-events';
import { lockUser } from '../users/lock-user';
import { Session, StoredRefreshToken } from '../users/users.entities';
import { transactionInTurn } from '../users/turn-of-user';

/** Which of the live sessions of a user; `beyond`: all but so many of the newest. */
export type Ending = { all: true } | { only: string } | { except: string } | { beyond: number };

/** Ends sessions before their time, and tells the other services, which would take their access tokens until those end. */
@Injectable()
export class EndSessions {
  constructor(
    private readonly config: AccountsConfig,
    private readonly clock: Clock,
    private readonly events: SecurityEvents,
    private readonly dataSource: DataSource,
  ) {}

  /** One session, which may be over, in a transaction of its own. */
  async end({ userId, sessionId }: SignedIn): Promise<void> {
    await transactionInTurn(this.dataSource, userId, async (tx) => {
      await lockUser(tx, userId);
      await this.execute(tx, userId, { only: sessionId });
    });
  }

  /**
   * @param tx has locked the user (`lockUser`)
   * @returns the sessions that were live until now
   */
  async execute(tx: EntityManager, userId: string, ending: Ending): Promise<string[]> {
    const now = this.clock.now();
    const live = await tx.find(Session, {
      select: { id: true },
      where: {
        userId,
        revokedAt: IsNull(),
        expiresAt: MoreThan(now),
        ...('only' in ending && { id: ending.only }),
        ...('except' in ending && { id: Not(ending.except) }),
      },
      order: { signedInAt: 'DESC', id: 'DESC' },
      skip: 'beyond' in ending ? ending.beyond : 0,
    });
    if (live.length === 0) return [];
    const sessionIds = live.map(({ id }) => id).sort();
    await tx.update(Session, { id: In(sessionIds) }, { revokedAt: now });
    const unused = { sessionId: In(sessionIds), usedAt: IsNull(), revokedAt: IsNull() };
    await tx.update(StoredRefreshToken, unused, { revokedAt: now });
    const ended = sessionIds.map((sessionId) => ({ kind: 'session_revoked', userId, sessionId }) as const);
    await this.events.record(tx, ...ended);
    const lastTokenMs = now.getTime() + (this.config.ACCESS_TTL_SECONDS + ACCESS_LEEWAY_SECONDS) * 1_000;
    const accessTokensUntil = new Date(lastTokenMs).toISOString();
    const data = { userId, sessionIds, accessTokensUntil, revokedAt: now.toISOString() };
    await announce(tx, SessionRevoked, { key: userId, subject: userId, occurredAt: now, data });
    return sessionIds;
  }
}
