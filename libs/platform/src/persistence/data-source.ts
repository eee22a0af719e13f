import { Pool, type ClientConfig, type PoolConfig } from 'pg';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { ignoreLoss, TIMEOUTS } from './postgres-options';

export type PostgresDataSource = Omit<Extract<DataSourceOptions, { type: 'postgres' }>, 'extra'> & {
  extra?: PoolConfig;
};

/** The pool that a data source owns: for named statements, which TypeORM cannot send. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

const beside = new WeakMap<DataSourceOptions, Pool[]>();

/** All pools to the database of a data source: its own, and those opened beside it. */
export function poolsOf(dataSource: DataSource): Pool[] {
  return [poolOf(dataSource), ...(beside.get(dataSource.options) ?? [])];
}

/**
 * A pool beside that of the data source, for statements that must not wait with all others: same timeouts, plans and
 * durability. The caller ends it.
 * @param own lockTimeoutMs: how long a statement waits for a lock
 */
export function openPool(options: DataSourceOptions, own: { max: number; lockTimeoutMs: number }): Pool {
  const { url, applicationName, extra } = options as PostgresDataSource;
  const { max, lockTimeoutMs: lock_timeout } = own;
  const pool = new Pool({ ...extra, connectionString: url, application_name: applicationName, max, lock_timeout });
  pool.on('error', ignoreLoss);
  beside.set(options, [...(beside.get(options) ?? []).filter(({ ended }) => !ended), pool]);
  return pool;
}

/** For a connection of its own beside the pool; without the limits on statements. */
export function clientOptions(options: DataSourceOptions): ClientConfig {
  const { url, applicationName } = options as PostgresDataSource;
  const { connectionTimeoutMillis } = TIMEOUTS;
  return { connectionString: url, application_name: applicationName, connectionTimeoutMillis, keepAlive: true };
}
