import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Pool, type ClientConfig, type PoolConfig } from 'pg';
import type { Registry } from 'prom-client';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { expose } from '../observability/figures';
import { ignoreLoss, statementLimits, TIMEOUTS } from './postgres-options';

export type PostgresDataSource = Omit<Extract<DataSourceOptions, { type: 'postgres' }>, 'extra'> & {
  extra?: PoolConfig;
};

const ATTEMPTS = 10;
const PAUSE_MS = 1_000;

/**
 * Opens the data source of a process that starts. A database that is late is asked again: a warning, since nobody has to act.
 * @throws the error of the last of ten attempts
 */
export async function openDataSource(options: DataSourceOptions): Promise<DataSource> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await new DataSource(options).initialize();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      new Logger('database').warn({ message: 'the database cannot be reached yet', attempt, error });
      await sleep(PAUSE_MS);
    }
  }
}

/** The pool that a data source owns: for named statements, which TypeORM cannot send. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

const beside = new WeakMap<DataSourceOptions, Pool[]>();

/** All pools to the database of a data source: its own, and those opened beside it. */
export function poolsOf(dataSource: DataSource): Pool[] {
  return [poolOf(dataSource), ...(beside.get(dataSource.options) ?? [])];
}

/** Connections to the database of an app, all of its pools together. */
export function exposePools(registry: Registry, pools: () => readonly Pool[]): void {
  const sum = (count: (pool: Pool) => number): number => pools().reduce((total, pool) => total + count(pool), 0);
  expose(registry, 'db_pool', () => [
    { labels: { state: 'idle' }, value: sum(({ idleCount }) => idleCount) },
    { labels: { state: 'busy' }, value: sum(({ totalCount, idleCount }) => totalCount - idleCount) },
    { labels: { state: 'waiting' }, value: sum(({ waitingCount }) => waitingCount) },
  ]);
}

/** The options of a pool beside that of the data source. */
interface OwnPool {
  max: number;
  /** How long a statement waits for a lock. */
  lockTimeoutMs?: number;
  /** How long a statement may take. */
  statementMs?: number;
}

/**
 * A pool beside that of the data source, for statements that must not wait with all others: same durability and plans, and the same
 * timeouts unless it says otherwise. The caller ends it.
 */
export function openPool(options: DataSourceOptions, { max, lockTimeoutMs, statementMs }: OwnPool): Pool {
  const { url, applicationName, extra } = options as PostgresDataSource;
  const pool = new Pool({
    ...extra,
    ...(lockTimeoutMs !== undefined && { lock_timeout: lockTimeoutMs }),
    ...(statementMs !== undefined && statementLimits(statementMs)),
    connectionString: url,
    application_name: applicationName,
    max,
  });
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

/** For a connection of its own with all that those of the pool ask for. */
export function likeThePool(options: DataSourceOptions): ClientConfig {
  return { ...(options as PostgresDataSource).extra, ...clientOptions(options) };
}
