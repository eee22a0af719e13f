import { SessionRevoked } from '@evenkeel/contracts';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import { ACCESS_LEEWAY_SECONDS, AccessTokens, type SignedIn } from '@evenkeel/platform/auth';
import { insertIntoOutbox, nextNumber } from '@evenkeel/platform/messaging';
import { currentTraceparent } from '@evenkeel/platform/observability';
import { queryPrepared } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { type EntityManager, DataSource } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { lockUser } from '../users/lock-user';

/** Which of the live sessions of a user; `beyond`: all but so many of the newest. */
export type Ending = { all: true } | { only: string } | { except: string } | { beyond: number };

const EVENT = {
  ...{ id: '$6', topic: '$7', key: 'numbered.aggregate', number: 'numbered.number', type: '$8' },
  ...{ subject: 'numbered.aggregate', occurredAt: '$2', traceparent: '$10' },
  payload: `$9::jsonb || jsonb_build_object('sessionIds', told.ids)`,
};

/** One statement, so that nothing behind it has to wait for which sessions have ended. */
const END = `
  WITH ended AS (
    UPDATE sessions SET revoked_at = $2 WHERE revoked_at IS NULL AND id IN (
      SELECT id FROM sessions
      WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
        AND ($3::uuid IS NULL OR id = $3) AND ($4::uuid IS NULL OR id <> $4)
      ORDER BY signed_in_at DESC, id DESC OFFSET $5)
    RETURNING id
  ), tokens AS (
    UPDATE refresh_tokens SET revoked_at = $2
    WHERE session_id IN (SELECT id FROM ended) AND used_at IS NULL AND revoked_at IS NULL
  ), recorded AS (
    INSERT INTO security_events (id, user_id, session_id, kind, occurred_at)
    SELECT gen_random_uuid(), $1, id, 'session_revoked', $2 FROM ended
  ), told AS (
    SELECT $1::uuid::text AS aggregate, json_agg(id ORDER BY id) AS ids FROM ended HAVING count(*) > 0
  ), numbered AS (${nextNumber('SELECT aggregate, 1 FROM told')}), announced AS (${insertIntoOutbox(EVENT, 'numbered, told')})
  SELECT id FROM ended ORDER BY id`;

/** Ends sessions before their time, and tells the other services, which would take their access tokens until those end. */
@Injectable()
export class EndSessions {
  constructor(
    private readonly config: AccountsConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * @param tx has locked the user (`lockUser`)
   * @returns the sessions that were live until now
   */
  async execute(tx: EntityManager, userId: string, ending: Ending): Promise<string[]> {
    const now = this.clock.now();
    const lastTokenMs = now.getTime() + (this.config.ACCESS_TTL_SECONDS + ACCESS_LEEWAY_SECONDS) * 1_000;
    const accessTokensUntil = new Date(lastTokenMs).toISOString();
    const ended = await queryPrepared<{ id: string }[]>(tx, END, [
      ...[userId, now],
      ...['only' in ending ? ending.only : null, 'except' in ending ? ending.except : null],
      ...['beyond' in ending ? ending.beyond : 0, uuidv7(now), SessionRevoked.stream, SessionRevoked.type],
      ...[JSON.stringify({ userId, accessTokensUntil, revokedAt: now.toISOString() }), currentTraceparent()],
    ]);
    return ended.map(({ id }) => id);
  }
}

/** Ends the session of somebody who leaves. */
@Injectable()
export class Logout {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accessTokens: AccessTokens,
    private readonly endSessions: EndSessions,
  ) {}

  /**
   * Also of a session that is over.
   * @throws Unauthorized for a token that is none of ours, or not any more
   */
  async sessionOfAccessToken(token: string): Promise<SignedIn> {
    const { sub, sid } = await this.accessTokens.claimsOf(token);
    return { userId: sub, sessionId: sid };
  }

  async execute({ userId, sessionId }: SignedIn): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await lockUser(tx, userId);
      await this.endSessions.execute(tx, userId, { only: sessionId });
    });
  }
}
