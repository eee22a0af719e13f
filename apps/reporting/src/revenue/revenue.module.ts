import { Freshness } from '@evenkeel/platform/messaging';
import { Module } from '@nestjs/common';
import { OperatorAccessModule } from '../operator-access/operator-access.module';
import { ChangesController } from './changes/changes.controller';
import { ReadChanges } from './changes/read-changes';
import { CsvExports } from './csv-exports';
import { ReadEndpoints } from './figures/read-endpoints';
import { ReadSummary } from './figures/read-summary';
import { ReadTimeseries } from './figures/read-timeseries';
import { RevenueController } from './figures/revenue.controller';
import { LedgerController } from './ledger/ledger.controller';
import { ReadCohorts } from './ledger/read-cohorts';
import { ReadCredits } from './ledger/read-credits';
import { ReadCustomers } from './ledger/read-customers';
import { ReadReconciliation } from './ledger/read-reconciliation';
import { PaymentsController } from './payments/payments.controller';
import { ReadPaymentHistory } from './payments/read-payment-history';
import { ReadPayments } from './payments/read-payments';
import { RevenueSnapshot } from './revenue-snapshot';
import { ReadStatement } from './statement/read-statement';
import { StatementController } from './statement/statement.controller';
import { ReadSubscriptions } from './subscriptions/read-subscriptions';
import { SubscriptionsController } from './subscriptions/subscriptions.controller';

const reads = [
  ...[ReadSummary, ReadEndpoints, ReadTimeseries],
  ...[ReadPayments, ReadPaymentHistory],
  ...[ReadCustomers, ReadReconciliation, ReadCohorts, ReadCredits],
  ...[ReadChanges, ReadSubscriptions, ReadStatement],
];

/** Operators' reads about money. */
@Module({
  imports: [OperatorAccessModule],
  controllers: [
    RevenueController,
    ChangesController,
    PaymentsController,
    LedgerController,
    SubscriptionsController,
    StatementController,
  ],
  providers: [Freshness, RevenueSnapshot, CsvExports, ...reads],
})
export class RevenueModule {}
