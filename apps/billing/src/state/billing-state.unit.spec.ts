import type { FoldedState } from '../subscriptions/facts';
import type { StoredSubscription } from '../subscriptions/publish-access';
import { billingStateOf, periodOf, type StoredAccess } from './billing-state';

const now = new Date('2026-01-31T12:00:00.000Z');
const on = (day: string) => `${day}T12:00:00.000Z`;

const RUNNING: FoldedState = {
  status: 'ACTIVE',
  isFinal: false,
  isWhole: true,
  planCode: 'premium_monthly',
  interval: 'month',
  recurringMicros: 7_990_000,
  startedAt: on('2026-01-15'),
  currentPeriodEnd: on('2026-02-15'),
  cancelAtPeriodEnd: false,
  cancelAt: null,
  trialEnd: null,
  collectionPaused: false,
  pastDueSince: null,
  paymentUrl: null,
  checkoutPlan: null,
  latestInvoice: null,
  hasPendingUpdate: false,
};

function aSubscription(
  state: Partial<FoldedState> = {},
  access: string | null = '2026-02-18',
  id = 'sub_1',
): StoredSubscription {
  const accessUntil = access === null ? null : new Date(on(access));
  return { id, accessUntil, state: { ...RUNNING, ...state } };
}

function stateOf(stored: Partial<StoredAccess> = {}, at = now) {
  return billingStateOf({ subscriptions: [], grants: [], used: 0, ...stored }, { now: at, provider: 'stripe' });
}

const subscriptionOf = (...subscriptions: StoredSubscription[]) => stateOf({ subscriptions }).subscription;

it('of somebody new is Free', () => {
  expect(billingStateOf({ subscriptions: [], grants: [], used: 0 }, { now, provider: 'none' })).toEqual({
    tier: 'FREE',
    premium_until: null,
    limits: { max_habits: 3, analyses_per_month: 5, insight_history: 5 },
    features: { habit_plans: false, mood_correlation: false, full_insight_history: false },
    subscription: null,
    usage: { period: '2026-01', analyses: { used: 0, limit: 5 } },
    billing: { provider: 'none' },
  });
});

it('of a subscriber is Premium, without limits, until the last late news of the renewal', () => {
  expect(stateOf({ subscriptions: [aSubscription()], used: 7 })).toEqual({
    tier: 'PREMIUM',
    premium_until: on('2026-02-18'),
    limits: { max_habits: null, analyses_per_month: null, insight_history: null },
    features: { habit_plans: true, mood_correlation: true, full_insight_history: true },
    subscription: {
      provider: 'STRIPE',
      plan_code: 'premium_monthly',
      status: 'ACTIVE',
      current_period_end: on('2026-02-15'),
      cancel_at_period_end: false,
      cancel_at: null,
      in_grace_until: null,
      trial_end: null,
      past_due_since: null,
      payment_url: null,
    },
    usage: { period: '2026-01', analyses: { used: 7, limit: null } },
    billing: { provider: 'stripe' },
  });
});

it('ends by the clock, to the millisecond', () => {
  const subscriptions = [aSubscription()];
  const end = new Date(on('2026-02-18'));
  expect(stateOf({ subscriptions }, new Date(end.getTime() - 1)).tier).toBe('PREMIUM');
  expect(stateOf({ subscriptions }, end)).toMatchObject({
    tier: 'FREE',
    premium_until: null,
    limits: { max_habits: 3 },
    subscription: { status: 'ACTIVE', in_grace_until: null },
  });
});

describe('the subscription', () => {
  it('on trial says when that ends', () => {
    expect(subscriptionOf(aSubscription({ status: 'TRIALING', trialEnd: on('2026-02-15') }))).toMatchObject({
      status: 'TRIALING',
      trial_end: on('2026-02-15'),
    });
  });

  it('whose payment fails says since when, until when, and where to pay', () => {
    const paymentUrl = 'https://pay.example/in_1';
    const failing = aSubscription({ status: 'PAST_DUE', pastDueSince: on('2026-01-30'), paymentUrl }, '2026-02-06');
    expect(stateOf({ subscriptions: [failing] })).toMatchObject({
      premium_until: on('2026-02-06'),
      subscription: {
        status: 'PAST_DUE',
        past_due_since: on('2026-01-30'),
        in_grace_until: on('2026-02-06'),
        payment_url: paymentUrl,
      },
    });
  });

  it('without an event of its renewal is in grace', () => {
    expect(subscriptionOf(aSubscription({ currentPeriodEnd: on('2026-01-30') }, '2026-02-02'))).toMatchObject({
      status: 'ACTIVE',
      current_period_end: on('2026-01-30'),
      in_grace_until: on('2026-02-02'),
    });
  });

  it.each<[string, Partial<FoldedState>, string]>([
    ['with its period', { cancelAtPeriodEnd: true }, '2026-02-15'],
    ['on a day', { cancelAt: on('2026-02-10') }, '2026-02-10'],
    ['both alike', { cancelAtPeriodEnd: true, cancelAt: on('2026-02-15') }, '2026-02-15'],
  ])('that is to end %s says when', (_, state, end) => {
    expect(subscriptionOf(aSubscription(state, end))).toMatchObject({
      status: 'ACTIVE',
      cancel_at_period_end: true,
      cancel_at: on(end),
      in_grace_until: null,
    });
  });

  it('is the one with the latest access', () => {
    const yearly = aSubscription({ planCode: 'premium_yearly', startedAt: on('2025-06-01') }, '2026-06-04', 'sub_2');
    const ended = aSubscription({ status: 'CANCELED', startedAt: on('2026-01-20') }, null, 'sub_3');
    for (const subscriptions of [
      [aSubscription(), yearly, ended],
      [ended, yearly, aSubscription()],
    ]) {
      expect(stateOf({ subscriptions })).toMatchObject({
        premium_until: on('2026-06-04'),
        subscription: { plan_code: 'premium_yearly' },
      });
    }
  });

  it('that was the last one is shown when none gives access', () => {
    const first = aSubscription({ status: 'CANCELED', startedAt: on('2025-01-01') }, null, 'sub_9');
    const last = aSubscription({ status: 'EXPIRED', startedAt: on('2025-12-01') }, null, 'sub_1');
    expect(stateOf({ subscriptions: [first, last] })).toMatchObject({
      tier: 'FREE',
      subscription: { status: 'EXPIRED' },
    });
  });
});

describe('a grant', () => {
  it('alone is shown as one by hand, with its end', () => {
    expect(stateOf({ grants: [new Date(on('2026-03-01'))] })).toMatchObject({
      tier: 'PREMIUM',
      premium_until: on('2026-03-01'),
      subscription: {
        provider: 'MANUAL',
        plan_code: null,
        status: 'ACTIVE',
        current_period_end: on('2026-03-01'),
        cancel_at_period_end: true,
        cancel_at: on('2026-03-01'),
        payment_url: null,
      },
    });
  });

  it('without an end has none, beside whatever else', () => {
    const grants = [new Date(on('2026-03-01')), null];
    expect(stateOf({ grants })).toMatchObject({
      tier: 'PREMIUM',
      premium_until: null,
      subscription: { provider: 'MANUAL', current_period_end: null, cancel_at_period_end: false },
    });
    expect(stateOf({ grants, subscriptions: [aSubscription()] })).toMatchObject({
      tier: 'PREMIUM',
      premium_until: null,
      subscription: { provider: 'STRIPE' },
    });
  });

  it('that lasts longer than the subscription decides the end', () => {
    expect(stateOf({ grants: [new Date(on('2026-03-01'))], subscriptions: [aSubscription()] })).toMatchObject({
      premium_until: on('2026-03-01'),
      subscription: { provider: 'STRIPE', current_period_end: on('2026-02-15') },
    });
  });

  it('that is over gives nothing, and is no subscription', () => {
    const grants = [new Date(on('2026-01-31'))];
    expect(stateOf({ grants })).toMatchObject({ tier: 'FREE', premium_until: null, subscription: null });
    const ended = aSubscription({ status: 'CANCELED' }, null);
    expect(stateOf({ grants: [new Date(on('2026-03-01'))], subscriptions: [ended] })).toMatchObject({
      tier: 'PREMIUM',
      subscription: { provider: 'MANUAL' },
    });
  });
});

it('counts usage by the UTC month', () => {
  expect(periodOf(new Date('2026-01-31T23:30:00-05:00'))).toBe('2026-02');
});
