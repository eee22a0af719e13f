import { Billing } from '../billing.fixture';
import {
  anEvent,
  invoiceObject,
  sendEvent,
  subscriptionObject,
  subscriptionRow,
  WEBHOOK_SETTINGS,
} from '../webhooks/provider-events.fixture';
import { FoldOldEvents } from './fold-old-events';

const DAY_MS = 86_400_000;

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start(WEBHOOK_SETTINGS);
});
afterAll(() => billing.close());

const kept = () =>
  billing.database.dataSource.query<{ type: string }[]>('SELECT type FROM provider_events ORDER BY created, rank');
const sums = () =>
  billing.database.dataSource.query(`
    SELECT FROM subscriptions s JOIN LATERAL (
      SELECT count(*) AS count, bit_xor(hashtextextended(id, 0)) AS ids FROM provider_events e
      WHERE e.subscription_id = s.subscription_id AND fact IS NOT NULL) kept ON true
    WHERE (s.folded_events, s.folded_ids) IS DISTINCT FROM (kept.count, kept.ids)`);
const foldOld = () => billing.app.get(FoldOldEvents).execute(() => false);

it('old events are one row in their place, and everything goes on from there', async () => {
  const { id: userId } = billing.person();
  const of = { id: 'sub_1', customer: 'cus_1' };
  const invoice = { id: 'in_1', customer: 'cus_1', subscription: 'sub_1' };
  billing.clock.advanceMs(30 * DAY_MS);
  await sendEvent(
    billing,
    anEvent('customer.subscription.created', '2026-01-31T12:00:00Z', subscriptionObject({ ...of, userId })),
  );
  await sendEvent(billing, anEvent('invoice.payment_failed', '2026-02-28T12:00:00Z', invoiceObject(invoice)));
  await sendEvent(billing, anEvent('charge.refunded', '2026-02-28T12:00:00Z', { id: 'ch_1', customer: 'cus_1' }));
  const before = await subscriptionRow(billing, 'sub_1');
  await foldOld();
  expect(await kept()).toHaveLength(3);

  billing.clock.advanceMs(430 * DAY_MS);
  await foldOld();
  expect(await kept()).toEqual([{ type: 'base' }]);
  expect(await subscriptionRow(billing, 'sub_1')).toEqual({ ...before, folded_events: 1 });
  expect(await sums()).toEqual([]);
  expect(await foldOld()).toBe(false);

  const paid = invoiceObject({ ...invoice, periodEnd: '2027-04-30T12:00:00Z' });
  expect((await sendEvent(billing, anEvent('invoice.paid', billing.clock.now(), paid))).body.reason).toBeNull();
  expect(await subscriptionRow(billing, 'sub_1')).toMatchObject({
    status: 'ACTIVE',
    access_until: new Date('2027-05-03T12:00:00Z'),
    folded_events: 2,
  });
  expect(await sums()).toEqual([]);
});
