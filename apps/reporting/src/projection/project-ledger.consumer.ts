import type { EventClass } from '@evenkeel/contracts';
import type { EventBatchConsumer, EventEnvelope } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { applyCredits, CREDIT_EVENTS } from './apply-credits';
import { applyPayments, PAYMENT_EVENTS } from './apply-payments';

// The one row of progress is also the turn: rollups are few rows that every delivery changes, so whoever came second
// would wait for them anyway, but in the middle, and two of them perhaps for each other.
const BEGIN = `
  WITH turn AS (
    UPDATE progress SET applied = applied + $1, caught_up_at = least(caught_up_at, $2::timestamptz)
  )
  SELECT add_payments_month(month) FROM unnest($3::timestamptz[]) AS month`;

/** Group at the broker, and `consumer` of inbox and parked events. */
export const SUBSCRIPTION = 'reporting';

/** Keeps the copy of the gateway's ledger and its rollups. No event needs another one, the clock or a setting. */
@Injectable()
export class ProjectLedger implements EventBatchConsumer {
  readonly name = 'reporting.project-ledger';
  readonly events: readonly EventClass[] = [...PAYMENT_EVENTS, ...CREDIT_EVENTS];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    await beginDelivery(tx, events);
    await applyPayments(tx, events);
    await applyCredits(tx, events);
  }
}

/** Waits until no other delivery is at work, and makes the partitions of months that were not seen before. */
async function beginDelivery(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  const times = events.map(({ time }) => time.getTime());
  const oldest = new Date(Math.min(...times));
  const months = new Set(events.flatMap(({ data }) => monthsOf(data as { verifiedAt?: string })));
  await tx.query(BEGIN, [events.length, oldest, [...months]]);
}

function monthsOf({ verifiedAt }: { verifiedAt?: string }): string[] {
  return verifiedAt === undefined ? [] : [`${new Date(verifiedAt).toISOString().slice(0, 7)}-01T00:00:00Z`];
}
