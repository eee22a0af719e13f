import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { tierAt } from '../entitlements/plan-refusals';
import type { Origin } from '../security/mail-address';
import { callerHash, SecurityEvents } from '../security/security-events';
import { type AccountUser, userView } from '../users/account-user';
import { Session, StoredRefreshToken } from '../users/users.entities';
import { EndSessions } from './end-sessions';
import { IssueTokens } from './issue-tokens';
import type { SignedInView } from './token-views';

const DAY_MS = 86_400_000;
/** One more ends the oldest. */
const LIVE_MOST = 20;

/** From where somebody signs in. */
export interface Device extends Origin {
  userAgent: string | null;
}

/** Opens a session for somebody who has just shown who they are. */
@Injectable()
export class StartSession {
  constructor(
    private readonly config: AccountsConfig,
    private readonly clock: Clock,
    private readonly tokens: IssueTokens,
    private readonly endSessions: EndSessions,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Session and first refresh token are rows of `tx`.
   * @param tx has locked the user (`lockUser`), or has just made them: where that fails, so does all behind it
   */
  async execute(
    tx: EntityManager,
    user: Omit<AccountUser, 'sessionId' | 'signedInAt'>,
    device: Device,
    kind: 'registered' | 'sign_in',
  ): Promise<SignedInView> {
    const { userId } = user;
    const now = this.clock.now();
    const sessionId = uuidv7(now);
    const endsAt = new Date(now.getTime() + this.config.SESSION_MAX_DAYS * DAY_MS);
    const expiresAt = this.tokens.expiryOf(endsAt);
    const refresh = this.tokens.firstRefreshToken();
    await this.endSessions.execute(tx, userId, { beyond: LIVE_MOST - 1 });
    const { userAgent, network, caller } = device;
    const begun = { signedInAt: now, lastUsedAt: now, expiresAt, endsAt };
    const from = { userAgent, network, callerHash: callerHash(caller) };
    await tx.insert(Session, { id: sessionId, userId, ...from, ...begun });
    const token = { id: uuidv7(now), tokenHash: refresh.hash, keyId: refresh.keyId };
    await tx.insert(StoredRefreshToken, { ...token, sessionId, createdAt: now, expiresAt });
    await this.events.record(tx, { kind, userId, sessionId, network, caller });
    const subject = { userId, sessionId, tier: tierAt(user.accessUntil, now), signedInAt: now };
    return { ...this.tokens.pair(subject, refresh, expiresAt), user: userView(user, now) };
  }
}
