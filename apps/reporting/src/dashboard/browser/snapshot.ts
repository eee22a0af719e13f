import { type AdminApi, paymentsOf } from './admin-api';
import type { Customers, Endpoints, Subscriptions, Summary, Timeseries } from './answers';
import { type PaymentRows, refreshed, rowsToRefresh } from './payments.panel';
import { elapsedMs } from './times-text';
import type { PageSettings } from './page-state';

/** All answers that the page shows. */
export interface Snapshot {
  days: number;
  /** Which payments are in it. */
  shownPayments: string;
  summary: Summary;
  endpoints: Endpoints;
  timeseries: Timeseries;
  payments: PaymentRows;
  customers: Customers;
  subscriptions: Subscriptions;
  /** Age of the oldest payment that waits, if any. */
  oldestWaitingMs: number | undefined;
  /** On the monotonic clock of the page. */
  receivedAtMs: number;
}

const CUSTOMERS = 10;

/** @param before the snapshot that this one takes the place of; rows loaded on demand outlive it */
export async function loadSnapshot(
  api: AdminApi,
  view: PageSettings,
  before: Snapshot | undefined,
  signal: AbortSignal,
): Promise<Omit<Snapshot, 'receivedAtMs'>> {
  const { days } = view;
  const shownPayments = paymentsOf(view);
  const rows = before?.shownPayments === shownPayments ? before.payments : { rows: [], nextCursor: null };
  const [summary, endpoints, timeseries, page, customers, subscriptions] = await Promise.all([
    api.summary(view, signal),
    api.endpoints(view, signal),
    api.timeseries(view, signal),
    api.payments(view, { limit: rowsToRefresh(rows) }, signal),
    api.customers(CUSTOMERS, signal),
    api.subscriptions(view, signal),
  ]);
  const payments = refreshed(rows, page);
  const oldestWaitingMs = await oldestWaiting(api, summary, signal);
  return { days, shownPayments, summary, endpoints, timeseries, payments, customers, subscriptions, oldestWaitingMs };
}

/** Requested only while a payment waits. */
async function oldestWaiting(api: AdminApi, summary: Summary, signal: AbortSignal): Promise<number | undefined> {
  if (summary.settlement.pending === 0) return undefined;
  const { as_of, unresolved } = await api.reconciliation(signal);
  const oldest = unresolved.statuses.settlement_pending.oldest_verified_at;
  return oldest === null ? undefined : elapsedMs(oldest, as_of);
}
