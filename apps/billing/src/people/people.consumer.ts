import { ACCOUNTS_STREAM, UsageMetered, UserDeleted, UserRegistered, UserVerified } from '@evenkeel/contracts';
import type { EventBatchConsumer, EventEnvelope, Projection } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Own copy of what accounts says of people; departures are no part of it, so that a rebuild keeps them. */
export const PEOPLE_PROJECTION: Projection = {
  subscription: 'billing',
  stream: ACCOUNTS_STREAM,
  tables: ['people', 'usage_months', 'revoked_sessions'],
  oldestRow: '(SELECT min(changed_at) FROM people)',
};

// SQL, as what follows: a batch is one statement, and copies and order change nothing of a row.
const ADD_PEOPLE = `
  INSERT INTO people AS p (user_id, verified_at, deleted_at, changed_at)
  SELECT user_id, min(verified_at), min(deleted_at), max(changed_at)
  FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[])
    AS event (user_id, verified_at, deleted_at, changed_at)
  GROUP BY user_id
  ON CONFLICT (user_id) DO UPDATE SET
    verified_at = least(p.verified_at, excluded.verified_at),
    deleted_at = least(p.deleted_at, excluded.deleted_at),
    changed_at = greatest(p.changed_at, excluded.changed_at)`;

// The usage of a user is a whole state: only the greatest version is applied.
const ADD_USAGE = `
  INSERT INTO usage_months AS u (user_id, period, used, version)
  SELECT DISTINCT ON (user_id, period) user_id, period, used, version
  FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::integer[]) AS event (user_id, period, used, version)
  ORDER BY user_id, period, version DESC
  ON CONFLICT (user_id, period) DO UPDATE SET used = excluded.used, version = excluded.version
  WHERE excluded.version > u.version`;

// Once for each user, whatever is read again; the worker sees to the rest.
const ADD_DEPARTURES = `
  INSERT INTO departures (user_id, asked_at, due_at)
  SELECT user_id, asked_at, asked_at FROM unnest($1::uuid[], $2::timestamptz[]) AS event (user_id, asked_at)
  ON CONFLICT (user_id) DO NOTHING`;

/** Keeps who is verified, who has left and what was used. No event needs another one, the clock or a setting. */
@Injectable()
export class ProjectPeople implements EventBatchConsumer {
  readonly name = 'billing.project-people';
  readonly events = [UserRegistered, UserVerified, UserDeleted, UsageMetered];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    const of = <Data>(type: string) => events.filter((event) => event.type === type).map(({ data }) => data as Data);
    const people = events.filter(({ type }) => type !== UsageMetered.type);
    await tx.query(ADD_PEOPLE, [
      people.map(({ data }) => (data as UserRegistered).userId),
      people.map(({ data }) => (data as Partial<UserVerified>).verifiedAt ?? null),
      people.map(({ data }) => (data as Partial<UserDeleted>).deletedAt ?? null),
      people.map(({ time }) => time),
    ]);
    const usage = of<UsageMetered>(UsageMetered.type);
    await tx.query(ADD_USAGE, [
      usage.map(({ userId }) => userId),
      usage.map(({ period }) => period),
      usage.map(({ used }) => used),
      usage.map(({ version }) => version),
    ]);
    const departed = of<UserDeleted>(UserDeleted.type);
    await tx.query(ADD_DEPARTURES, [departed.map(({ userId }) => userId), departed.map(({ deletedAt }) => deletedAt)]);
  }
}
