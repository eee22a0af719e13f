import { postgresOptions } from '@evenkeel/platform/persistence';
import type { DataSourceOptions } from 'typeorm';
import { CreateReporting1795878000000 } from './migrations/20261128150000-create-reporting';
import type { ReportingConfig } from './reporting.config';

export const ENTITIES = [];
export const MIGRATIONS = [CreateReporting1795878000000];

/** A year of ten million payments takes three seconds. While the database hangs the log of reads, which comes first, refuses. */
const STATEMENT_MS = 3_500;

type Settings = Pick<ReportingConfig, 'DATABASE_URL'> & Partial<Pick<ReportingConfig, 'DB_POOL_MAX'>>;

export function databaseOptions({ DATABASE_URL, DB_POOL_MAX }: Settings): DataSourceOptions {
  return postgresOptions({
    url: DATABASE_URL,
    poolMax: DB_POOL_MAX,
    statementMs: STATEMENT_MS,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    applicationName: 'reporting',
  });
}
