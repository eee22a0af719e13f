import type { ClientConfig, Pool } from 'pg';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { TIMEOUTS } from './postgres-options';

export type PostgresDataSource = Extract<DataSourceOptions, { type: 'postgres' }>;

/** The pool that a data source owns: for named statements, which TypeORM cannot send. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

/** For a connection of its own beside the pool; without the limits on statements. */
export function clientOptions(options: DataSourceOptions): ClientConfig {
  const { url, applicationName } = options as PostgresDataSource;
  const { connectionTimeoutMillis } = TIMEOUTS;
  return { connectionString: url, application_name: applicationName, connectionTimeoutMillis, keepAlive: true };
}
