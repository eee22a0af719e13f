import { createHash } from 'node:crypto';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type { Changes, Endpoints, Interval, Subscriptions, Summary, Timeseries } from './browser/answers';
import { cohortsAnswer, creditsAnswer, customersAnswer, pointsOf, totalsOf } from './brings-answers.fixture';
import {
  anOperation,
  aPayment,
  healthAnswer,
  noOperation,
  type Operation,
  paymentsAnswer,
  reconciliationAnswer,
  storyAnswer,
  walletOf,
} from './payment-answers.fixture';
import { someSubscriptions, subscriptionsAnswer, type SubscriptionBusiness } from './subscription-answers.fixture';

const AS_OF = '2026-01-31T14:02:07.412Z';
const TODAY = Date.parse('2026-01-31');
const DAY_MS = 86_400_000;
/** Days ago. */
const FIRST_PAYMENT = 90;
const freshness = { as_of: AS_OF, lag_seconds: 0.4 };
const freshnessOf = ({ lagSeconds }: Business) => ({ as_of: AS_OF, lag_seconds: lagSeconds });
/** Headers of the answer that nothing has changed. */
export const unchanged = ({ lagSeconds }: Business) => ({ 'x-as-of': AS_OF, 'x-lag-seconds': String(lagSeconds) });

export interface Business extends Operation {
  /** That have paid, by what they have spent. */
  wallets: string[];
  /** Null without any, now and ever. */
  subscriptions: SubscriptionBusiness | null;
  /** Calls of a day, so many days ago. */
  callsOn: (daysAgo: number) => number;
}

/** A business that grows, with quiet weekends and one payment of each kind. */
export function aBusiness(): Business {
  return {
    ...anOperation(),
    wallets: Array.from({ length: 43 }, (_, index) => walletOf(index)),
    subscriptions: someSubscriptions(),
    callsOn: (daysAgo) => {
      const weekend = [0, 6].includes(new Date(TODAY - daysAgo * DAY_MS).getUTCDay()) ? 0.5 : 1;
      const wave = 1 + 0.25 * Math.sin(daysAgo * 1.7) + 0.15 * Math.cos(daysAgo * 0.9);
      const soFar = daysAgo === 0 ? 0.55 : 1;
      return daysAgo > FIRST_PAYMENT ? 0 : Math.round((190 - 1.6 * daysAgo) * weekend * wave * soFar);
    },
  };
}

/** No payment yet. */
export function noBusiness(): Business {
  return { ...noOperation(), wallets: [], subscriptions: null, callsOn: () => 0 };
}

/** The answer to one request of the page; null when nothing has changed since the one before, undefined for 404. */
export function answerTo(url: URL, business: Business): object | null | undefined {
  const { searchParams: query } = url;
  const window = windowIn(query);
  const compared = query.get('compare') === 'previous' ? comparisonOf(window) : undefined;
  const name = url.pathname.split('/').at(-1)!;
  if (name === 'changes') return changes(business, query.get('since'));
  if (name === 'summary')
    return summary(business, window, compared, (query.get('basis') ?? 'call') as Summary['basis']);
  if (name === 'timeseries') return timeseries(business, window, compared, query);
  if (name === 'endpoints') return endpoints(business, window, compared);
  if (name === 'payments') return paymentsAnswer(business, query, freshness);
  if (url.pathname.includes('/payments/')) return storyAnswer(business, name, freshness);
  const brought = { asOf: AS_OF, wallets: business.wallets, window: datesOf(window) };
  if (name === 'customers') return customersAnswer(query, brought);
  if (name === 'cohorts') return cohortsAnswer(query, brought);
  if (name === 'credits') return creditsAnswer(brought);
  if (name === 'subscriptions') return subscriptions(business, window, compared);
  if (name === 'reconciliation') return reconciliationAnswer(business, freshness);
  throw new Error(`the page asks for ${url.pathname}`);
}

/** Days in a row, by how long ago the last one is. */
interface Window {
  days: number;
  end: number;
}

interface Comparison {
  current: Window;
  before: Window;
}

function windowIn(query: URLSearchParams): Window {
  const daysAgo = (day: string) => (TODAY - Date.parse(day)) / DAY_MS;
  const between = (from: string, to: string) => ({ days: daysAgo(from) - daysAgo(to) + 1, end: daysAgo(to) });
  const [days, from, to, month] = ['days', 'from', 'to', 'month'].map((name) => query.get(name)!);
  if (from) return between(from, to!);
  if (!month) return { days: Number(days ?? 30), end: 0 };
  const [year, number] = month.split('-').map(Number) as [number, number];
  const last = Math.min(Date.UTC(year, number, 0), TODAY);
  return between(`${month}-01`, new Date(last).toISOString().slice(0, 10));
}

/** The same weekdays, in whole weeks before. */
function comparisonOf(window: Window): Comparison {
  return { current: window, before: { days: window.days, end: window.end + 7 * Math.ceil(window.days / 7) } };
}

/** There is nothing to compare with days before the first payment. */
function previousOf<Figures>({ before, current }: Comparison, figuresOf: (span: Window) => Figures) {
  const sideOf = (span: Window) => ({ ...datesOf(span), until: null, ...figuresOf(span) });
  return before.end + before.days - 1 > FIRST_PAYMENT ? null : { ...sideOf(before), compared: sideOf(current) };
}

function datesOf({ days, end }: Window) {
  return { days, from: dateOf(end + days - 1), to: dateOf(end) };
}

/** A part has another version as soon as anything of the business is another. */
function changes(business: Business, since: string | null): Changes | null {
  const version = createHash('sha256')
    .update(JSON.stringify({ ...business, callsOn: business.callsOn.toString() }))
    .digest('hex');
  if (version === since) return null;
  const health = healthAnswer(business, freshness.as_of, business.subscriptions);
  return { changed: ['calls', 'subscriptions'], health, version, ...freshnessOf(business) };
}

function dateOf(daysAgo: number): string {
  return new Date(TODAY - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

function callsWithin({ callsOn }: Business, { days, end }: Window): number {
  return Array.from({ length: days }, (_, index) => callsOn(end + index)).reduce((sum, calls) => sum + calls, 0);
}

/** In days that are over some payments settled later. */
const SETTLED_LATER = {
  paid_calls: 3,
  gross_revenue: usdAmount(150_000),
  attributed_cost: usdAmount(1_200),
  net_margin: usdAmount(148_800),
};

function summary(
  business: Business,
  window: Window,
  compared: Comparison | undefined,
  basis: Summary['basis'],
): Summary {
  const figuresOf = (span: Window) => totalsOf(callsWithin(business, span), 41);
  const dayOf = (daysAgo: number) => ({ date: dateOf(daysAgo), ...totalsOf(business.callsOn(daysAgo), 17) });
  const total = callsWithin(business, { days: 365, end: 0 });
  return {
    currency: 'USD',
    window: {
      ...datesOf(window),
      ...figuresOf(window),
      adjusted_after: basis === 'call' && window.end > 0 ? SETTLED_LATER : null,
    },
    today: dayOf(0),
    all_time: { since: total === 0 ? null : dateOf(FIRST_PAYMENT), ...totalsOf(total, 133) },
    settlement: business.settlement,
    cost_model: { version: '1', per_call_usd_exact: '0.000400', per_settlement_usd_exact: '0.000000' },
    basis,
    ...(compared && {
      previous: {
        window: previousOf(compared, figuresOf),
        today: { ...dayOf(7), until: new Date(Date.parse(AS_OF) - 7 * DAY_MS).toISOString() },
      },
    }),
    ...freshness,
  };
}

function timeseries(
  business: Business,
  window: Window,
  compared: Comparison | undefined,
  query: URLSearchParams,
): Timeseries {
  const interval = (query.get('interval') ?? 'day') as Interval;
  const callsOn = (day: string) => business.callsOn((TODAY - Date.parse(day)) / DAY_MS);
  const points = (span: Window) => pointsOf(datesOf(span), interval, { asOf: AS_OF, callsOn });
  return {
    currency: 'USD',
    ...datesOf(window),
    points: points(window),
    interval,
    basis: 'call',
    ...(compared && {
      previous: previousOf(compared, (span) => ({ points: points(span) })),
    }),
    ...freshness,
  };
}

const SHARES = [0.4495, 0.2612, 0, 0.1713, 0.118];

function endpoints(business: Business, window: Window, compared: Comparison | undefined): Endpoints {
  const rowsOf = (span: Window) =>
    PAID_ENDPOINTS.map(({ method, path, priceMicros }, index) => {
      const calls = Math.round(callsWithin(business, span) * SHARES[index]!);
      return {
        endpoint: path,
        method,
        price: usdAmount(priceMicros),
        ...totalsOf(calls, 20),
        share_pct: calls === 0 ? 0 : SHARES[index]! * 100,
        last_call_at: calls === 0 ? null : aPayment(index * 3).verified_at,
      };
    });
  return {
    currency: 'USD',
    ...datesOf(window),
    endpoints: rowsOf(window),
    basis: 'call',
    ...(compared && {
      previous: previousOf(compared, (span) => ({ endpoints: rowsOf(span) })),
    }),
    ...freshness,
  };
}

function subscriptions(business: Business, window: Window, compared: Comparison | undefined): Subscriptions {
  return subscriptionsAnswer(business.subscriptions, datesOf(window), compared && datesOf(compared.before), AS_OF);
}
