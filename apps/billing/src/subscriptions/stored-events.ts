import { queryPrepared } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';
import type { GraceTerms } from './access';
import type { ProviderEvent, Refused } from './apply-event';
import { rankOf, type FoldedState, type PlacedFact, type SubscriptionFact } from './facts';

/** The stored customer and subscription of an event, before it is applied. */
export interface Known {
  /** The event itself is there already. */
  isStored: boolean;
  customerUserId: string | null;
  subscriptionUserId: string | null;
  /** Billing knows the user whom the event names. */
  isUserKnown: boolean;
  /** The page that has ended is one that we opened. */
  isOurPage: boolean;
  /** The event that says that the customer was deleted. */
  deletion: { id: string; created: Date } | null;
  /** Another event of the subscription has the same second. */
  sharesSecond: boolean;
  /** Null for a subscription without an event. */
  fold: { state: FoldedState; last: PlacedFact } | null;
}

/**
 * Waits until no other transaction is at work on the same customer or the same subscription. The customer comes first,
 * always, so that two of them never wait for each other.
 */
export async function lockFor(
  tx: EntityManager,
  { customerId, subscriptionId, id }: Pick<ProviderEvent, 'customerId' | 'subscriptionId' | 'id'>,
): Promise<void> {
  const first = customerId ?? subscriptionId ?? id;
  await queryPrepared(
    tx,
    'SELECT pg_advisory_xact_lock(hashtextextended($1, 0)), pg_advisory_xact_lock(hashtextextended($2, 0))',
    [first, subscriptionId ?? first],
  );
}

interface KnownRow extends Omit<Known, 'fold' | 'deletion'> {
  deletion_id: string | null;
  deleted_at: Date;
  state: FoldedState | null;
  last_created: Date;
  last_id: string;
  last_fact: SubscriptionFact;
}

/** In one statement, and in SQL, as what follows: it is asked for every event, and an entity would be read table by table. */
export async function findKnown(tx: EntityManager, event: ProviderEvent): Promise<Known> {
  const [row] = await queryPrepared<[KnownRow]>(
    tx,
    `SELECT EXISTS (SELECT FROM provider_events WHERE id = $1) AS "isStored",
       (SELECT user_id FROM customers WHERE customer_id = $2) AS "customerUserId",
       EXISTS (SELECT FROM provider_events WHERE subscription_id = $3 AND created = $4 AND fact IS NOT NULL)
         AS "sharesSecond",
       EXISTS (SELECT FROM people WHERE user_id = $5) OR EXISTS (SELECT FROM customers WHERE user_id = $5)
         OR EXISTS (SELECT FROM checkouts WHERE user_id = $5) OR EXISTS (SELECT FROM departures WHERE user_id = $5)
         AS "isUserKnown",
       EXISTS (SELECT FROM checkouts WHERE session_id = $6)
         OR EXISTS (SELECT FROM checkouts WHERE user_id = $5 AND session_id IS NULL AND closed_at IS NULL
           AND $6::text IS NOT NULL)
         AS "isOurPage",
       d.id AS deletion_id, d.created AS deleted_at,
       s.user_id AS "subscriptionUserId", s.state, s.last_created, s.last_id, e.fact AS last_fact
     FROM (VALUES (1)) one LEFT JOIN subscriptions s ON s.subscription_id = $3
       LEFT JOIN provider_events e ON e.id = s.last_id
       LEFT JOIN LATERAL (
         SELECT id, created FROM provider_events
         WHERE customer_id = $2 AND type = 'customer.deleted' AND fact IS NULL ORDER BY created LIMIT 1
       ) d ON true`,
    [event.id, event.customerId, event.subscriptionId, event.created, event.userId, event.sessionId ?? null],
  );
  const { state, last_id, last_created, last_fact, deletion_id, deleted_at, ...known } = row;
  const last = { id: last_id, created: last_created, fact: last_fact };
  return {
    ...known,
    deletion: deletion_id === null ? null : { id: deletion_id, created: deleted_at },
    fold: state && { state, last },
  };
}

/** Every fact of a subscription that is stored, in their order. */
export function factsOf(tx: EntityManager, subscriptionId: string): Promise<PlacedFact[]> {
  return queryPrepared<PlacedFact[]>(
    tx,
    `SELECT id, created, fact FROM provider_events WHERE subscription_id = $1 AND fact IS NOT NULL
     ORDER BY created, rank, id COLLATE "C"`,
    [subscriptionId],
  );
}

interface StoredWith {
  /** Of the subscription with this event, and the terms with which its access was computed. */
  saved: { state: FoldedState; last: PlacedFact; accessUntil: Date | null; terms: GraceTerms } | null;
  /** Of the subscription: of nothing that we sold it is null. */
  userId: string | null;
  reason: Refused | null;
  receivedAt: Date;
}

const STORE = `
  INSERT INTO provider_events
    (id, type, created, rank, received_at, customer_id, subscription_id, charge_id, fact, applied, reason)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING RETURNING id`;

const STORE_AND_SAVE = `
  WITH stored AS (${STORE}), saved AS (
    INSERT INTO subscriptions AS s (subscription_id, customer_id, user_id, state, status, access_until,
      last_created, last_rank, last_id, grace_days, renewal_grace_hours, folded_events, folded_ids, changed_at)
    SELECT $7, $6, $12::uuid, $13::jsonb, $14, $15::timestamptz, $16::timestamptz, $17::smallint, $18,
      $19::smallint, $20::smallint, 1, hashtextextended($1, 0), $3
    FROM stored
    ON CONFLICT (subscription_id) DO UPDATE SET
      customer_id = coalesce(s.customer_id, excluded.customer_id), user_id = excluded.user_id,
      state = excluded.state, status = excluded.status, access_until = excluded.access_until,
      last_created = excluded.last_created, last_rank = excluded.last_rank, last_id = excluded.last_id,
      grace_days = excluded.grace_days, renewal_grace_hours = excluded.renewal_grace_hours,
      folded_events = s.folded_events + 1, folded_ids = s.folded_ids # excluded.folded_ids,
      changed_at = greatest(s.changed_at, excluded.changed_at)
  )
  SELECT id FROM stored`;

/**
 * The event, and the row of its subscription as it is with it, in one statement.
 * @returns false for an event that is there already
 */
export async function storeEvent(
  tx: EntityManager,
  event: ProviderEvent,
  { saved, userId, reason, receivedAt }: StoredWith,
): Promise<boolean> {
  const { id, type, created, customerId, subscriptionId, chargeId = null, fact } = event;
  const rank = fact === null ? 0 : rankOf(fact);
  const of = [id, type, created, rank, receivedAt, customerId, subscriptionId, chargeId];
  const values = [...of, fact && JSON.stringify(fact), reason === null, reason];
  if (saved === null) return (await queryPrepared<object[]>(tx, STORE, values)).length === 1;
  const { state, last, accessUntil, terms } = saved;
  const { graceDays, renewalGraceHours } = terms;
  const place = [last.created, rankOf(last.fact), last.id];
  const row = [userId, JSON.stringify(state), state.status, accessUntil, ...place, graceDays, renewalGraceHours];
  const stored = await queryPrepared<object[]>(tx, STORE_AND_SAVE, [...values, ...row]);
  return stored.length === 1;
}

/**
 * Remembers whose a customer is: the first user whom an object of the customer names keeps it, and all of its
 * subscriptions.
 * @param at of the event that names the user
 * @returns whether a subscription has waited
 */
export async function linkCustomer(tx: EntityManager, customerId: string, userId: string, at: Date): Promise<boolean> {
  await tx.query(
    `INSERT INTO customers (customer_id, user_id, created_at, deleted_at)
     VALUES ($1, $2, $3, (SELECT min(created) FROM provider_events WHERE customer_id = $1 AND type = 'customer.deleted'))`,
    [customerId, userId, at],
  );
  const [, waiting] = await tx.query<[unknown[], number]>(
    `UPDATE subscriptions SET user_id = $2
     WHERE customer_id = $1 AND user_id IS NULL AND state->>'planCode' IS NOT NULL`,
    [customerId, userId],
  );
  return waiting > 0;
}

/** An object that the worker is to read at the provider, and why. */
export interface ProviderRead {
  kind: 'subscription' | 'charge';
  id: string;
  reason: 'out_of_order' | 'equal_second' | 'gap' | 'discount' | 'discount_end' | 'invoice' | 'link' | 'unknown_user';
  /** Of the event that asks: an answer that is not newer decides nothing. */
  answerAfter?: Date | null;
}

/** A read is older than events of its own second, so it is made when that second is over. */
const READ_AFTER_MS = 3_000;

/**
 * Queues a read of the provider for the worker; one that waits already stays, and comes no later.
 * @param from from when on the answer is wanted
 */
export async function askForRead(
  tx: EntityManager,
  { kind, id, reason, answerAfter = null }: ProviderRead,
  from: Date,
): Promise<void> {
  await queryPrepared(
    tx,
    `INSERT INTO provider_reads AS r (kind, id, reason, answer_after, asked_at, due_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (kind, id) DO UPDATE SET due_at = least(r.due_at, excluded.due_at),
       answer_after = greatest(r.answer_after, excluded.answer_after)`,
    [kind, id, reason, answerAfter, from, new Date(from.getTime() + READ_AFTER_MS)],
  );
}
