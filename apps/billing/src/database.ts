import { postgresOptions, SHORT_STATEMENT_MS } from '@evenkeel/platform/persistence';
import type { DataSourceOptions, MigrationInterface } from 'typeorm';
import type { BillingConfig } from './billing.config';
import { CreateBilling1795434283283 } from './migrations/20261123114443-create-billing';
import { Checkout, Customer, Departure, Grant, Person } from './subscriptions/subscriptions.entities';

export const ENTITIES = [Checkout, Customer, Departure, Grant, Person];
export const MIGRATIONS: (new () => MigrationInterface)[] = [CreateBilling1795434283283];

type Settings = Pick<BillingConfig, 'DATABASE_URL'> & Partial<Pick<BillingConfig, 'DB_POOL_MAX'>>;

export function databaseOptions({ DATABASE_URL, DB_POOL_MAX }: Settings): DataSourceOptions {
  return postgresOptions({
    url: DATABASE_URL,
    poolMax: DB_POOL_MAX,
    statementMs: SHORT_STATEMENT_MS,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    keepPlans: true,
    applicationName: 'billing',
  });
}
