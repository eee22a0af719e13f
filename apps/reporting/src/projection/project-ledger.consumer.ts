import { PAYMENTS_STREAM, type EventClass } from '@evenkeel/contracts';
import type { EventBatchConsumer, EventEnvelope } from '@evenkeel/platform/messaging';
import { COUNT_APPLIED, type Projection } from '@evenkeel/platform/projection';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { applyCredits, CREDIT_EVENTS } from './apply-credits';
import { applyPayments, PAYMENT_EVENTS } from './apply-payments';

/** The copy of the gateway's ledger and its rollups. */
export const LEDGER_PROJECTION: Projection = {
  subscription: 'reporting',
  stream: PAYMENTS_STREAM,
  tables: [
    ...['payments', 'credits'],
    ...['daily_totals', 'daily_payers', 'daily_payer_counts', 'wallet_last_days', 'payers_by_last_day'],
    ...['wallet_totals', 'wallet_months', 'tier_totals', 'credit_totals', 'credit_days', 'settlement_totals'],
  ],
  singleRowTables: ['credit_totals'],
  oldestRow: 'least((SELECT min(verified_at) FROM payments), (SELECT min(issued_at) FROM credits))',
};

// Rollups are few rows that every delivery changes: without the lock on progress two deliveries would wait for each
// other in the middle of them.
const BEGIN = `
  WITH counted AS (${COUNT_APPLIED})
  SELECT add_payments_month(month) FROM unnest($3::timestamptz[]) AS month`;

/** Applies the events of payments and credits. No event needs another one, the clock or a setting. */
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

/** Waits until no other delivery is at work, and creates the partitions of new months. */
async function beginDelivery(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  const times = events.map(({ time }) => time.getTime());
  const oldest = new Date(Math.min(...times));
  const months = new Set(events.flatMap(({ data }) => monthsOf(data as { verifiedAt?: string })));
  await tx.query(BEGIN, [events.length, oldest, [...months]]);
}

function monthsOf({ verifiedAt }: { verifiedAt?: string }): string[] {
  return verifiedAt === undefined ? [] : [`${new Date(verifiedAt).toISOString().slice(0, 7)}-01T00:00:00Z`];
}
