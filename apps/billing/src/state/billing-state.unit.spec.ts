import type { FoldedState } from '../subscriptions/facts';
import { aSubscription } from '../subscriptions/facts.fixture';
import { fold } from '../subscriptions/fold';
import type { StoredSubscription } from '../subscriptions/publish-access';
import { billingStateOf, periodOf, type StoredAccess } from './billing-state';

const now = new Date('2026-01-31T12:00:00.000Z');
const on = (day: string) => `${day}T12:00:00.000Z`;

const fact = aSubscription({ startedAt: on('2026-01-15'), currentPeriodEnd: on('2026-02-15') });
const RUNNING = fold([{ id: 'evt_1', created: now, fact }]);

function one(access: string | null, state: Partial<FoldedState> = {}, id = 'sub_1'): StoredSubscription {
  return { id, accessUntil: access === null ? null : new Date(on(access)), state: { ...RUNNING, ...state } };
}

function stateOf(stored: Partial<StoredAccess>, at = now) {
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
const until = (day: string) => ({ current_period_end: on(day), cancel_at_period_end: true, cancel_at: on(day) });
const GRANTED = { ...SHOWN, provider: 'MANUAL', plan_code: null, ...until('2026-03-01') };
const [MARCH, OVER] = [new Date(on('2026-03-01')), now];
const FAILING = { status: 'PAST_DUE', pastDueSince: on('2026-01-30'), paymentUrl: 'https://pay.example/in_1' } as const;
const SHOWN_FAILING = { past_due_since: FAILING.pastDueSince, payment_url: FAILING.paymentUrl };
const RENEWS = one('2026-02-18');
const YEARLY = one('2026-06-04', { planCode: 'premium_yearly', startedAt: on('2025-06-01') }, 'sub_2');
const CANCELED = one(null, { status: 'CANCELED', startedAt: on('2026-01-20') }, 'sub_3');
const EXPIRED = one(null, { status: 'EXPIRED', startedAt: on('2025-12-01') });
const LONG_OVER = one(null, { status: 'CANCELED', startedAt: on('2025-01-01') }, 'sub_9');

it.each<[string, StoredSubscription[], (Date | null)[], string | null, object | null]>([
  ['a renewal whose news may be late', [RENEWS], [], '2026-02-18', {}],
  [
    'a payment that fails',
    [one('2026-02-06', FAILING)],
    [],
    '2026-02-06',
    { status: 'PAST_DUE', in_grace_until: on('2026-02-06'), ...SHOWN_FAILING },
  ],
  [
    'a renewal without an event',
    [one('2026-02-02', { currentPeriodEnd: on('2026-01-30') })],
    [],
    '2026-02-02',
    { current_period_end: on('2026-01-30'), in_grace_until: on('2026-02-02') },
  ],
  ['an end with its period', [one('2026-02-15', { cancelAtPeriodEnd: true })], [], '2026-02-15', until('2026-02-15')],
  ['an end on a day', [one('2026-02-10', { cancelAt: on('2026-02-10') })], [], '2026-02-10', until('2026-02-10')],
  ['the latest access of several', [CANCELED, RENEWS, YEARLY], [], '2026-06-04', { plan_code: 'premium_yearly' }],
  ['the last one where none gives access', [LONG_OVER, EXPIRED], [], null, { status: 'EXPIRED' }],
  ['a grant beside what has ended', [CANCELED], [MARCH], '2026-03-01', GRANTED],
  ['a grant that lasts longer', [RENEWS], [MARCH], '2026-03-01', {}],
  ['a grant that is over', [], [OVER], null, null],
])('%s', (_, subscriptions, grants, premiumUntil, shown) => {
  const state = stateOf({ subscriptions, grants });
  expect([state.tier, state.premium_until]).toEqual(premiumUntil ? ['PREMIUM', on(premiumUntil)] : ['FREE', null]);
  expect(state.subscription).toEqual(shown && { ...SHOWN, ...shown });
});

it('a grant without an end has none, beside whatever else; Premium has no limits', () => {
  const open = { tier: 'PREMIUM', premium_until: null };
  const subscription = { provider: 'MANUAL', current_period_end: null, cancel_at_period_end: false };
  expect(stateOf({ grants: [MARCH, null] })).toMatchObject({ ...open, subscription });
  expect(stateOf({ grants: [null], subscriptions: [RENEWS], used: 7 })).toMatchObject({
    ...open,
    subscription: SHOWN,
    limits: { max_habits: null, analyses_per_month: null, insight_history: null },
    features: { habit_plans: true, mood_correlation: true, full_insight_history: true },
    usage: { period: '2026-01', analyses: { used: 7, limit: null } },
  });
});

it('access ends by the clock, to the millisecond, and usage is of the UTC month', () => {
  const end = new Date(on('2026-02-18'));
  expect(stateOf({ subscriptions: [RENEWS] }, new Date(end.getTime() - 1)).tier).toBe('PREMIUM');
  const over = { tier: 'FREE', subscription: { in_grace_until: null } };
  expect(stateOf({ subscriptions: [RENEWS] }, end)).toMatchObject(over);
  expect(periodOf(new Date('2026-01-31T23:30:00-05:00'))).toBe('2026-02');
});
