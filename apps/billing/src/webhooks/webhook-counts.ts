import { COUNTED_MOST } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { AppRegistry, expose } from '@evenkeel/platform/observability';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HANDLED_TYPES } from './read-event';

/**
 * Which events `e` of ours wait to know whose they are: of something that we sold, or money that moved back. Whatever else is
 * sold at the same account waits for nobody.
 */
export const UNLINKED = `e.reason = 'unmatched_customer' AND (
  (e.subscription_id IS NULL AND e.type <> 'customer.deleted' AND e.type NOT LIKE 'invoice.%' AND NOT EXISTS (
    SELECT FROM charges c JOIN invoices i ON i.invoice_id = c.invoice_id
    WHERE c.charge_id = e.charge_id AND i.user_id IS NULL AND i.plan_code IS NULL))
  OR EXISTS (
    SELECT FROM subscriptions s WHERE s.subscription_id = e.subscription_id AND s.state->>'planCode' IS NOT NULL))`;

/** Older ones were looked at, or are none of ours. */
export const LISTED = `interval '30 days'`;

// Bounded: a page must not read them all. SQL, as other tables say which ones count.
const COUNT = `
  SELECT (SELECT count(*)::integer FROM (
    SELECT FROM provider_events e WHERE ${UNLINKED} AND e.received_at > $1::timestamptz - ${LISTED}
    LIMIT ${COUNTED_MOST}) waiting) AS unlinked`;

/** Metrics of the webhook: events by result, and events of unknown customers. */
@Injectable()
export class WebhookCounts {
  private readonly counts = new Map<string, { type: string; result: string; value: number }>();

  constructor(registry: AppRegistry, dataSource: DataSource, clock: Clock) {
    expose(registry, 'webhooks_total', () =>
      [...this.counts.values()].map(({ type, result, value }) => ({ labels: { type, result }, value })),
    );
    const read = async () => (await dataSource.query<[{ unlinked: number }]>(COUNT, [clock.now()]))[0].unlinked;
    registry.show('unlinked_events', read, { unlinked_events: (unlinked) => [{ value: unlinked }] });
  }

  /** @param type as the event states it; undefined for a request that is no event */
  add(type: unknown, result: string): void {
    const known = HANDLED_TYPES.find((handled) => handled === type) ?? 'other';
    const key = `${known} ${result}`;
    const counted = this.counts.get(key) ?? { type: known, result, value: 0 };
    this.counts.set(key, { ...counted, value: counted.value + 1 });
  }
}
