import { postgresOptions, SHORT_STATEMENT_MS } from '@evenkeel/platform/persistence';
import type { DataSourceOptions } from 'typeorm';
import { CreateReporting1795878000000 } from './migrations/20261128150000-create-reporting';
import { CoverSubscriptionVersions1795932000000, CoverWalletDays1795921200000 } from './migrations/cover-keys';
import type { ReportingConfig } from './reporting.config';

export const ENTITIES = [];
export const MIGRATIONS = [
  CreateReporting1795878000000,
  CoverWalletDays1795921200000,
  CoverSubscriptionVersions1795932000000,
];

type Settings = Pick<ReportingConfig, 'DATABASE_URL'> & Partial<Pick<ReportingConfig, 'DB_POOL_MAX'>>;

export function databaseOptions({ DATABASE_URL, DB_POOL_MAX }: Settings): DataSourceOptions {
  return postgresOptions({
    url: DATABASE_URL,
    poolMax: DB_POOL_MAX,
    statementMs: SHORT_STATEMENT_MS,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    applicationName: 'reporting',
  });
}
