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

const SHOWN = {
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
};
const GRANTED = { ...SHOWN, provider: 'MANUAL', plan_code: null };
const until = (day: string) => ({ current_period_end: on(day), cancel_at_period_end: true, cancel_at: on(day) });
const [MARCH, OVER] = [new Date(on('2026-03-01')), new Date(on('2026-01-31'))];
const FAILING = { pastDueSince: on('2026-01-30'), paymentUrl: 'https://pay.example/in_1' };
const YEARLY = aSubscription({ planCode: 'premium_yearly', startedAt: on('2025-06-01') }, '2026-06-04', 'sub_2');
const CANCELED = aSubscription({ status: 'CANCELED', startedAt: on('2026-01-20') }, null, 'sub_3');
const EXPIRED = aSubscription({ status: 'EXPIRED', startedAt: on('2025-12-01') }, null, 'sub_1');
const LONG_OVER = aSubscription({ status: 'CANCELED', startedAt: on('2025-01-01') }, null, 'sub_9');

it.each<[string, Partial<StoredAccess>, string | null, object | null]>([
  ['a renewal whose news may be late', { subscriptions: [aSubscription()] }, '2026-02-18', SHOWN],
  [
    'a trial',
    { subscriptions: [aSubscription({ status: 'TRIALING', trialEnd: on('2026-02-15') })] },
    '2026-02-18',
    { ...SHOWN, status: 'TRIALING', trial_end: on('2026-02-15') },
  ],
  [
    'a payment that fails',
    { subscriptions: [aSubscription({ status: 'PAST_DUE', ...FAILING }, '2026-02-06')] },
    '2026-02-06',
    {
      ...SHOWN,
      status: 'PAST_DUE',
      past_due_since: FAILING.pastDueSince,
      in_grace_until: on('2026-02-06'),
      payment_url: FAILING.paymentUrl,
    },
  ],
  [
    'a renewal without an event',
    { subscriptions: [aSubscription({ currentPeriodEnd: on('2026-01-30') }, '2026-02-02')] },
    '2026-02-02',
    { ...SHOWN, current_period_end: on('2026-01-30'), in_grace_until: on('2026-02-02') },
  ],
  [
    'an end with its period',
    { subscriptions: [aSubscription({ cancelAtPeriodEnd: true }, '2026-02-15')] },
    '2026-02-15',
    { ...SHOWN, ...until('2026-02-15') },
  ],
  [
    'an end on a day',
    { subscriptions: [aSubscription({ cancelAt: on('2026-02-10') }, '2026-02-10')] },
    '2026-02-10',
    { ...SHOWN, ...until('2026-02-10') },
  ],
  [
    'the latest access of several',
    { subscriptions: [CANCELED, aSubscription(), YEARLY] },
    '2026-06-04',
    { ...SHOWN, plan_code: 'premium_yearly' },
  ],
  [
    'the last one where none gives access',
    { subscriptions: [LONG_OVER, EXPIRED] },
    null,
    { ...SHOWN, status: 'EXPIRED' },
  ],
  ['a grant alone', { grants: [MARCH] }, '2026-03-01', { ...GRANTED, ...until('2026-03-01') }],
  ['a grant beside what has ended', { grants: [MARCH], subscriptions: [CANCELED] }, '2026-03-01', GRANTED],
  ['a grant that lasts longer', { grants: [MARCH], subscriptions: [aSubscription()] }, '2026-03-01', SHOWN],
  ['a grant that is over', { grants: [OVER] }, null, null],
])('%s', (_, stored, premiumUntil, subscription) => {
  const state = stateOf(stored);
  expect([state.tier, state.premium_until]).toEqual(premiumUntil ? ['PREMIUM', on(premiumUntil)] : ['FREE', null]);
  if (subscription === GRANTED) expect(state.subscription).toMatchObject({ provider: 'MANUAL' });
  else expect(state.subscription).toEqual(subscription);
});

it('a grant without an end has none, beside whatever else', () => {
  const grants = [MARCH, null];
  const open = { tier: 'PREMIUM', premium_until: null };
  expect(stateOf({ grants })).toMatchObject({ ...open, subscription: { ...GRANTED, current_period_end: null } });
  expect(stateOf({ grants, subscriptions: [aSubscription()] })).toMatchObject({ ...open, subscription: SHOWN });
});

it('Premium has no limits', () => {
  expect(stateOf({ subscriptions: [aSubscription()], used: 7 })).toMatchObject({
    limits: { max_habits: null, analyses_per_month: null, insight_history: null },
    features: { habit_plans: true, mood_correlation: true, full_insight_history: true },
    usage: { period: '2026-01', analyses: { used: 7, limit: null } },
  });
});

it('ends by the clock, to the millisecond', () => {
  const subscriptions = [aSubscription()];
  const end = new Date(on('2026-02-18'));
  expect(stateOf({ subscriptions }, new Date(end.getTime() - 1)).tier).toBe('PREMIUM');
  expect(stateOf({ subscriptions }, end)).toMatchObject({ tier: 'FREE', subscription: { in_grace_until: null } });
});

it('counts usage by the UTC month', () => {
  expect(periodOf(new Date('2026-01-31T23:30:00-05:00'))).toBe('2026-02');
});
