import type { SummaryView } from '../../revenue/figures/read-summary';

/**
 * The answers of `/v1/admin/revenue/*` under the names of this page: of the service only types are imported, so that none of its
 * code is in the page.
 */
export type { CustomersView as Customers, CustomerView as Customer } from '../../revenue/ledger/read-customers';
export type { CustomerSort } from '../../revenue/ledger/rank-customers';
export type {
  CohortMonthView as CohortMonth,
  CohortsView as Cohorts,
  CohortView as Cohort,
} from '../../revenue/ledger/read-cohorts';
export type { CreditFlowView as CreditFlow, CreditsView as Credits } from '../../revenue/ledger/read-credits';
export type {
  EndpointRevenueView as EndpointRow,
  EndpointsView as Endpoints,
} from '../../revenue/figures/read-endpoints';
export type { HealthView as HealthFacts } from '../../revenue/changes/read-health';
export type { RevenueChangesView as Changes } from '../../revenue/changes/read-changes';
export type { Basis } from '../../revenue/figures/span-rows';
export type { Interval } from '../../revenue/figures/intervals';
export type { CallFiguresView as Totals, Money } from '../../revenue/figures/figures';
export type { PaymentStatus, PaymentView as Payment } from '../../revenue/payments/payment-rows';
export type { PaymentAnswerView as PaymentStory } from '../../revenue/payments/read-payment-history';
export type { PaymentGroup } from '../../revenue/payments/payment-rows';
export type { PaymentsView as Payments } from '../../revenue/payments/read-payments';
export type { ReconciliationView as Reconciliation } from '../../revenue/ledger/read-reconciliation';
export type { SubscriptionsView as Subscriptions } from '../../revenue/subscriptions/subscription-figures';
export type { SummaryView as Summary } from '../../revenue/figures/read-summary';
export type { PointView as Day, TimeseriesView as Timeseries } from '../../revenue/figures/read-timeseries';
export type { Period } from '../../revenue/figures/window';

/** No payment has ever been tried: there are no numbers to show. */
export function isEmpty(summary: SummaryView | undefined): boolean {
  const { all_time: calls, settlement } = summary ?? {};
  if (!calls || !settlement) return false;
  const { settled, pending, needs_reconciliation, failed } = settlement;
  return calls.paid_calls + calls.credit_calls + settled + pending + needs_reconciliation + failed === 0;
}
