import { Pool, type ClientConfig, type PoolConfig } from 'pg';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { ignoreLoss, TIMEOUTS } from './postgres-options';

export type PostgresDataSource = Extract<DataSourceOptions, { type: 'postgres' }>;

/** The pool that a data source owns: for named statements, which TypeORM cannot send. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

/**
 * A pool beside that of the data source, for statements that must not wait with all others: same timeouts, plans and
 * durability. Whoever opens it ends it.
 * @param own lockTimeoutMs: how long a statement waits for a lock
 */
export function openPool(options: DataSourceOptions, own: { max: number; lockTimeoutMs: number }): Pool {
  const { url, applicationName } = options as PostgresDataSource;
  const pool = new Pool({
    ...(options.extra as PoolConfig),
    connectionString: url,
    application_name: applicationName,
    max: own.max,
    lock_timeout: own.lockTimeoutMs,
  });
  pool.on('error', ignoreLoss);
  return pool;
}

/** For a connection of its own beside the pool; without the limits on statements. */
export function clientOptions(options: DataSourceOptions): ClientConfig {
  const { url, applicationName } = options as PostgresDataSource;
  const { connectionTimeoutMillis } = TIMEOUTS;
  return { connectionString: url, application_name: applicationName, connectionTimeoutMillis, keepAlive: true };
}
