import { usdAmount } from '@evenkeel/kernel';
import type { Subscriptions } from './browser/answers';

const MONTHLY_MICROS = 7_990_000;
const YEARLY_A_MONTH_MICROS = 4_999_167;

/** Subscriptions, in the variants that the page shows differently. */
export interface SubscriptionBusiness {
  monthly: number;
  yearly: number;
  pastDue: number;
  disputedMicros: number;
  lagSeconds: number;
}

export function someSubscriptions(over: Partial<SubscriptionBusiness> = {}): SubscriptionBusiness {
  return { monthly: 1_230, yearly: 415, pastDue: 0, disputedMicros: 0, lagSeconds: 0.2, ...over };
}

type Window = Pick<Subscriptions, 'days' | 'from' | 'to'>;

/**
 * The answer about a window.
 * @param business null for none, now and ever
 */
export function subscriptionsAnswer(
  business: SubscriptionBusiness | null,
  window: Window,
  previous: Window | undefined,
  asOf: string,
): Subscriptions {
  const { monthly, yearly, pastDue, disputedMicros, lagSeconds } =
    business ?? someSubscriptions({ monthly: 0, yearly: 0 });
  const isAny = business !== null;
  const plans: Subscriptions['plans'] = [
    { code: 'premium_monthly', subscribers: monthly, mrr: usdAmount(monthly * MONTHLY_MICROS) },
    { code: 'premium_yearly', subscribers: yearly, mrr: usdAmount(yearly * YEARLY_A_MONTH_MICROS) },
    { code: null, subscribers: 0, mrr: usdAmount(0) },
  ];
  const figures = figuresOf(monthly, yearly, isAny ? disputedMicros : 0);
  return {
    currency: 'USD',
    ...window,
    mrr: figures.mrr,
    arr: figures.arr,
    arpu: figures.arpu,
    subscribers: figures.subscribers,
    standing: {
      active: monthly + yearly - pastDue,
      past_due: pastDue,
      trialing: isAny ? 27 : 0,
      scheduled_to_cancel: isAny ? 14 : 0,
      granted: isAny ? 3 : 0,
    },
    plans: isAny ? plans : [],
    invoices: figures.invoices,
    months: figures.months,
    points: pointsOf(window, figures),
    ...(previous && {
      previous: {
        ...previous,
        until: null,
        ...figures,
        points: [],
        compared: { ...window, until: null, ...figures, points: [] },
      },
    }),
    as_of: asOf,
    lag_seconds: lagSeconds,
  };
}

/** MRR that grows by the same amount every day. */
function pointsOf({ days, to }: Window, { mrr }: ReturnType<typeof figuresOf>): Subscriptions['points'] {
  const [start, end] = [mrr.start, mrr.end].map(({ usd_exact }) => Number(usd_exact) * 1e6) as [number, number];
  return Array.from({ length: days }, (_, index) => ({
    date: new Date(Date.parse(to) - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10),
    mrr: usdAmount(Math.round(start + ((end - start) * (index + 1)) / days)),
    gross: usdAmount(0),
    refunded: usdAmount(0),
    new: 0,
    churned: 0,
  }));
}

function figuresOf(monthly: number, yearly: number, disputedMicros: number) {
  const share = (parts: number): number => Math.floor((monthly * parts) / 100);
  const [joined, returned, left] = [share(9), share(1), share(3)];
  const amounts = {
    new: joined * MONTHLY_MICROS,
    reactivation: returned * MONTHLY_MICROS,
    expansion: share(1) * 1_000_000,
    contraction: share(2) * (MONTHLY_MICROS - YEARLY_A_MONTH_MICROS),
    churn: left * MONTHLY_MICROS,
  };
  const end = monthly * MONTHLY_MICROS + yearly * YEARLY_A_MONTH_MICROS;
  const start = end - amounts.new - amounts.reactivation - amounts.expansion + amounts.contraction + amounts.churn;
  const subscribers = monthly + yearly;
  const before = subscribers - joined - returned + left;
  const [gross, tax, refunded] = [end + amounts.new, Math.floor(end / 6), share(1) * MONTHLY_MICROS];
  return {
    mrr: {
      start: usdAmount(start),
      new: usdAmount(amounts.new),
      reactivation: usdAmount(amounts.reactivation),
      expansion: usdAmount(amounts.expansion),
      contraction: usdAmount(amounts.contraction),
      churn: usdAmount(amounts.churn),
      end: usdAmount(end),
    },
    subscribers: {
      start: before,
      new: joined,
      reactivated: returned,
      churned: left,
      end: subscribers,
      churn_pct: before === 0 ? null : Math.round((left / before) * 10_000) / 100,
    },
    arr: usdAmount(end * 12),
    arpu: subscribers === 0 ? null : usdAmount(Math.round(end / subscribers)),
    months: [
      {
        month: '2026-01',
        subscribers: subscribers + left,
        churned: left,
        churn_pct: 1.8,
        mrr: usdAmount(end + amounts.churn),
        mrr_churned: usdAmount(amounts.churn),
        mrr_churn_pct: 2.1,
      },
    ],
    invoices: {
      paid: subscribers,
      gross: usdAmount(gross),
      tax: usdAmount(tax),
      refunded: usdAmount(refunded),
      disputed: usdAmount(disputedMicros),
      net: usdAmount(gross - tax - refunded - disputedMicros),
    },
  };
}
