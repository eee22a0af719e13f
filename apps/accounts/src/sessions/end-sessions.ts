import { SessionRevoked } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { ACCESS_LEEWAY_SECONDS } from '@evenkeel/platform/auth';
import { announce } from '@evenkeel/platform/messaging';
import { together } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { SecurityEvents } from '../security/security-events';

/** Which of the live sessions of a user. */
export type Ending = { all: true } | { only: readonly string[] } | { except: string };

const END = `
  UPDATE sessions SET revoked_at = $2
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2 AND ($3::uuid[] IS NULL OR id = ANY($3::uuid[]))
    AND ($4::uuid IS NULL OR id <> $4::uuid)
  RETURNING id`;
const END_TOKENS = `
  UPDATE refresh_tokens SET revoked_at = $2
  WHERE session_id = ANY($1::uuid[]) AND used_at IS NULL AND revoked_at IS NULL`;

/** Ends sessions before their time, and tells the other services, which would take their access tokens until those end. */
@Injectable()
export class EndSessions {
  constructor(
    private readonly config: AccountsConfig,
    private readonly clock: Clock,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * @param tx has locked the user (`lockUser`)
   * @returns the sessions that were live until now
   */
  async execute(tx: EntityManager, userId: string, ending: Ending): Promise<string[]> {
    const now = this.clock.now();
    const only = 'only' in ending ? ending.only : null;
    const except = 'except' in ending ? ending.except : null;
    const [ended] = await tx.query<[{ id: string }[], number]>(END, [userId, now, only, except]);
    const sessionIds = ended.map(({ id }) => id).sort();
    if (sessionIds.length === 0) return [];
    const events = sessionIds.map((sessionId) => ({ kind: 'session_revoked' as const, userId, sessionId }));
    const lastTokenMs = now.getTime() + (this.config.ACCESS_TTL_SECONDS + ACCESS_LEEWAY_SECONDS) * 1_000;
    const accessTokensUntil = new Date(lastTokenMs).toISOString();
    const data = { userId, sessionIds, accessTokensUntil, revokedAt: now.toISOString() };
    await together([
      tx.query(END_TOKENS, [sessionIds, now]),
      this.events.record(tx, ...events),
      announce(tx, SessionRevoked, { key: userId, subject: userId, occurredAt: now, data }),
    ]);
    return sessionIds;
  }
}
