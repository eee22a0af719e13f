import { openPool } from '@evenkeel/platform/persistence';
import type { DataSource } from 'typeorm';
import { ATTEMPT_MS } from './wallet-lane';

type Pool = ReturnType<typeof openPool>;

/** For claims and for settlements one batch each, and two rows beside it (`wallet-lane.ts`). */
const CONNECTIONS = 6;

const pools = new WeakMap<DataSource, Pool>();

/** The connections of claims and settlements, so that they never wait with whatever else reads and writes the ledger. */
export function ledgerPool(dataSource: DataSource): Pool {
  let pool = pools.get(dataSource);
  if (!pool) {
    pool = openPool(dataSource.options, { max: CONNECTIONS, lockTimeoutMs: ATTEMPT_MS });
    pools.set(dataSource, pool);
  }
  return pool;
}

export async function closeLedgerPool(dataSource: DataSource): Promise<void> {
  const pool = pools.get(dataSource);
  pools.delete(dataSource);
  await pool?.end();
}
