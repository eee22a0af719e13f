import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type {
  Cohort,
  Cohorts,
  Credits,
  Customer,
  Customers,
  CustomerSort,
  Day,
  Interval,
  Totals,
} from './browser/answers';

const DAY_MS = 86_400_000;
const HOURS = 24;

/** Days in a row. */
interface Days {
  from: string;
  to: string;
}

const freshnessAt = (as_of: string) => ({ as_of, lag_seconds: 0.4 });
const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const COST_MICROS = 400;
const AVERAGE_PRICE_MICROS = 44_000;

export function totalsOf(calls: number, payers: number): Totals {
  const priceMicros = AVERAGE_PRICE_MICROS + 4_000 * ((calls * 7) % 5);
  const [gross, cost] = [calls * priceMicros, calls * COST_MICROS];
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

const PAYERS = 17;

interface SeriesOf {
  asOf: string;
  callsOn: (day: string) => number;
}

/** Points of days, with the same sums whatever the interval. */
export function pointsOf({ from, to }: Days, interval: Interval, { asOf, callsOn }: SeriesOf): Day[] {
  const today = asOf.slice(0, 10);
  const days = daysIn({ from, to });
  if (interval === 'hour') {
    const nowHour = Number(asOf.slice(11, 13));
    return days.flatMap((date) =>
      Array.from({ length: date === today ? nowHour + 1 : HOURS }, (_, hour) => ({
        date,
        hour,
        ...totalsOf(hourCalls(callsOn(date), hour), PAYERS),
        complete: date < today || hour < nowHour,
      })),
    );
  }
  const begins = { day: () => true, week: (day: string) => new Date(day).getUTCDay() === 1, month: isFirst }[interval];
  const parts = days.reduce<string[][]>((all, day, index) => {
    if (index === 0 || begins(day)) all.push([]);
    all.at(-1)!.push(day);
    return all;
  }, []);
  return parts.map((part) => {
    const [first, last] = [part[0]!, part.at(-1)!];
    return {
      date: first,
      ...(interval !== 'day' && { to: last }),
      ...totalsOf(sum(part.map(callsOn)), PAYERS),
      complete: last < today && begins(first) && begins(dayAt(Date.parse(last) + DAY_MS)),
    };
  });
}

const isFirst = (day: string) => day.endsWith('-01');

/** More around noon; the last hour has what is left. */
function hourCalls(calls: number, hour: number): number {
  const upTo = (end: number) => Math.round((calls * (end - 3 * Math.sin((end * 2 * Math.PI) / HOURS))) / HOURS);
  return upTo(hour + 1) - upTo(hour);
}

function daysIn({ from, to }: Days): string[] {
  const days = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS) days.push(dayAt(ms));
  return days;
}

const TIERS = ['tier_2', 'tier_1', 'tier_1', 'base', 'base', 'base', 'base'] as const;

interface Brought {
  asOf: string;
  /** That have paid. */
  wallets: readonly string[];
  window: Days & { days: number };
}

/** Wallets in the order that is asked for, a page at a time. */
export function customersAnswer(query: URLSearchParams, { asOf, wallets, window }: Brought): Customers {
  const isCompared = query.get('compare') === 'previous';
  const [limit, from] = [Number(query.get('limit') ?? 25), Number(query.get('cursor') ?? 0)];
  const sort = (query.get('sort') ?? 'lifetime_spend') as CustomerSort;
  const all = wallets
    .map((wallet, index) => aCustomer(wallet, index, asOf, isCompared))
    .sort((one, other) => valueOf(other, sort) - valueOf(one, sort));
  const page = all.slice(from, from + limit).map((customer, index) => ({ ...customer, rank: from + index + 1 }));
  const any = wallets.length > 0 ? 1 : 0;
  const span = { ...window, until: null };
  return {
    limit,
    count: page.length,
    customers: page,
    tier_distribution: [
      { tier: 'base', wallets: any * 121 },
      { tier: 'tier_1', wallets: any * 11 },
      { tier: 'tier_2', wallets: any },
      { tier: 'tier_3', wallets: 0 },
    ],
    rebates: {
      rebate_issued: usdAmount(any * 1_700_000),
      rebate_redeemed: usdAmount(any * 450_000),
      returned_change: usdAmount(any * 450_000),
      credits_issued: any * 17,
      credits_redeemed: any * 9,
      credits_outstanding: any * 8,
      outstanding_face_value: usdAmount(any * 800_000),
      credits_expired: any * 2,
      expired_face_value: usdAmount(any * 200_000),
      liability: usdAmount(any * 600_000),
    },
    window,
    sort,
    basis: 'call' as const,
    next_cursor: from + limit < all.length ? String(from + limit) : null,
    ...(isCompared && { previous: { ...span, compared: span } }),
    ...freshnessAt(asOf),
  };
}

function aCustomer(wallet: string, index: number, asOf: string, isCompared: boolean): Omit<Customer, 'rank'> {
  const spend = Math.round(134_050_000 / (index * 2.4 + 1));
  // Who spent most of all is not who spent most lately.
  const side = (share: number) => {
    const calls = Math.round(((index % 5) + 1) * share);
    return { spend: usdAmount(calls * 50_000), paid_calls: calls };
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
    last_payment_at: new Date(Date.parse(asOf) - 4_000 - ((index * 7) % 31) * 3_700_000).toISOString(),
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

/** Wallets that first paid in the months since November, fewer of each in later months. */
export function cohortsAnswer(query: URLSearchParams, { asOf, wallets: known }: Brought): Cohorts {
  const present = asOf.slice(0, 7);
  const until = query.get('to')?.slice(0, 7) ?? present;
  const first = query.get('from')?.slice(0, 7) ?? monthAfter(present, 1 - Number(query.get('months') ?? 12));
  const names = monthsIn(first, until);
  const cohorts = names.map((month): Cohort => {
    const wallets = known.length > 0 && month >= '2025-03' ? 9 + ((Number(month.slice(5)) * 7) % 32) : 0;
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
    return { month, wallets, gross_revenue: usdAmount(sum(months.map((row) => row.active_wallets * 600_000))), months };
  });
  return { currency: 'USD', months: names.length, from: first, to: until, cohorts, ...freshnessAt(asOf) };
}

function monthsIn(first: string, last: string): string[] {
  const months = [];
  for (let month = first; month <= last; month = monthAfter(month, 1)) months.push(month);
  return months;
}

function monthAfter(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7);
}

/** The file of a month: of each section a line for each figure. */
export function statementFile(month: string): string {
  const calls = ['paid_calls', 'credit_calls', 'gross_revenue', 'attributed_cost', 'net_margin'];
  const figures: Record<string, readonly string[]> = {
    ...Object.fromEntries([...PAID_ENDPOINTS.map(({ path }) => path), 'calls'].map((section) => [section, calls])),
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

export function creditsAnswer({ asOf, wallets, window }: Brought): Credits {
  const isAny = wallets.length > 0;
  const flow = (credits: number) => ({
    credits: isAny ? credits : 0,
    face_value: usdAmount(isAny ? credits * 100_000 : 0),
  });
  return {
    currency: 'USD',
    ...window,
    opening: flow(6),
    issued: flow(17),
    redeemed: flow(9),
    expired: flow(3),
    closing: flow(11),
    rebate_redeemed: usdAmount(isAny ? 450_000 : 0),
    returned_change: usdAmount(isAny ? 450_000 : 0),
    points: [],
    ...freshnessAt(asOf),
  };
}
