import { Module } from '@nestjs/common';
import { FreshnessModule } from '../freshness/freshness.module';
import { OperatorAccessModule } from '../operator-access/operator-access.module';
import { CohortsController } from './cohorts/cohorts.controller';
import { ReadCohorts } from './cohorts/read-cohorts';
import { CreditsController } from './credits/credits.controller';
import { ReadCredits } from './credits/read-credits';
import { CustomersController } from './customers/customers.controller';
import { ReadCustomers } from './customers/read-customers';
import { EndpointsController } from './endpoints/endpoints.controller';
import { ReadEndpoints } from './endpoints/read-endpoints';
import { ExportPayments } from './exports/export-payments';
import { PaymentsCsvController } from './exports/payments-csv.controller';
import { PaymentsController } from './payments/payments.controller';
import { ReadPayments } from './payments/read-payments';
import { ReadReconciliation } from './reconciliation/read-reconciliation';
import { ReconciliationController } from './reconciliation/reconciliation.controller';
import { RevenueSnapshot } from './revenue-snapshot';
import { ReadSummary } from './summary/read-summary';
import { SummaryController } from './summary/summary.controller';
import { ReadTimeseries } from './timeseries/read-timeseries';
import { TimeseriesController } from './timeseries/timeseries.controller';

const reads = [
  ReadSummary,
  ReadEndpoints,
  ReadTimeseries,
  ReadPayments,
  ExportPayments,
  ReadCustomers,
  ReadReconciliation,
  ReadCohorts,
  ReadCredits,
];
const controllers = [
  SummaryController,
  EndpointsController,
  TimeseriesController,
  PaymentsController,
  PaymentsCsvController,
  CustomersController,
  ReconciliationController,
  CohortsController,
  CreditsController,
];

/** What operators ask about money. Reads only. */
@Module({ imports: [FreshnessModule, OperatorAccessModule], controllers, providers: [RevenueSnapshot, ...reads] })
export class RevenueModule {}
