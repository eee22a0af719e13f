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
import type { SubscriptionsView } from './subscription-figures';

const reporting = Reporting.forSuite();
beforeEach(() => reporting.forget());

const NONE = { usd: 0, usd_exact: '0.000000' };
const MONTHLY = { usd: 7.99, usd_exact: '7.990000' };
const YEARLY: Partial<SubscriptionState> = {
  planCode: 'premium_yearly',
  interval: 'year',
  // A twelfth of it ends in half a micro-dollar.
  recurringMicros: 59_989_998,
};
const at = (day: number, clock = '09:00:00.000') => `2026-02-${String(day).padStart(2, '0')}T${clock}Z`;
const tell = (history: Partial<SubscriptionHistory>) => reporting.publish(...publishedOf(history));
const read = (query = '') => reporting.answer<SubscriptionsView>(`subscriptions${query}`);

it('invoices are a file with a line for every paid invoice and every adjustment of the days, newest first', async () => {
  const period = { periodStart: '2026-02-09T00:00:00.000Z', periodEnd: '2026-03-09T00:00:00.000Z' };
  await tell({
    invoices: [
      anInvoice({ invoiceId: '=in_0', paidAt: '2026-02-03T23:59:59.999Z' }),
      anInvoice({ paidAt: '2026-02-04T00:00:00.000Z', taxMicros: 1_275_630, ...period }),
    ],
    adjustments: [
      anAdjustment({ kind: 'dispute_won', adjustmentId: '=dp_1', invoiceId: null }),
      anAdjustment({ occurredAt: '2026-02-10T23:59:59.999Z', amountMicros: 1 }),
    ],
  });
  const { status, headers, text } = await reporting.read('invoices.csv?days=7');
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="invoices-2026-02-04-2026-02-10.csv"',
    'cache-control': 'no-store',
    'x-as-of': noon.toISOString(),
    'x-lag-seconds': expect.stringMatching(/^\d+(\.\d)?$/),
  });
  expect(text.split('\r\n').slice(0, -1)).toEqual([
    'kind,at,invoice_id,adjustment_id,user_id,subscription_id,plan_code,reason,amount_usd,tax_usd,period_start,period_end',
    `refund,2026-02-10T23:59:59.999Z,in_1,re_1,${ANN},,,,0.000001,0.000000,,`,
    `dispute_won,2026-02-10T11:30:00.000Z,,'=dp_1,${ANN},,,,7.990000,0.000000,,`,
    `paid,2026-02-04T00:00:00.000Z,in_1,,${ANN},sub_1,premium_monthly,cycle,7.990000,1.275630,2026-02-09T00:00:00.000Z,2026-03-09T00:00:00.000Z`,
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

it('lag_seconds is that of the stream of billing alone, and of changes that of both', async () => {
  const stale = (subscription: string) =>
    `UPDATE progress SET unread = 9, caught_up_at = now() - interval '1 hour', checked_at = now() + interval '1 hour'
     WHERE subscription = '${subscription}'`;
  const lagOf = async (name: string) => (await reporting.answer<SubscriptionsView>(name)).lag_seconds;
  const lags = async () => {
    const header = reporting.read('changes').then(({ headers }) => Number(headers.get('x-lag-seconds')));
    const all = await Promise.all([lagOf('summary'), lagOf('subscriptions'), header]);
    return all.map((lag) => (lag >= 3_600 ? 'behind' : lag));
  };
  await eventually(async () => expect(await lags()).toEqual([0, 0, 0]));
  for (const [statement, expected] of [
    [`UPDATE heartbeats SET waited = '1 hour' WHERE subscription = 'reporting'`, ['behind', 0, 'behind']],
    [stale('reporting.subscriptions'), [0, 'behind', 'behind']],
    [stale('reporting'), ['behind', 0, 'behind']],
  ] as const) {
    // The worker looks twice a second and corrects it, so all are asked at once.
    await eventually(async () => {
      await reporting.database.dataSource.query(statement);
      expect(await lags()).toEqual(expected);
    });
  }
});
