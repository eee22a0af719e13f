import { SessionRevoked, UserDeleted } from '@evenkeel/contracts';
import type { EventBatchConsumer, EventEnvelope } from '@evenkeel/platform/messaging';
import type { EntityManager, QueryRunner } from 'typeorm';

/** The table of ended sessions, for a service that does not have the sessions themselves. */
export async function createRevokedSessions(runner: QueryRunner): Promise<void> {
  // A session, or a user: then all of theirs.
  await runner.query(`CREATE TABLE revoked_sessions (id uuid PRIMARY KEY, until timestamptz NOT NULL)`);
  await runner.query(`CREATE INDEX revoked_sessions_by_end ON revoked_sessions (until)`);
}

export async function dropRevokedSessions(runner: QueryRunner): Promise<void> {
  await runner.query(`DROP TABLE revoked_sessions`);
}

/** No access token lives longer, whatever the settings: those of a deleted user are refused for so long. */
const LONGEST_TOKEN_MS = 3_630_000;

/**
 * Remembers sessions that ended before their time until the last of their access tokens has ended too: within a second of
 * their end, while the broker is there.
 */
export class RememberRevokedSessions implements EventBatchConsumer {
  readonly name = 'billing.remember-revoked-sessions';
  readonly events = [SessionRevoked, UserDeleted];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    const revoked = events.flatMap(({ type, data }) =>
      type === SessionRevoked.type ? ofSessions(data as SessionRevoked) : [ofUser(data as UserDeleted)],
    );
    await tx.query(
      `INSERT INTO revoked_sessions (id, until)
       SELECT id, max(until) FROM unnest($1::uuid[], $2::timestamptz[]) AS r (id, until) GROUP BY id
       ON CONFLICT (id) DO UPDATE SET until = greatest(revoked_sessions.until, excluded.until)`,
      [revoked.map(({ id }) => id), revoked.map(({ until }) => until)],
    );
    // By the time of the events, not by the clock: read again from the first, they leave the same rows.
    const newest = events.reduce((latest, { time }) => (time > latest ? time : latest), events[0]!.time);
    await tx.query(`DELETE FROM revoked_sessions WHERE until < $1`, [newest]);
  }
}

interface Revoked {
  id: string;
  until: Date;
}

function ofSessions({ sessionIds, accessTokensUntil }: SessionRevoked): Revoked[] {
  return sessionIds.map((id) => ({ id, until: new Date(accessTokensUntil) }));
}

function ofUser({ userId, deletedAt }: UserDeleted): Revoked {
  return { id: userId, until: new Date(new Date(deletedAt).getTime() + LONGEST_TOKEN_MS) };
}

/**
 * SQL: whether a session, or its user, is among the ended ones; for a statement that reads more than that.
 * @param userId, sessionId expressions of type uuid
 */
export function isRevoked(userId: string, sessionId: string): string {
  return `EXISTS (SELECT FROM revoked_sessions WHERE id IN (${userId}, ${sessionId}))`;
}
