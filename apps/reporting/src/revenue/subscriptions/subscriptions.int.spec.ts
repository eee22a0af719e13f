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
  ...{ planCode: 'premium_yearly', interval: 'year', recurringMicros: 59_990_000 },
};
const YEARLY_A_MONTH = { usd: 5, usd_exact: '4.999167' };
const at = (day: number, clock = '09:00:00.000') => `2026-02-${String(day).padStart(2, '0')}T${clock}Z`;
const tell = (history: Partial<SubscriptionHistory>) => billing.publish(...publishedOf(history));
const read = (query = '') => reporting.answer<SubscriptionsView>(`subscriptions${query}`);

it('has every member before there is any subscription, in this order', async () => {
  const answer = await read('?days=1');
  expect(answer).toEqual({
    ...{ currency: 'USD', days: 1, from: '2026-02-10', to: '2026-02-10' },
    mrr: { start: NONE, new: NONE, reactivation: NONE, expansion: NONE, contraction: NONE, churn: NONE, end: NONE },
    ...{ arr: NONE, arpu: null },
    subscribers: { start: 0, new: 0, reactivated: 0, churned: 0, end: 0, churn_pct: null },
    standing: { active: 0, past_due: 0, trialing: 0, scheduled_to_cancel: 0, granted: 0 },
    plans: [],
    invoices: { paid: 0, gross: NONE, tax: NONE, refunded: NONE, disputed: NONE, net: NONE },
    months: [
      {
        ...{ month: '2026-02', subscribers: 0, churned: 0, churn_pct: null },
        ...{ mrr: NONE, mrr_churned: NONE, mrr_churn_pct: null },
      },
    ],
    points: [{ date: '2026-02-10', mrr: NONE, gross: NONE, refunded: NONE, new: 0, churned: 0 }],
    ...{ as_of: noon.toISOString(), lag_seconds: expect.any(Number) },
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

it('follows a customer from a trial to a return', async () => {
  await tell({
    changes: [
      aChange(ANN, 1, at(1), [{ status: 'INCOMPLETE' }]),
      aChange(ANN, 2, at(1), [{ status: 'TRIALING' }]),
      aChange(ANN, 3, at(3), [{}]),
      aChange(ANN, 4, at(4), [{ status: 'PAST_DUE' }]),
      aChange(ANN, 5, at(5), [YEARLY]),
      aChange(ANN, 6, at(6), [{ ...YEARLY, cancelAt: at(8) }]),
      aChange(ANN, 7, at(8), [{ ...YEARLY, status: 'CANCELED' }]),
      aChange(ANN, 8, at(10), [{ ...YEARLY, status: 'CANCELED' }, { id: 'sub_2' }]),
    ],
  });
  const { mrr, subscribers, standing, plans, points, previous } = await read('?days=7&compare=previous');
  expect(mrr).toEqual({
    ...{ start: MONTHLY, new: NONE, reactivation: MONTHLY, expansion: NONE },
    ...{ contraction: { usd: 2.99, usd_exact: '2.990833' }, churn: YEARLY_A_MONTH, end: MONTHLY },
  });
  expect(subscribers).toEqual({ start: 1, new: 0, reactivated: 1, churned: 1, end: 1, churn_pct: 100 });
  expect(standing).toEqual({ active: 1, past_due: 0, trialing: 0, scheduled_to_cancel: 0, granted: 0 });
  expect(plans).toEqual([
    { code: 'premium_monthly', subscribers: 1, mrr: MONTHLY },
    { code: 'premium_yearly', subscribers: 0, mrr: NONE },
  ]);
  // Scheduling the end moves nothing; the end does, on its day.
  expect(points.map((point) => [point.date.slice(8), point.mrr.usd_exact, point.churned])).toEqual([
    ['04', '7.990000', 0],
    ...['05', '06', '07'].map((day) => [day, '4.999167', 0]),
    ['08', '0.000000', 1],
    ['09', '0.000000', 0],
    ['10', '7.990000', 0],
  ]);
  // The weekdays before would begin before the first subscription.
  expect(previous).toBeNull();
  const { previous: before } = await read('?days=1&compare=previous');
  expect(before).toMatchObject({
    ...{ days: 1, from: '2026-02-03', to: '2026-02-03', until: '2026-02-03T12:00:00.000Z' },
    compared: { from: '2026-02-10', until: '2026-02-10T12:00:00.000Z', mrr: { start: NONE, end: MONTHLY } },
  });
});

it('never says that more left than were there, of people and of money', async () => {
  // In a year of one subscriber at its start, four come and go.
  const users = [ANN, BEN].flatMap((user) => [
    ...[aChange(user, 1, at(1), [{}]), aChange(user, 2, at(2), []), aChange(user, 3, at(3), [YEARLY])],
    aChange(user, 4, at(4), []),
  ]);
  await tell({ changes: users });
  const { months, arr, arpu } = await read('?month=2026-02');
  expect(months).toEqual([
    {
      ...{ month: '2026-02', subscribers: 4, churned: 4, churn_pct: 100 },
      ...{ mrr: { usd: 25.98, usd_exact: '25.978334' }, mrr_churned: { usd: 25.98, usd_exact: '25.978334' } },
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

it('a version that comes late changes what was, and not what is', async () => {
  const [first, second, third] = [
    aChange(ANN, 1, at(5), [{}]),
    aChange(ANN, 2, at(6), []),
    aChange(ANN, 3, at(7), [{ recurringMicros: 9_000_000 }]),
  ];
  await tell({ changes: [third] });
  expect((await read()).mrr).toMatchObject({ new: { usd_exact: '9.000000' }, reactivation: NONE });
  await tell({ changes: [second, first, third, first] });
  const { mrr, subscribers, standing } = await read();
  expect(mrr).toMatchObject({ new: MONTHLY, churn: MONTHLY, reactivation: { usd_exact: '9.000000' } });
  expect(subscribers).toMatchObject({ start: 0, new: 1, churned: 1, reactivated: 1, end: 1 });
  expect(standing.active).toBe(1);
});

it('a change is never counted on an earlier day than the one before it', async () => {
  await tell({
    changes: [aChange(ANN, 1, at(9), [{}]), aChange(ANN, 2, at(2), [YEARLY]), aChange(ANN, 3, at(10), [])],
  });
  const { points, mrr } = await read('?days=10');
  expect(points.slice(-3).map((point) => point.mrr.usd_exact)).toEqual(['0.000000', '4.999167', '0.000000']);
  expect(mrr).toMatchObject({ new: MONTHLY, contraction: { usd_exact: '2.990833' }, churn: YEARLY_A_MONTH });
});

it('several subscriptions of one user are one subscriber, at each plan they pay for', async () => {
  await tell({
    changes: [
      aChange(ANN, 1, at(9), [{}, { ...YEARLY, status: 'PAST_DUE' }, { planCode: null, recurringMicros: 1 }]),
      aChange(BEN, 1, at(9), [{ collectionPaused: true }]),
    ],
  });
  const { subscribers, plans, standing, mrr } = await read();
  expect(subscribers).toMatchObject({ new: 1, end: 1 });
  expect(plans).toEqual([
    { code: 'premium_monthly', subscribers: 1, mrr: MONTHLY },
    { code: 'premium_yearly', subscribers: 1, mrr: YEARLY_A_MONTH },
    { code: null, subscribers: 1, mrr: { usd: 0, usd_exact: '0.000001' } },
  ]);
  expect(mrr.end.usd_exact).toBe('12.989168');
  expect(standing).toMatchObject({ active: 3, past_due: 1 });
});

it('grants bring nothing, and the clock alone ends them', async () => {
  const grant = (until: string | null) => [{ id: '0194d0c2-3d4e-7f50-8a1b-000000000001', until }];
  await tell({
    changes: [aChange(ANN, 1, at(9), [], grant(at(10, '12:00:00.001'))), aChange(BEN, 1, at(9), [], grant(null))],
  });
  expect(await read()).toMatchObject({ standing: { granted: 2, active: 0 }, mrr: { end: NONE } });
  reporting.clock.advanceMs(1);
  expect((await read()).standing.granted).toBe(1);
  reporting.clock.set(noon);
  await tell({ changes: [aChange(BEN, 2, at(10), [], [])] });
  expect((await read()).standing.granted).toBe(1);
});

it('invoices count once, and what goes back counts on its own day', async () => {
  await tell({
    invoices: [
      anInvoice({ paidAt: at(3), taxMicros: 1_000_000 }),
      anInvoice({ invoiceId: 'in_2', paidAt: at(9, '23:59:59.999'), amountMicros: 59_990_000 }),
    ],
    adjustments: [
      anAdjustment({ kind: 'dispute', adjustmentId: 'dp_1', occurredAt: at(4) }),
      anAdjustment({ amountMicros: 2_000_000, occurredAt: at(9) }),
      anAdjustment({ amountMicros: 500_000, kind: 'refund_failed', occurredAt: at(10) }),
      anAdjustment({ kind: 'dispute_won', adjustmentId: 'dp_1', invoiceId: null, occurredAt: at(10) }),
    ],
  });
  await tell({ invoices: [anInvoice({ paidAt: at(3), taxMicros: 1_000_000 })] });
  const usd = async (days: number) => {
    const { paid, ...amounts } = (await read(`?days=${days}`)).invoices;
    return [paid, ...Object.values(amounts).map((money) => money.usd)];
  };
  // paid, gross, tax, refunded, disputed, net
  expect(await usd(30)).toEqual([2, 67.98, 1, 1.5, 0, 65.48]);
  expect(await usd(2)).toEqual([1, 59.99, 0, 1.5, -7.99, 66.48]);
  const { points } = await read('?days=2');
  expect(points.map((point) => [point.gross.usd, point.refunded.usd])).toEqual([
    [59.99, 2],
    [0, -0.5],
  ]);
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
