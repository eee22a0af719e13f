import { COUNTED_MOST } from '@evenkeel/contracts';
import type { DataSource } from 'typeorm';
import type { AppRegistry } from '../../observability';
import { expose } from '../../observability/figures';
import type { OutboxRelay } from './outbox-relay';

// Bounded: after a long outage of the broker a page must not read the whole outbox.
const WAITING = `
  SELECT (SELECT count(*)::integer FROM (SELECT FROM outbox WHERE published_at IS NULL LIMIT ${COUNTED_MOST}) waiting) AS unpublished,
    coalesce((SELECT greatest(0, extract(epoch FROM clock_timestamp() - created_at)) FROM outbox WHERE published_at IS NULL
      ORDER BY seq LIMIT 1), 0)::float8 AS "oldestSeconds"`;

interface Waiting {
  unpublished: number;
  oldestSeconds: number;
}

/** Shows how many events wait in the outbox of an app, and whether the relay of this process publishes it. */
export function exposeOutbox(registry: AppRegistry, dataSource: DataSource, relay: OutboxRelay): void {
  let waiting: Waiting | null = null;
  const read = async () => (await dataSource.query<[Waiting]>(WAITING))[0];
  registry.read('outbox', read, (found) => (waiting = found));
  const known = (figure: (found: Waiting) => number) => () => (waiting ? [{ value: figure(waiting) }] : []);
  expose(
    registry,
    'outbox_unpublished',
    known(({ unpublished }) => unpublished),
  );
  expose(
    registry,
    'outbox_oldest_seconds',
    known(({ oldestSeconds }) => oldestSeconds),
  );
  expose(registry, 'relay_active', () => [{ value: relay.isActive ? 1 : 0 }]);
}
