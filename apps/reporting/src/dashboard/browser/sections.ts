import { type AdminApi, type Question, refusalFrom } from './admin-api';
import type {
  Cohorts,
  Credits,
  Customers,
  Endpoints,
  Payments,
  PaymentStory,
  Reconciliation,
  Subscriptions,
  Summary,
  Timeseries,
} from './answers';
import { CUSTOMERS, type List, MORE_ROWS, MOST_ROWS, PAYMENTS, readList, withPage } from './lists';
import { cohortsQuery, periodQuery } from './period';
import { intervalOf } from './points';
import { type FileName, type PageSettings, sortOf } from './settings';

/** The sections of the page: each answer is read, fails and recovers by itself. */
export interface Answers {
  summary: Summary;
  reconciliation: Reconciliation;
  endpoints: Endpoints;
  timeseries: Timeseries;
  payments: Payments;
  /** That of the open row: undefined while none is open, null when there is none with this id. */
  payment: PaymentStory | null | undefined;
  customers: Customers;
  cohorts: Cohorts;
  credits: Credits;
  subscriptions: Subscriptions;
  /** Its lines: month, section, item, count, amount; undefined while it is not shown. */
  statement: string[][] | undefined;
}

export type SectionName = keyof Answers;
export type ListName = 'payments' | 'customers';

export interface Section<Answer> {
  /** It is read again when this part of the numbers has changed. */
  part: 'calls' | 'subscriptions';
  /** Shortest time between two reads that nobody asked for: six open pages stay below the limit of the API. */
  paceMs: number;
  question: (view: PageSettings) => Question | undefined;
  /** @param before the answer to the same question that this one takes the place of */
  read: (api: AdminApi, question: Question, before: Answer | undefined, signal: AbortSignal) => Promise<Answer>;
  more?: (api: AdminApi, question: Question, before: Answer, signal: AbortSignal) => Promise<Answer>;
}

const QUICK_MS = 30_000;
const CALM_MS = 60_000;

function section<Answer>(question: Section<Answer>['question'], over: Partial<Section<Answer>> = {}): Section<Answer> {
  const read: Section<Answer>['read'] = (api, asked, _before, signal) => api.read(asked, signal);
  return { part: 'calls', paceMs: CALM_MS, question, read, ...over };
}

function listSection<Answer extends { next_cursor: string | null }, Row>(
  list: List<Answer, Row>,
  question: Section<Answer>['question'],
  over: Partial<Section<Answer>> = {},
): Section<Answer> {
  // The rows have the name of their route.
  const pageOf = (api: AdminApi, { path, query }: Question, page: object, signal: AbortSignal): Promise<Answer> =>
    api.read({ path, query: { ...page, ...query } }, signal, path);
  return section(question, {
    read: (api, asked, before, signal) =>
      readList(list, (page) => pageOf(api, asked, page, signal), before, isAmongPayments()),
    more: async (api, asked, before, signal) => {
      const limit = Math.min(MORE_ROWS, MOST_ROWS - list.rows(before).length);
      return withPage(list, before, await pageOf(api, asked, { limit, cursor: before.next_cursor }, signal));
    },
    ...over,
  });
}

export const SECTIONS: { readonly [Name in SectionName]: Section<Answers[Name]> } = {
  summary: section((view) => ({ path: 'summary', query: windowQuery(view) }), { paceMs: QUICK_MS }),
  reconciliation: section(() => ({ path: 'reconciliation', query: { limit: 1 } })),
  endpoints: section((view) => ({ path: 'endpoints', query: windowQuery(view) })),
  timeseries: section((view) => ({ path: 'timeseries', query: { ...windowQuery(view), interval: intervalOf(view) } })),
  payments: listSection(PAYMENTS, (view) => ({ path: 'payments', query: paymentsQuery(view) }), { paceMs: QUICK_MS }),
  payment: section(({ open }) => (open === '' ? undefined : { path: `payments/${open}`, query: {} }), {
    paceMs: QUICK_MS,
    read: (api, asked, _before, signal) =>
      api.read<PaymentStory>(asked, signal).catch((error: unknown) => {
        if (refusalFrom(error).status === 404) return null;
        throw error;
      }),
  }),
  customers: listSection(CUSTOMERS, (view) => ({
    path: 'customers',
    query: { ...windowQuery(view), sort: sortOf(view) },
  })),
  cohorts: section(({ period }) => ({ path: 'cohorts', query: cohortsQuery(period) })),
  credits: section(({ period }) => ({ path: 'credits', query: periodQuery(period) })),
  subscriptions: section((view) => ({ path: 'subscriptions', query: { ...windowQuery(view), basis: undefined } }), {
    part: 'subscriptions',
  }),
  statement: section(({ statement: month }) => (month ? { path: 'statement.csv', query: { month } } : undefined), {
    read: (api, asked, _before, signal) => api.lines(asked, signal),
  }),
};

export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];

export function fileQuestion(name: FileName, view: PageSettings): Question {
  const { period, status, filters, statement: month } = view;
  const path = `${name}.csv`;
  if (name === 'statement') return { path, query: { month } };
  const basis = name === 'payments' || name === 'customers' ? basisOf(view) : undefined;
  const which = name === 'payments' ? { status: statusOf(status), wallet: filters.wallet } : {};
  return { path, query: { ...periodQuery(period), basis, ...which } };
}

/** Then the place of the focus must not go away. */
function isAmongPayments(): boolean {
  return document.getElementById('payment-rows')?.contains(document.activeElement) ?? false;
}

/** The list follows the period, unless it shows certain payments: those are found whenever they were. */
function paymentsQuery(view: PageSettings): Question['query'] {
  const { status, period, filters } = view;
  const { within, endpoint, ...certain } = filters;
  const [from, to] = within?.split('/') ?? [];
  const isOfPeriod =
    !within && !Object.values(certain).some((value) => value) && (status === 'all' || status === 'settled');
  const hasDays = isOfPeriod || within !== undefined || filters.day !== undefined;
  return {
    status: statusOf(status),
    ...certain,
    endpoint,
    ...(isOfPeriod ? periodQuery(period) : { from, to }),
    basis: hasDays ? basisOf(view) : undefined,
  };
}

function windowQuery(view: PageSettings): Question['query'] {
  return { ...periodQuery(view.period), basis: basisOf(view), compare: view.compare ? 'previous' : undefined };
}

/** Absent members mean the same. */
function basisOf({ basis }: PageSettings): string | undefined {
  return basis === 'call' ? undefined : basis;
}

function statusOf(status: PageSettings['status']): string | undefined {
  return status === 'all' ? undefined : status;
}
