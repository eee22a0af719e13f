/** The answers of `/v1/admin/revenue/*` under the names of this page; as types only, nothing of the service gets into it. */
export type { CustomersView as Customers, CustomerView as Customer } from '../../revenue/customers/customers.view';
export type {
  EndpointRevenueView as EndpointRow,
  EndpointsView as Endpoints,
} from '../../revenue/endpoints/endpoints.view';
export type { CallFiguresView as Totals, Money } from '../../revenue/figures/figures.view';
export type { PaymentStatus } from '../../revenue/payments/payment-rows';
export type { PaymentView as Payment, PaymentsView as Payments } from '../../revenue/payments/payments.view';
export type { ReconciliationView as Reconciliation } from '../../revenue/reconciliation/reconciliation.view';
export type { SummaryView as Summary } from '../../revenue/summary/summary.view';
export type { PointView as Day, TimeseriesView as Timeseries } from '../../revenue/timeseries/timeseries.view';
