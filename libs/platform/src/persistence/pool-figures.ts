import type { Pool } from 'pg';
import { expose } from '../observability/figures';
import type { Registry } from 'prom-client';

/** Connections to the database of an app, all of its pools together. */
export function exposePools(registry: Registry, pools: () => readonly Pool[]): void {
  const sum = (count: (pool: Pool) => number): number => pools().reduce((total, pool) => total + count(pool), 0);
  expose(registry, 'db_pool', () => [
    { labels: { state: 'idle' }, value: sum(({ idleCount }) => idleCount) },
    { labels: { state: 'busy' }, value: sum(({ totalCount, idleCount }) => totalCount - idleCount) },
    { labels: { state: 'waiting' }, value: sum(({ waitingCount }) => waitingCount) },
  ]);
}
