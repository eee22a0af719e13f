import { postgresOptions, SHORT_STATEMENT_MS } from '@evenkeel/platform/persistence';
import type { DataSourceOptions } from 'typeorm';
import { CreateMessaging1795417939622 } from './migrations/20261123071219-create-messaging';
import { CreateUsers1795420800000 } from './migrations/20261123080000-create-users';
import { CreateSecurity1795420860000 } from './migrations/20261123080100-create-security';
import { CreateMails1795420920000 } from './migrations/20261123080200-create-mails';
import { CreateEntitlements1795420980000 } from './migrations/20261123080300-create-entitlements';
import { CreateHabits1795421040000 } from './migrations/20261123080400-create-habits';
import { CreateAnalysis1795421100000 } from './migrations/20261123080500-create-analysis';
import { CreateOperations1795421160000 } from './migrations/20261123080600-create-operations';
import { CreateAuditViews1795421220000 } from './migrations/20261123080700-create-audit-views';
import { CreateIdempotencyKeys1795421280000 } from './migrations/20261123080800-create-idempotency-keys';
import { PackYears1795421340000 } from './migrations/20261123080900-pack-years';
import { TraceEvents1795449600000 } from './migrations/20261123160000-trace-events';
import { RememberCallers1795870800000 } from './migrations/20261128130000-remember-callers';
import { SyncRecords1795871700000 } from './migrations/20261128131500-sync-records';
import { CarryFactsOfFiles1795873500000 } from './migrations/20261128134500-carry-facts-of-files';
import type { AccountsConfig } from './accounts.config';

export const ENTITIES = [];
export const MIGRATIONS = [
  CreateMessaging1795417939622,
  CreateUsers1795420800000,
  CreateSecurity1795420860000,
  CreateMails1795420920000,
  CreateEntitlements1795420980000,
  CreateHabits1795421040000,
  CreateAnalysis1795421100000,
  CreateOperations1795421160000,
  CreateAuditViews1795421220000,
  CreateIdempotencyKeys1795421280000,
  PackYears1795421340000,
  TraceEvents1795449600000,
  RememberCallers1795870800000,
  SyncRecords1795871700000,
  CarryFactsOfFiles1795873500000,
];

type Settings = Pick<AccountsConfig, 'DATABASE_URL'> & Partial<Pick<AccountsConfig, 'DB_POOL_MAX'>>;

export function databaseOptions({ DATABASE_URL, DB_POOL_MAX }: Settings): DataSourceOptions {
  return postgresOptions({
    url: DATABASE_URL,
    poolMax: DB_POOL_MAX,
    statementMs: SHORT_STATEMENT_MS,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    applicationName: 'accounts',
  });
}
