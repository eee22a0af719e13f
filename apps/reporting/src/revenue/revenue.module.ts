import { Freshness } from '@evenkeel/platform/messaging';
import { Module } from '@nestjs/common';
import { OperatorAccessModule } from '../operator-access/operator-access.module';
import { ChangesController } from './changes/changes.controller';
import { CsvExports } from './csv-exports';
import { RevenueController } from './figures/revenue.controller';
import { LedgerController } from './ledger/ledger.controller';
import { PaymentsController } from './payments/payments.controller';
import { RevenueSnapshot } from './revenue-snapshot';
import { StatementController } from './statement/statement.controller';
import { SubscriptionsController } from './subscriptions/subscriptions.controller';

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
  providers: [Freshness, RevenueSnapshot, CsvExports],
})
export class RevenueModule {}
