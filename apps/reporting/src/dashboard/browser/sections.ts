import { type AdminApi, paymentsOf, shownInterval } from './admin-api';
import type {
  Cohorts,
  Credits,
  Customers,
  Endpoints,
  Reconciliation,
  Subscriptions,
  Summary,
  Timeseries,
} from './answers';
import { readCustomers, sortOf } from './customer-rows';
import type { PageSettings } from './page-state';
import { type PaymentRows, refreshed, rowsToRefresh } from './payments.panel';

/** What the page shows: each answer is read, fails and recovers by itself. */
export interface Answers {
  summary: Summary;
  reconciliation: Reconciliation;
  endpoints: Endpoints;
  timeseries: Timeseries;
  payments: PaymentRows;
  customers: Customers;
  cohorts: Cohorts;
  credits: Credits;
  subscriptions: Subscriptions;
}

export type SectionName = keyof Answers;

/** How one answer is read. */
export interface Section<Answer> {
  /** It is read again when this part of the numbers has changed. */
  part: 'calls' | 'subscriptions';
  /** Shortest time between two reads that nobody asked for: six open pages stay below the limit of the API. */
  paceMs: number;
  /** Views that show the same answer have the same text. */
  settings: (view: PageSettings) => string;
  /** @param before the answer for the same settings that this one takes the place of */
  read: (api: AdminApi, view: PageSettings, before: Answer | undefined, signal: AbortSignal) => Promise<Answer>;
}

const QUICK_MS = 15_000;
const CALM_MS = 60_000;

const always = (): string => '';
const days = (view: PageSettings): string => JSON.stringify(view.period);
const period = ({ period: days, basis, compare }: PageSettings): string => JSON.stringify([days, basis, compare]);

export const SECTIONS: { readonly [Name in SectionName]: Section<Answers[Name]> } = {
  summary: {
    ...{ part: 'calls', paceMs: QUICK_MS, settings: period },
    read: (api, view, _before, signal) => api.summary(view, signal),
  },
  reconciliation: {
    ...{ part: 'calls', paceMs: QUICK_MS, settings: always },
    read: (api, _view, _before, signal) => api.reconciliation(signal),
  },
  endpoints: {
    ...{ part: 'calls', paceMs: CALM_MS, settings: period },
    read: (api, view, _before, signal) => api.endpoints(view, signal),
  },
  timeseries: {
    ...{ part: 'calls', paceMs: CALM_MS, settings: (view) => period(view) + shownInterval(view) },
    read: (api, view, _before, signal) => api.timeseries(view, signal),
  },
  payments: {
    ...{ part: 'calls', paceMs: QUICK_MS, settings: paymentsOf },
    async read(api, view, before, signal) {
      const page = await api.payments(view, { limit: rowsToRefresh(before) }, signal);
      return refreshed(before, page);
    },
  },
  customers: {
    ...{
      part: 'calls',
      paceMs: CALM_MS,
      settings: (view) => JSON.stringify([view.period, view.compare, sortOf(view)]),
    },
    read: readCustomers,
  },
  cohorts: {
    ...{ part: 'calls', paceMs: CALM_MS, settings: days },
    read: (api, view, _before, signal) => api.cohorts(view, signal),
  },
  credits: {
    ...{ part: 'calls', paceMs: CALM_MS, settings: days },
    read: (api, view, _before, signal) => api.credits(view, signal),
  },
  subscriptions: {
    ...{ part: 'subscriptions', paceMs: CALM_MS, settings: ({ period: days, compare }) => JSON.stringify([days, compare]) },
    read: (api, view, _before, signal) => api.subscriptions(view, signal),
  },
};

export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];
