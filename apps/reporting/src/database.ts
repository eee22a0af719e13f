import { postgresOptions, SHORT_STATEMENT_MS } from '@evenkeel/platform/persistence';
import type { DataSourceOptions } from 'typeorm';
import { CreateLedgerCopy1795312800000 } from './migrations/20261122020000-create-ledger-copy';
import { CreateRollups1795312860000 } from './migrations/20261122020100-create-rollups';
import { CreateProgress1795312920000 } from './migrations/20261122020200-create-progress';
import { CreateOperatorReads1795314600000 } from './migrations/20261122023000-create-operator-reads';
import { CreateWalletMonthsAndCreditDays1795314900000 } from './migrations/20261122023500-create-wallet-months-and-credit-days';
import { CreateAuditViews1795316400000 } from './migrations/20261122030000-create-audit-views';
import { ProgressPerSubscription1795435200000 } from './migrations/20261123120000-progress-per-subscription';
import { CreateSubscriptionRevenue1795438800000 } from './migrations/20261123130000-create-subscription-revenue';
import { CreateSubscriptionAuditViews1795438860000 } from './migrations/20261123130100-create-subscription-audit-views';
import { CountBySettlementAndHour1795456800000 } from './migrations/20261123180000-count-by-settlement-and-hour';
import { FindPayments1795456860000 } from './migrations/20261123180100-find-payments';
import { CountRollupsInViews1795456920000 } from './migrations/20261123180200-count-rollups-in-views';
import { KeepOperatorReads90Days1795456980000 } from './migrations/20261123180300-keep-operator-reads-90-days';
import { RememberHeartbeats1795457040000 } from './migrations/20261123180400-remember-heartbeats';
import { RankCustomersAndCountCohorts1795510800000 } from './migrations/20261124090000-rank-customers-and-count-cohorts';
import { RankCustomersOfADay1795683600000 } from './migrations/20261126090000-rank-customers-of-a-day';
import { FindFirstHours1795687200000 } from './migrations/20261126100000-find-first-hours';
import { CountPayersByGap1795690800000 } from './migrations/20261126110000-count-payers-by-gap';
import { CountGroupsInIndexes1795690860000 } from './migrations/20261126110100-count-groups-in-indexes';
import { SumWalletsInIndex1795708800000 } from './migrations/20261126160000-sum-wallets-in-index';
import { SumDaysOfWalletsOnce1795798800000 } from './migrations/20261127170000-sum-days-of-wallets-once';
import type { ReportingConfig } from './reporting.config';

export const ENTITIES = [];
export const MIGRATIONS = [
  CreateLedgerCopy1795312800000,
  CreateRollups1795312860000,
  CreateProgress1795312920000,
  CreateOperatorReads1795314600000,
  CreateWalletMonthsAndCreditDays1795314900000,
  CreateAuditViews1795316400000,
  ProgressPerSubscription1795435200000,
  CreateSubscriptionRevenue1795438800000,
  CreateSubscriptionAuditViews1795438860000,
  CountBySettlementAndHour1795456800000,
  FindPayments1795456860000,
  CountRollupsInViews1795456920000,
  KeepOperatorReads90Days1795456980000,
  RememberHeartbeats1795457040000,
  RankCustomersAndCountCohorts1795510800000,
  RankCustomersOfADay1795683600000,
  FindFirstHours1795687200000,
  CountPayersByGap1795690800000,
  CountGroupsInIndexes1795690860000,
  SumWalletsInIndex1795708800000,
  SumDaysOfWalletsOnce1795798800000,
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
