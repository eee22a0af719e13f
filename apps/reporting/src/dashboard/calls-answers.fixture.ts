import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type {
  Credits,
  Day,
  Endpoints,
  HealthFacts,
  Interval,
  Payment,
  Payments,
  PaymentStory,
  Reconciliation,
  Summary,
  Timeseries,
  Totals,
} from './browser/answers';
import {
  ago,
  aPayment,
  AS_OF,
  type Business,
  dayAfter,
  daysBetween,
  FIRST_DAY,
  nonceOf,
  TODAY,
} from './business.fixture';

/** Days in a row. */
export interface Span {
  days: number;
  from: string;
  to: string;
}

/** What a question is about. */
export interface Asked {
  business: Business;
  query: URLSearchParams;
  span: Span;
  fresh: { as_of: string; lag_seconds: number };
}

export function spanOf(from: string, to: string): Span {
  return { days: daysBetween(from, to) + 1, from, to };
}

export const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

const daysIn = ({ days, from }: Span) => Array.from({ length: days }, (_, index) => dayAfter(from, index));
const callsIn = ({ callsOn }: Business, span: Span) => sumOf(daysIn(span).map(callsOn));

/** Asked for, and the same weekdays in whole weeks before; null before the first payment. */
export function previousOf<Figures>({ query, span }: Asked, figuresOf: (side: Span) => Figures) {
  if (query.get('compare') !== 'previous') return {};
  const back = -7 * Math.ceil(span.days / 7);
  const before = spanOf(dayAfter(span.from, back), dayAfter(span.to, back));
  const side = (one: Span) => ({ ...one, until: null, ...figuresOf(one) });
  return { previous: before.from < FIRST_DAY ? null : { ...side(before), compared: side(span) } };
}

function totalsOf(calls: number, payers: number): Totals {
  const priceMicros = 44_000 + 4_000 * ((calls * 7) % 5);
  const [gross, cost] = [calls * priceMicros, calls * 400];
  return {
    gross_revenue: usdAmount(gross),
    attributed_cost: usdAmount(cost),
    net_margin: usdAmount(gross - cost),
    net_margin_pct: gross === 0 ? null : 99.22,
    paid_calls: calls,
    credit_calls: Math.floor(calls / 60),
    unique_payers: Math.min(payers, calls),
    rebate_redeemed: usdAmount(0),
  };
}

/** In days that are over some payments settled later. */
const SETTLED_LATER = {
  paid_calls: 3,
  gross_revenue: usdAmount(150_000),
  attributed_cost: usdAmount(1_200),
  net_margin: usdAmount(148_800),
};

export function summaryAnswer(asked: Asked): Summary {
  const { business, query, span, fresh } = asked;
  const basis = (query.get('basis') ?? 'call') as Summary['basis'];
  const figuresOf = (side: Span) => totalsOf(callsIn(business, side), 41);
  const dayOf = (date: string) => ({ date, ...totalsOf(business.callsOn(date), 17) });
  const total = callsIn(business, spanOf(FIRST_DAY, TODAY));
  const weekBefore = { ...dayOf(dayAfter(TODAY, -7)), until: ago(7 * 86_400_000) };
  const { previous } = previousOf(asked, figuresOf);
  return {
    currency: 'USD',
    window: { ...span, ...figuresOf(span), adjusted_after: basis === 'call' && span.to < TODAY ? SETTLED_LATER : null },
    today: dayOf(TODAY),
    all_time: { since: total === 0 ? null : FIRST_DAY, ...totalsOf(total, 133) },
    settlement: business.settlement,
    cost_model: { version: '1', per_call_usd_exact: '0.000400', per_settlement_usd_exact: '0.000000' },
    basis,
    ...(previous !== undefined && { previous: { window: previous, today: weekBefore } }),
    ...fresh,
  };
}

export function timeseriesAnswer(asked: Asked): Timeseries {
  const { business, query, span, fresh } = asked;
  const interval = (query.get('interval') ?? 'day') as Interval;
  const points = (side: Span) => pointsOf(business, side, interval);
  const previous = previousOf(asked, (side) => ({ points: points(side) }));
  return { currency: 'USD', ...span, points: points(span), interval, basis: 'call', ...previous, ...fresh };
}

const HOURS = 24;

/** With the same sums whatever the interval. */
function pointsOf({ callsOn }: Business, span: Span, interval: Interval): Day[] {
  const days = daysIn(span);
  if (interval === 'hour') {
    const nowHour = Number(AS_OF.slice(11, 13));
    return days.flatMap((date) =>
      Array.from({ length: date === TODAY ? nowHour + 1 : HOURS }, (_, hour) => ({
        date,
        hour,
        ...totalsOf(hourCalls(callsOn(date), hour), 17),
        complete: date < TODAY || hour < nowHour,
      })),
    );
  }
  const isMonday = (day: string) => new Date(day).getUTCDay() === 1;
  const begins = { day: () => true, week: isMonday, month: (day: string) => day.endsWith('-01') }[interval];
  const firsts = days.filter((day, index) => index === 0 || begins(day));
  return firsts.map((date, index) => {
    const to = firsts[index + 1] ? dayAfter(firsts[index + 1]!, -1) : span.to;
    return {
      date,
      ...(interval !== 'day' && { to }),
      ...totalsOf(sumOf(daysIn(spanOf(date, to)).map(callsOn)), 17),
      complete: to < TODAY && begins(date) && begins(dayAfter(to, 1)),
    };
  });
}

/** More around noon; the last hour has what is left. */
function hourCalls(calls: number, hour: number): number {
  const upTo = (end: number) => Math.round((calls * (end - 3 * Math.sin((end * 2 * Math.PI) / HOURS))) / HOURS);
  return upTo(hour + 1) - upTo(hour);
}

const SHARES = [0.4495, 0.2612, 0, 0.1713, 0.118];

export function endpointsAnswer(asked: Asked): Endpoints {
  const { business, span, fresh } = asked;
  const rowsOf = (side: Span) =>
    PAID_ENDPOINTS.map(({ method, path, priceMicros }, index) => {
      const calls = Math.round(callsIn(business, side) * SHARES[index]!);
      return {
        endpoint: path,
        method,
        price: usdAmount(priceMicros),
        ...totalsOf(calls, 20),
        share_pct: calls === 0 ? 0 : SHARES[index]! * 100,
        last_call_at: calls === 0 ? null : aPayment(index * 3).verified_at,
      };
    });
  const previous = previousOf(asked, (side) => ({ endpoints: rowsOf(side) }));
  return { currency: 'USD', ...span, endpoints: rowsOf(span), basis: 'call', ...previous, ...fresh };
}

export function creditsAnswer({ business, span, fresh }: Asked): Credits {
  const any = business.wallets.length > 0 ? 1 : 0;
  const flow = (credits: number) => ({ credits: any * credits, face_value: usdAmount(any * credits * 100_000) });
  return {
    currency: 'USD',
    ...span,
    opening: flow(6),
    issued: flow(17),
    redeemed: flow(9),
    expired: flow(3),
    closing: flow(11),
    rebate_redeemed: usdAmount(any * 450_000),
    returned_change: usdAmount(any * 450_000),
    points: [],
    ...fresh,
  };
}

export function healthAnswer(business: Business): HealthFacts {
  const { settlement, oldestWaitingMs, failedLately, usualCalls, subscriptions } = business;
  const { pastDue, disputedMicros } = subscriptions ?? { pastDue: 0, disputedMicros: 0 };
  const hour = (since: number, paid_calls: number) => ({
    since: `${TODAY}T${since}:00:00.000Z`,
    paid_calls,
    usual_paid_calls: usualCalls,
  });
  return {
    settlement,
    oldest_waiting_at: settlement.pending === 0 ? null : ago(oldestWaitingMs),
    last_payment_at: settlement.settled === 0 ? null : ago(4_000),
    failed_last_24h: failedLately,
    past_due: pastDue,
    disputes: { open: disputedMicros > 0 ? 1 : 0, amount: usdAmount(disputedMicros) },
    hours: [hour(13, 41), hour(14, 2)],
  };
}

export function reconciliationAnswer({ business, fresh }: Asked): Reconciliation {
  const group = (count: number) => ({
    count,
    has_more: false,
    amount: usdAmount(count * 50_000),
    oldest_verified_at: count === 0 ? null : ago(86_400_000),
  });
  const { pending, needs_reconciliation } = business.settlement;
  return {
    limit: 1,
    unresolved: {
      ...group(pending + needs_reconciliation),
      statuses: { settlement_pending: group(pending), needs_reconciliation: group(needs_reconciliation) },
      payments: [],
    },
    settled_without_hash: { ...group(business.settledWithoutHash), payments: [] },
    served_and_failed: { ...group(business.servedAndFailed), payments: [] },
    ...fresh,
  };
}

export function paymentsAnswer({ business, query, fresh }: Asked): Payments {
  const [limit, cursor] = [Number(query.get('limit')), query.get('cursor')];
  const all = business.payments.filter((payment) => isWanted(payment, query));
  // The cursor is the last row of the page before, whatever has come in above it since.
  const from = all.findIndex(({ id }) => id === cursor) + 1;
  const page = all.slice(from, from + limit);
  const next_cursor = from + limit < all.length ? page.at(-1)!.id : null;
  return { limit, count: page.length, payments: page, next_cursor, ...fresh };
}

function isWanted(payment: Payment, query: URLSearchParams): boolean {
  const { id, status, endpoint, payer, transaction_hash: hash, request_id: request, verified_at: at } = payment;
  const day = at.slice(0, 10);
  const isOne = (name: string, ...values: (string | null)[]) => !query.has(name) || values.includes(query.get(name));
  return [
    isOne('status', status),
    isOne('q', id, payer, hash, request, nonceOf(payment)),
    isOne('endpoint', endpoint),
    isOne('wallet', payer),
    isOne('day', day),
    isOne('group', status === 'settlement_failed' ? 'served_and_failed' : null),
    (query.get('from') ?? day) <= day && day <= (query.get('to') ?? day),
  ].every(Boolean);
}

/** Nothing for an id that no payment has. */
export function storyAnswer({ business, fresh }: Asked, id: string): PaymentStory | undefined {
  const payment = business.payments.find((one) => one.id === id);
  if (!payment) return undefined;
  const { status, verified_at, settled_at, transaction_hash } = payment;
  const reason = status === 'settled' ? null : 'facilitator_timeout';
  const end = { at: settled_at ?? verified_at, state: status, ...(reason && { reason }) };
  return {
    ...payment,
    nonce: nonceOf(payment),
    reason,
    served: true,
    tier: status === 'settled' ? 'tier_1' : null,
    attributed_cost: usdAmount(400),
    failed_at: status === 'settlement_failed' ? verified_at : null,
    credit_issued: null,
    story: [
      { at: verified_at, state: 'verified' },
      { ...end, ...(transaction_hash && { transaction_hash }) },
    ],
    ...fresh,
  };
}
