import fc from 'fast-check';
import {
  aChange,
  anAdjustment,
  anInvoice,
  ANN,
  publishedOf,
  SUBSCRIPTION_HISTORIES,
} from '../../projection/subscriptions/subscription-history.fixture';
import { exact } from '../counted.fixture';
import { noon, Reporting, TOKEN } from '../reporting.fixture';
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

const linesOf = (text: string) => text.split('\r\n').slice(0, -1);

it('is a file with a line for every paid invoice and every adjustment of the days, newest first', async () => {
  const period = { periodStart: '2026-02-09T00:00:00.000Z', periodEnd: '2026-03-09T00:00:00.000Z' };
  await billing.publish(
    ...publishedOf({
      changes: [aChange(ANN, 1, '2026-02-09T00:00:00.000Z', [{}])],
      invoices: [
        anInvoice({ invoiceId: '=in_0', paidAt: '2026-02-03T23:59:59.999Z' }),
        anInvoice({ paidAt: '2026-02-04T00:00:00.000Z', taxMicros: 1_275_630, ...period }),
      ],
      adjustments: [
        anAdjustment({ kind: 'dispute_won', adjustmentId: '=dp_1', invoiceId: null }),
        anAdjustment({ occurredAt: '2026-02-10T23:59:59.999Z', amountMicros: 1 }),
      ],
    }),
  );
  const { status, headers, text } = await reporting.read('invoices.csv?days=7');
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="invoices-2026-02-04-2026-02-10.csv"',
    'cache-control': 'no-store',
    'x-as-of': noon.toISOString(),
    'x-lag-seconds': expect.stringMatching(/^\d+(\.\d)?$/),
  });
  expect(linesOf(text)).toEqual([
    'kind,at,invoice_id,adjustment_id,user_id,subscription_id,plan_code,reason,amount_usd,tax_usd,period_start,period_end',
    `refund,2026-02-10T23:59:59.999Z,in_1,re_1,${ANN},,,,0.000001,0.000000,,`,
    `dispute_won,2026-02-10T11:30:00.000Z,,'=dp_1,${ANN},,,,7.990000,0.000000,,`,
    `paid,2026-02-04T00:00:00.000Z,in_1,,${ANN},sub_1,premium_monthly,cycle,7.990000,1.275630,2026-02-09T00:00:00.000Z,2026-03-09T00:00:00.000Z`,
  ]);
  expect(linesOf((await reporting.read('invoices.csv?days=8')).text)).toHaveLength(5);
  const head = await reporting.send('/v1/admin/revenue/invoices.csv?days=7', {
    method: 'HEAD',
    headers: { 'x-admin-token': TOKEN },
  });
  expect([head.status, head.text, head.headers.get('content-disposition')]).toEqual([
    200,
    '',
    headers.get('content-disposition'),
  ]);
});

it('has the sums of the answer, to the last digit', async () => {
  await fc.assert(
    fc.asyncProperty(SUBSCRIPTION_HISTORIES, fc.integer({ min: 1, max: 75 }), async (history, days) => {
      await billing.forget();
      await billing.publish(...publishedOf(history));
      const { invoices } = await reporting.answer<SubscriptionsView>(`subscriptions?days=${days}`);
      const lines = linesOf((await reporting.read(`invoices.csv?days=${days}`)).text)
        .slice(1)
        .map((line) => line.split(','));
      const sum = (kind: string, column: number) =>
        lines
          .filter(([first]) => first === kind)
          .reduce((total, fields) => total + BigInt(fields[column]!.replace('.', '')), 0n);
      expect({
        paid: lines.filter(([kind]) => kind === 'paid').length,
        gross: exact(sum('paid', 8)),
        tax: exact(sum('paid', 9)),
        refunded: exact(sum('refund', 8) - sum('refund_failed', 8)),
        disputed: exact(sum('dispute', 8) - sum('dispute_won', 8)),
      }).toEqual({
        paid: invoices.paid,
        gross: invoices.gross.usd_exact,
        tax: invoices.tax.usd_exact,
        refunded: invoices.refunded.usd_exact,
        disputed: invoices.disputed.usd_exact,
      });
    }),
    { numRuns: sized(5, 200) },
  );
}, 600_000);
