import { Module } from '@nestjs/common';
import { PricesModule } from '../plans/purchasable-plans';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { TakeEventModule } from '../webhooks/take-event';
import { ApplyUndelivered, CompareAll } from './compare-all';
import { CompareCustomers } from './compare-customers';
import { CompareInvoices } from './compare-invoices';
import { CompareSubscriptions } from './compare-subscriptions';
import { FindOwnDifferences } from './find-own-differences';
import { Reconcile } from './reconcile';
import { CountDifferences, ReconciliationJob } from './reconciliation.job';

@Module({
  imports: [SubscriptionsModule, TakeEventModule, PricesModule],
  providers: [
    ApplyUndelivered,
    CompareSubscriptions,
    CompareCustomers,
    CompareInvoices,
    CompareAll,
    FindOwnDifferences,
    Reconcile,
  ],
  exports: [Reconcile],
})
export class ReconciliationModule {}

/** The part of the worker. */
@Module({ imports: [SubscriptionsModule, ReconciliationModule], providers: [ReconciliationJob, CountDifferences] })
export class NightlyReconciliationModule {}
