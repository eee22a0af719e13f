import {
  InvoiceAdjusted,
  InvoicePaid,
  SubscriptionChanged,
  SUBSCRIPTIONS_STREAM,
  type EventClass,
} from '@evenkeel/contracts';
import type { EventBatchConsumer, EventEnvelope, Projection } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { HeartbeatTable } from '../heartbeat-table';
import { applyInvoices } from './apply-invoices';
import { applyVersions } from './apply-versions';

export const SUBSCRIPTIONS_PROJECTION: Projection = {
  subscription: 'reporting.subscriptions',
  stream: SUBSCRIPTIONS_STREAM,
  tables: ['subscription_versions', 'invoices', 'invoice_adjustments'],
  oldestRow: `least((SELECT min(changed_at) FROM subscription_versions), (SELECT min(paid_at) FROM invoices),
    (SELECT min(occurred_at) FROM invoice_adjustments))`,
  heartbeats: (dataSource) => new HeartbeatTable(dataSource, 'reporting.subscriptions', { ownerMayBeMissing: true }),
};

/** Applies the events of billing. No event needs another one, the clock or a setting; deliveries take turns. */
@Injectable()
export class ProjectSubscriptions implements EventBatchConsumer {
  readonly name = 'reporting.project-subscriptions';
  readonly events: readonly EventClass[] = [SubscriptionChanged, InvoicePaid, InvoiceAdjusted];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    await applyVersions(tx, events);
    await applyInvoices(tx, events);
  }
}
