import type { SubscriptionState } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import {
  aChange,
  anAdjustment,
  anInvoice,
  ANN,
  BEN,
  publishedOf,
  type SubscriptionHistory,
} from '../../projection/subscriptions/subscription-history.fixture';
import { noon, Reporting } from '../reporting.fixture';
import { aPayment, publishedOf as paymentsOf } from '../story.fixture';
import { BillingStream } from './billing-stream.fixture';
import type { SubscriptionsView } from './subscription-figures';

let reporting: Reporting;
let billing: BillingStream;
beforeAll(async () => {
  reporting = await Reporting.start();
  billing = await BillingStream.open(reporting);
});
afterAll(async () => {
  await reporting.close();
  await billing.close();
});
beforeEach(() => billing.forget());

const NONE = { usd: 0, usd_exact: '0.000000' };
const MONTHLY = { usd: 7.99, usd_exact: '7.990000' };
const YEARLY: Partial<SubscriptionState> = {
  planCode: 'premium_yearly',
  interval: 'year',
  recurringMicros: 59_990_000,
};
const at = (day: number, clock = '09:00:00.000') => `2026-02-${String(day).padStart(2, '0')}T${clock}Z`;
const tell = (history: Partial<SubscriptionHistory>) => billing.publish(...publishedOf(history));
const read = (query = '') => reporting.answer<SubscriptionsView>(`subscriptions${query}`);

it('has every member before there is any subscription, in this order', async () => {
  const answer = await read('?days=1');
  expect(answer).toEqual({
    currency: 'USD',
    days: 1,
    from: '2026-02-10',
    to: '2026-02-10',
    mrr: { start: NONE, new: NONE, reactivation: NONE, expansion: NONE, contraction: NONE, churn: NONE, end: NONE },
    arr: NONE,
    arpu: null,
    subscribers: { start: 0, new: 0, reactivated: 0, churned: 0, end: 0, churn_pct: null },
    standing: { active: 0, past_due: 0, trialing: 0, scheduled_to_cancel: 0, granted: 0 },
    plans: [],
    invoices: { paid: 0, gross: NONE, tax: NONE, refunded: NONE, disputed: NONE, net: NONE },
    months: [
      {
        month: '2026-02',
        subscribers: 0,
        churned: 0,
        churn_pct: null,
        mrr: NONE,
        mrr_churned: NONE,
        mrr_churn_pct: null,
      },
    ],
    points: [{ date: '2026-02-10', mrr: NONE, gross: NONE, refunded: NONE, new: 0, churned: 0 }],
    as_of: noon.toISOString(),
    lag_seconds: expect.any(Number),
  });
  expect(Object.keys(answer)).toEqual([
    ...[
      'currency',
      'days',
      'from',
      'to',
      'mrr',
      'arr',
      'arpu',
      'subscribers',
      'standing',
      'plans',
      'invoices',
      'months',
    ],
    'points',
    ...['as_of', 'lag_seconds'],
  ]);
});

it('never says that more left than were there, of people and of money', async () => {
  // In a year of one subscriber at its start, four come and go.
  const users = [ANN, BEN].flatMap((user) => [
    aChange(user, 1, at(1), [{}]),
    aChange(user, 2, at(2), []),
    aChange(user, 3, at(3), [YEARLY]),
    aChange(user, 4, at(4), []),
  ]);
  await tell({ changes: users });
  const { months, arr, arpu } = await read('?month=2026-02');
  expect(months).toEqual([
    {
      month: '2026-02',
      subscribers: 4,
      churned: 4,
      churn_pct: 100,
      mrr: { usd: 25.98, usd_exact: '25.978334' },
      mrr_churned: { usd: 25.98, usd_exact: '25.978334' },
      mrr_churn_pct: 100,
    },
  ]);
  expect([arr, arpu]).toEqual([NONE, null]);
});

it.each([
  ['won', NONE],
  ['lost', MONTHLY],
])('a dispute is in what is said of now until it is %s, whatever period is shown', async (end, disputed) => {
  const opened = anAdjustment({ kind: 'dispute', amountMicros: 7_990_000, occurredAt: at(3) });
  await tell({ invoices: [anInvoice()], adjustments: [opened] });
  const disputes = async () => (await reporting.answer<{ health: { disputes: object } }>('changes')).health.disputes;
  expect(await disputes()).toEqual({ open: 1, amount: MONTHLY });
  await tell({ adjustments: [{ ...opened, kind: `dispute_${end}` as 'dispute_won', occurredAt: at(9) }] });
  expect(await disputes()).toEqual({ open: 0, amount: NONE });
  expect((await read()).invoices.disputed).toEqual(disputed);
  expect((await reporting.read('invoices.csv?days=28')).text).not.toContain('dispute_lost');
});

it('never touches the revenue of calls', async () => {
  await reporting.publish(...paymentsOf([aPayment()]));
  const before = await reporting.answer<{ window: object }>('summary');
  await tell({ changes: [aChange(ANN, 1, at(9), [{}])], invoices: [anInvoice()] });
  const { window, ...rest } = await reporting.answer<{ window: object; all_time: object }>('summary');
  expect(window).toEqual(before.window);
  expect(rest).toMatchObject({ all_time: { gross_revenue: { usd_exact: '0.050000' } } });
  expect((await read()).mrr.end).toEqual(MONTHLY);
});

it('lag_seconds is that of the stream of billing alone', async () => {
  const query = (sql: string) => reporting.database.dataSource.query(sql);
  const stale = (subscription: string) =>
    query(`UPDATE progress SET unread = 9, caught_up_at = now() - interval '1 hour', checked_at = now() + interval '1 hour'
      WHERE subscription = '${subscription}'`);
  const lags = async () =>
    Promise.all(
      ['summary', 'subscriptions'].map(async (name) => (await reporting.answer<SubscriptionsView>(name)).lag_seconds),
    );
  await eventually(async () => expect(await lags()).toEqual([0, 0]));
  // The worker looks twice a second and corrects it, so both are asked at once.
  await eventually(async () => {
    await stale('reporting.subscriptions');
    const [calls, subscriptions] = await lags();
    expect([calls, subscriptions! >= 3_600]).toEqual([0, true]);
  });
  await eventually(async () => {
    await stale('reporting');
    const [calls, subscriptions] = await lags();
    expect([calls! >= 3_600, subscriptions]).toEqual([true, 0]);
  });
});
