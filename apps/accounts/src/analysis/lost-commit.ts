import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';

const ASKED_AGAIN_MS = 50;

// A connection that broke may still be open at the end of the database, with the transaction and its locks.
const OUTCOME = `
  SELECT pg_xact_status($1::xid8) AS outcome,
    (SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE backend_xid = $1::xid8::xid) AS terminated`;

/**
 * For a transaction whose connection broke once COMMIT was sent: asks on another connection what has become of it, until that is
 * certain. One that is still open is ended.
 * @param transaction `pg_current_xact_id()`
 * @returns false also when the database has not answered within the time
 */
export async function wasCommitted(dataSource: DataSource, transaction: string, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (performance.now() < until && dataSource.isInitialized) {
    const [row] = await dataSource.query<{ outcome: string }[]>(OUTCOME, [transaction]).catch(() => []);
    if (row && row.outcome !== 'in progress') return row.outcome === 'committed';
    await sleep(ASKED_AGAIN_MS);
  }
  return false;
}
