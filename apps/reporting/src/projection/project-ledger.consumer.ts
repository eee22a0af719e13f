import { PAYMENTS_STREAM, type EventClass } from '@evenkeel/contracts';
import type { EventBatchConsumer, EventEnvelope, Projection } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { applyCredits, CREDIT_EVENTS } from './apply-credits';
import { applyPayments, PAYMENT_EVENTS } from './apply-payments';
import { HeartbeatTable } from './heartbeat-table';

export const LEDGER_PROJECTION: Projection = {
  subscription: 'reporting',
  stream: PAYMENTS_STREAM,
  tables: ['payments', 'payment_states', 'credits', 'daily_totals', 'wallet_days', 'wallet_totals'],
  oldestRow: 'least((SELECT min(verified_at) FROM payments), (SELECT min(issued_at) FROM credits))',
  heartbeats: (dataSource) => new HeartbeatTable(dataSource, 'reporting'),
};

const ADD_MONTHS = 'SELECT add_payments_month(month) FROM unnest($1::timestamptz[]) AS month';

/**
 * Applies the events of payments and credits. No event needs another one, the clock or a setting. Rollups are few rows that
 * every delivery changes: two deliveries would wait for each other in the middle of them, so they take turns (`countApplied`).
 */
@Injectable()
export class ProjectLedger implements EventBatchConsumer {
  readonly name = 'reporting.project-ledger';
  readonly events: readonly EventClass[] = [...PAYMENT_EVENTS, ...CREDIT_EVENTS];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    const months = new Set(events.flatMap(({ data }) => monthsOf(data as { verifiedAt?: string })));
    if (months.size > 0) await tx.query(ADD_MONTHS, [[...months]]);
    await applyPayments(tx, events);
    await applyCredits(tx, events);
  }
}

/** The months whose partitions an event needs. */
function monthsOf({ verifiedAt }: { verifiedAt?: string }): string[] {
  return verifiedAt === undefined ? [] : [`${new Date(verifiedAt).toISOString().slice(0, 7)}-01T00:00:00Z`];
}
