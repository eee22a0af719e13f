import { postgresOptions, SHORT_STATEMENT_MS } from '@evenkeel/platform/persistence';
import type { DataSourceOptions } from 'typeorm';
import { CreateMessaging1795434283283 } from './migrations/20261123114443-create-messaging';
import { CreatePeople1795435200000 } from './migrations/20261123120000-create-people';
import { CreateSubscriptions1795435260000 } from './migrations/20261123120100-create-subscriptions';
import { CreateInvoices1795435320000 } from './migrations/20261123120200-create-invoices';
import { CreateWork1795435380000 } from './migrations/20261123120300-create-work';
import { CreateIdempotencyKeys1795436460000 } from './migrations/20261123122100-create-idempotency-keys';
import { CreateReconciliation1795435800000 } from './migrations/20261123121000-create-reconciliation';
import { CreateAuditViews1795435860000 } from './migrations/20261123121100-create-audit-views';
import { TraceEvents1795449600000 } from './migrations/20261123160000-trace-events';
import { KeepTermsOfAccess1795507200000 } from './migrations/20261124080000-keep-terms-of-access';
import { ComparePricesAndKnowSales1795860000000 } from './migrations/20261128100000-compare-prices-and-know-sales';
import type { BillingConfig } from './billing.config';

export const ENTITIES = [];
export const MIGRATIONS = [
  CreateMessaging1795434283283,
  CreatePeople1795435200000,
  CreateSubscriptions1795435260000,
  CreateInvoices1795435320000,
  CreateWork1795435380000,
  CreateIdempotencyKeys1795436460000,
  CreateReconciliation1795435800000,
  CreateAuditViews1795435860000,
  TraceEvents1795449600000,
  KeepTermsOfAccess1795507200000,
  ComparePricesAndKnowSales1795860000000,
];

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
