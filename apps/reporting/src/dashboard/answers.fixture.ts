import { createHash } from 'node:crypto';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type { Changes, Cohort, Cohorts, Customer, Customers, CustomerSort, Subscriptions } from './browser/answers';
import { ago, AS_OF, type Business, dayAfter, someSubscriptions, TODAY } from './business.fixture';
import * as calls from './calls-answers.fixture';
import { type Asked, previousOf, type Span, spanOf, sumOf } from './calls-answers.fixture';

/** Headers of the answer that nothing has changed. */
export const unchanged = ({ lagSeconds }: Business) => ({ 'x-as-of': AS_OF, 'x-lag-seconds': String(lagSeconds) });

/** The answer to one request of the page; null when nothing has changed since the one before, undefined for 404. */
export function answerTo({ pathname, searchParams: query }: URL, business: Business): object | null | undefined {
  const name = pathname.split('/').at(-1)!;
  const fresh = { as_of: AS_OF, lag_seconds: business.lagSeconds };
  const asked: Asked = { business, query, span: spanIn(query), fresh };
  const answers: Record<string, (asked: Asked) => object | null> = {
    changes: changesAnswer,
    summary: calls.summaryAnswer,
    timeseries: calls.timeseriesAnswer,
    endpoints: calls.endpointsAnswer,
    payments: calls.paymentsAnswer,
    customers: customersAnswer,
    cohorts: cohortsAnswer,
    credits: calls.creditsAnswer,
    subscriptions: subscriptionsAnswer,
    reconciliation: calls.reconciliationAnswer,
  };
  if (pathname.includes('/payments/')) return calls.storyAnswer(asked, name);
  if (!answers[name]) throw new Error(`the page asks for ${pathname}`);
  return answers[name](asked);
}

function spanIn(query: URLSearchParams): Span {
  const [days, from, to, month] = ['days', 'from', 'to', 'month'].map((name) => query.get(name));
  if (from) return spanOf(from, to!);
  if (!month) return spanOf(dayAfter(TODAY, 1 - Number(days ?? 30)), TODAY);
  const last = dayAfter(`${monthAfter(month, 1)}-01`, -1);
  return spanOf(`${month}-01`, last < TODAY ? last : TODAY);
}

/** A part has another version as soon as anything of the business is another. */
function changesAnswer({ business, query, fresh }: Asked): Changes | null {
  const all = JSON.stringify({ ...business, callsOn: business.callsOn.toString() });
  const version = createHash('sha256').update(all).digest('hex');
  if (version === query.get('since')) return null;
  return { changed: ['calls', 'subscriptions'], health: calls.healthAnswer(business), version, ...fresh };
}

/** Wallets in the order that is asked for, a page at a time. */
function customersAnswer({ business, query, span, fresh }: Asked): Customers {
  const isCompared = query.get('compare') === 'previous';
  const [limit, from] = [Number(query.get('limit') ?? 25), Number(query.get('cursor') ?? 0)];
  const sort = (query.get('sort') ?? 'lifetime_spend') as CustomerSort;
  const all = business.wallets
    .map((wallet, index) => aCustomer(wallet, index, isCompared))
    .sort((one, other) => valueOf(other, sort) - valueOf(one, sort));
  const page = all.slice(from, from + limit).map((customer, index) => ({ ...customer, rank: from + index + 1 }));
  const any = all.length > 0 ? 1 : 0;
  const side = { ...span, until: null };
  return {
    limit,
    count: page.length,
    customers: page,
    tier_distribution: (['base', 'tier_1', 'tier_2', 'tier_3'] as const).map((tier, index) => ({
      tier,
      wallets: any * [121, 11, 1, 0][index]!,
    })),
    rebates: {
      rebate_issued: usdAmount(0),
      rebate_redeemed: usdAmount(0),
      returned_change: usdAmount(0),
      credits_issued: 0,
      credits_redeemed: 0,
      credits_outstanding: 0,
      outstanding_face_value: usdAmount(0),
      credits_expired: 0,
      expired_face_value: usdAmount(0),
      liability: usdAmount(0),
    },
    window: span,
    sort,
    basis: 'call',
    next_cursor: from + limit < all.length ? String(from + limit) : null,
    ...(isCompared && { previous: { ...side, compared: side } }),
    ...fresh,
  };
}

const TIERS = ['tier_2', 'tier_1', 'tier_1'] as const;

function aCustomer(wallet: string, index: number, isCompared: boolean): Omit<Customer, 'rank'> {
  const spend = Math.round(134_050_000 / (index * 2.4 + 1));
  // Who spent most of all is not who spent most lately.
  const side = (share: number) => {
    const paid_calls = Math.round(((index % 5) + 1) * share);
    return { spend: usdAmount(paid_calls * 50_000), paid_calls };
  };
  const [compared, before] = [side(28), side(index % 3 === 2 ? 0 : 20 + 9 * (index % 4))];
  const changed = usdAmount((compared.paid_calls - before.paid_calls) * 50_000);
  return {
    wallet,
    tier: TIERS[index] ?? 'base',
    lifetime_spend: usdAmount(spend),
    paid_calls: Math.round(spend / 50_000) + (index % 2) * 300,
    credit_calls: index < 3 ? 9 - index * 4 : 0,
    first_payment_at: '2025-11-03T09:00:00.000Z',
    last_payment_at: ago(4_000 + ((index * 7) % 31) * 3_700_000),
    rebate_accrued: usdAmount(55_000),
    rebate_issued: usdAmount(1_600_000),
    credits: { issued: 16, redeemed: 9, outstanding: 7 },
    window: side(31),
    ...(isCompared && { change: { before, compared, spend: changed } }),
  };
}

function valueOf(customer: Omit<Customer, 'rank'>, sort: CustomerSort): number {
  const { lifetime_spend, paid_calls, last_payment_at, window, change } = customer;
  return {
    lifetime_spend: lifetime_spend.usd,
    paid_calls,
    last_payment: Date.parse(last_payment_at),
    window_spend: window?.spend.usd ?? 0,
    window_fall: -(change?.spend.usd ?? 0),
  }[sort];
}

/** Wallets that first paid in the months since March, fewer of each in later months. */
function cohortsAnswer({ business, query, fresh }: Asked): Cohorts {
  const present = TODAY.slice(0, 7);
  const to = query.get('to')?.slice(0, 7) ?? present;
  const from = query.get('from')?.slice(0, 7) ?? monthAfter(present, 1 - Number(query.get('months') ?? 12));
  const names = monthsIn(from, to);
  const cohorts = names.map((month): Cohort => {
    const isAny = business.wallets.length > 0 && month >= '2025-03';
    const wallets = isAny ? 9 + ((Number(month.slice(5)) * 7) % 32) : 0;
    const months = monthsIn(month, present).map((name, age) => {
      const active = age === 0 ? wallets : Math.floor((wallets * (0.94 - 0.05 * ((age * 5) % 4))) / (0.55 * age + 1));
      return {
        month: name,
        active_wallets: active,
        retention_pct: wallets === 0 ? 0 : Math.round((active / wallets) * 10_000) / 100,
        paid_calls: active * 12,
        gross_revenue: usdAmount(active * 600_000),
      };
    });
    const gross_revenue = usdAmount(600_000 * sumOf(months.map((row) => row.active_wallets)));
    return { month, wallets, gross_revenue, months };
  });
  return { currency: 'USD', months: names.length, from, to, cohorts, ...fresh };
}

function monthsIn(first: string, last: string): string[] {
  return first > last ? [] : [first, ...monthsIn(monthAfter(first, 1), last)];
}

function monthAfter(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7);
}

/** The file of a month: of each section a line for each figure. */
export function statementFile(month: string): string {
  const ofCalls = ['paid_calls', 'credit_calls', 'gross_revenue', 'attributed_cost', 'net_margin'];
  const figures: Record<string, readonly string[]> = {
    ...Object.fromEntries([...PAID_ENDPOINTS.map(({ path }) => path), 'calls'].map((section) => [section, ofCalls])),
    credits: ['opening', 'issued', 'redeemed', 'expired', 'closing', 'rebate_redeemed', 'returned_change'],
    mrr: ['start', 'new', 'reactivation', 'expansion', 'contraction', 'churn', 'end'],
    subscribers: ['start', 'new', 'reactivated', 'churned', 'end', 'churn_pct'],
    invoices: ['paid', 'gross', 'tax', 'refunded', 'disputed', 'net'],
    'corrected_since calls': ['paid_calls', 'gross_revenue', 'attributed_cost', 'net_margin'],
    'corrected_since invoices': ['refunded', 'disputed'],
  };
  const lines = Object.entries(figures).flatMap(([section, items]) =>
    items.map((item) => `${month},${section},${item},${item.endsWith('_calls') ? '1203,' : ',60.150000'}`),
  );
  return ['month,section,item,count,amount_usd', ...lines, ''].join('\r\n');
}

const MONTHLY_MICROS = 7_990_000;
const YEARLY_A_MONTH_MICROS = 4_999_167;

function subscriptionsAnswer(asked: Asked): Subscriptions {
  const { business, span, fresh } = asked;
  const isAny = business.subscriptions !== null;
  const people = business.subscriptions ?? someSubscriptions({ monthly: 0, yearly: 0 });
  const { monthly, yearly, pastDue, disputedMicros } = people;
  const amounts = amountsOf(monthly, yearly);
  const share = (parts: number): number => Math.floor((monthly * parts) / 100);
  const [joined, returned, left] = [share(9), share(1), share(3)];
  const subscribers = monthly + yearly;
  const before = subscribers - joined - returned + left;
  const [gross, tax, refunded] = [amounts.end + amounts.new, Math.floor(amounts.end / 6), share(1) * MONTHLY_MICROS];
  const figures = {
    mrr: {
      start: usdAmount(amounts.start),
      new: usdAmount(amounts.new),
      reactivation: usdAmount(amounts.reactivation),
      expansion: usdAmount(amounts.expansion),
      contraction: usdAmount(amounts.contraction),
      churn: usdAmount(amounts.churn),
      end: usdAmount(amounts.end),
    },
    subscribers: {
      start: before,
      new: joined,
      reactivated: returned,
      churned: left,
      end: subscribers,
      churn_pct: before === 0 ? null : Math.round((left / before) * 10_000) / 100,
    },
    arr: usdAmount(amounts.end * 12),
    arpu: subscribers === 0 ? null : usdAmount(Math.round(amounts.end / subscribers)),
    months: [
      {
        month: '2026-01',
        subscribers: subscribers + left,
        churned: left,
        churn_pct: 1.8,
        mrr: usdAmount(amounts.end + amounts.churn),
        mrr_churned: usdAmount(amounts.churn),
        mrr_churn_pct: 2.1,
      },
    ],
    invoices: {
      paid: subscribers,
      gross: usdAmount(gross),
      tax: usdAmount(tax),
      refunded: usdAmount(refunded),
      disputed: usdAmount(isAny ? disputedMicros : 0),
      net: usdAmount(gross - tax - refunded - disputedMicros),
    },
  };
  const plans: Subscriptions['plans'] = [
    { code: 'premium_monthly', subscribers: monthly, mrr: usdAmount(monthly * MONTHLY_MICROS) },
    { code: 'premium_yearly', subscribers: yearly, mrr: usdAmount(yearly * YEARLY_A_MONTH_MICROS) },
    { code: null, subscribers: 0, mrr: usdAmount(0) },
  ];
  const { start, end } = amounts;
  return {
    currency: 'USD',
    ...span,
    ...figures,
    standing: {
      active: subscribers - pastDue,
      past_due: pastDue,
      trialing: isAny ? 27 : 0,
      scheduled_to_cancel: isAny ? 14 : 0,
      granted: isAny ? 3 : 0,
    },
    plans: isAny ? plans : [],
    // It grows by the same amount every day.
    points: Array.from({ length: span.days }, (_, index) => ({
      date: dayAfter(span.from, index),
      mrr: usdAmount(Math.round(start + ((end - start) * (index + 1)) / span.days)),
      gross: usdAmount(0),
      refunded: usdAmount(0),
      new: 0,
      churned: 0,
    })),
    ...previousOf(asked, () => ({ ...figures, points: [] })),
    ...fresh,
  };
}

/** In micro-dollars a month. */
function amountsOf(monthly: number, yearly: number) {
  const share = (parts: number): number => Math.floor((monthly * parts) / 100);
  const moved = {
    new: share(9) * MONTHLY_MICROS,
    reactivation: share(1) * MONTHLY_MICROS,
    expansion: share(1) * 1_000_000,
    contraction: share(2) * (MONTHLY_MICROS - YEARLY_A_MONTH_MICROS),
    churn: share(3) * MONTHLY_MICROS,
  };
  const end = monthly * MONTHLY_MICROS + yearly * YEARLY_A_MONTH_MICROS;
  const won = moved.new + moved.reactivation + moved.expansion - moved.contraction - moved.churn;
  return { start: end - won, ...moved, end };
}
