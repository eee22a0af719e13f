import { AppRegistry, expose } from '@evenkeel/platform/observability';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HANDLED_TYPES } from './read-event';

/** More are not counted: a page must not read them all. */
const COUNTED_MOST = 100_000;

const UNLINKED = `
  SELECT (SELECT count(*)::integer FROM (
    SELECT FROM provider_events WHERE reason = 'unmatched_customer' LIMIT ${COUNTED_MOST}) waiting) AS unlinked`;

/** What has come to the webhook, and what waits to know whose it is. */
@Injectable()
export class WebhookCounts {
  private readonly counts = new Map<string, { type: string; result: string; value: number }>();
  private unlinked: number | null = null;

  constructor(registry: AppRegistry, dataSource: DataSource) {
    expose(registry, {
      name: 'evenkeel_webhooks_total',
      help: 'Webhooks of the payment provider by type of event and result; other stands for types that are not handled.',
      type: 'counter',
      samples: () => [...this.counts.values()].map(({ type, result, value }) => ({ labels: { type, result }, value })),
    });
    const read = async () => (await dataSource.query<[{ unlinked: number }]>(UNLINKED))[0].unlinked;
    registry.read('unlinked_events', read, (found) => (this.unlinked = found));
    expose(registry, {
      name: 'evenkeel_unlinked_events',
      help: `Events of the payment provider of which nobody knows whose they are; ${COUNTED_MOST} stands for more.`,
      type: 'gauge',
      samples: () => (this.unlinked === null ? [] : [{ value: this.unlinked }]),
    });
  }

  /** @param type as the event states it; undefined for a request that is no event */
  add(type: unknown, result: string): void {
    const known = HANDLED_TYPES.find((handled) => handled === type) ?? 'other';
    const key = `${known} ${result}`;
    const counted = this.counts.get(key) ?? { type: known, result, value: 0 };
    this.counts.set(key, { ...counted, value: counted.value + 1 });
  }
}
