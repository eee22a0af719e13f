import { type AdminApi, paymentsOf, shownInterval } from './admin-api';
import type {
  Cohorts,
  Credits,
  Customers,
  Endpoints,
  PaymentStory,
  Reconciliation,
  Subscriptions,
  Summary,
  Timeseries,
} from './answers';
import { readCustomers } from './customer-rows';
import { type PaymentRows, readRows } from './payment-rows';
import { sortOf, type PageSettings } from './page-settings';

/** The sections of the page: each answer is read, fails and recovers by itself. */
export interface Answers {
  summary: Summary;
  reconciliation: Reconciliation;
  endpoints: Endpoints;
  timeseries: Timeseries;
  payments: PaymentRows;
  /** That of the open row: undefined while none is open, null when there is none with this id. */
  payment: PaymentStory | null | undefined;
  customers: Customers;
  cohorts: Cohorts;
  credits: Credits;
  subscriptions: Subscriptions;
  /** Its lines; none while it is not shown. */
  statement: string[][];
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

const QUICK_MS = 30_000;
const CALM_MS = 60_000;

const always = (): string => '';
const days = (view: PageSettings): string => JSON.stringify(view.period);
const period = ({ period: days, basis, compare }: PageSettings): string => JSON.stringify([days, basis, compare]);

export const SECTIONS: { readonly [Name in SectionName]: Section<Answers[Name]> } = {
  summary: {
    part: 'calls',
    paceMs: QUICK_MS,
    settings: period,
    read: (api, view, _before, signal) => api.summary(view, signal),
  },
  reconciliation: {
    part: 'calls',
    paceMs: CALM_MS,
    settings: always,
    read: (api, _view, _before, signal) => api.reconciliation(signal),
  },
  endpoints: {
    part: 'calls',
    paceMs: CALM_MS,
    settings: period,
    read: (api, view, _before, signal) => api.endpoints(view, signal),
  },
  timeseries: {
    part: 'calls',
    paceMs: CALM_MS,
    settings: (view) => period(view) + shownInterval(view),
    read: (api, view, _before, signal) => api.timeseries(view, signal),
  },
  payments: {
    part: 'calls',
    paceMs: QUICK_MS,
    settings: paymentsOf,
    read: (api, view, before, signal) =>
      readRows((page) => api.payments(view, page, signal), before, before?.isExtended || isAmongRows()),
  },
  payment: {
    part: 'calls',
    paceMs: QUICK_MS,
    settings: ({ open }) => open,
    read: (api, { open }, _before, signal) => (open === '' ? Promise.resolve(undefined) : api.payment(open, signal)),
  },
  customers: {
    part: 'calls',
    paceMs: CALM_MS,
    settings: (view) => period(view) + sortOf(view),
    read: readCustomers,
  },
  cohorts: {
    part: 'calls',
    paceMs: CALM_MS,
    settings: days,
    read: (api, view, _before, signal) => api.cohorts(view, signal),
  },
  credits: {
    part: 'calls',
    paceMs: CALM_MS,
    settings: days,
    read: (api, view, _before, signal) => api.credits(view, signal),
  },
  subscriptions: {
    part: 'subscriptions',
    paceMs: CALM_MS,
    settings: ({ period: days, compare }) => JSON.stringify([days, compare]),
    read: (api, view, _before, signal) => api.subscriptions(view, signal),
  },
  statement: {
    part: 'calls',
    paceMs: CALM_MS,
    settings: ({ statement }) => statement,
    read: (api, { statement }, _before, signal) =>
      statement === '' ? Promise.resolve([]) : api.statement(statement, signal),
  },
};

/** Then the place of the focus must not go away. */
function isAmongRows(): boolean {
  return document.getElementById('payment-rows')?.contains(document.activeElement) ?? false;
}

export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];
