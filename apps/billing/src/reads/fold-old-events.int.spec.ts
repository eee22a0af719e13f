import { auditBilling } from '../audited.fixture';
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

const billing = Billing.forSuite(WEBHOOK_SETTINGS, { audited: true });

it('old events are one row in their position, and everything goes on from there', async () => {
  const { id: userId } = billing.person();
  const of = { id: 'sub_1', customer: 'cus_1', userId };
  const invoice = { id: 'in_1', customer: 'cus_1', subscription: 'sub_1' };
  const kept = () => billing.database.dataSource.query<object[]>('SELECT type FROM provider_events');
  const foldOld = () => billing.app.get(FoldOldEvents).execute(() => false);
  billing.clock.advanceMs(30 * DAY_MS);
  for (const event of [
    anEvent('customer.subscription.created', '2026-01-31T12:00:00Z', subscriptionObject(of)),
    anEvent('invoice.payment_failed', '2026-02-28T12:00:00Z', invoiceObject(invoice)),
    anEvent('charge.refunded', '2026-02-28T12:00:00Z', { id: 'ch_1', customer: 'cus_1' }),
  ])
    await sendEvent(billing, event);
  const before = await subscriptionRow(billing, 'sub_1');
  await foldOld();
  expect(await kept()).toHaveLength(3);
  billing.clock.advanceMs(430 * DAY_MS);
  await foldOld();
  expect(await kept()).toEqual([{ type: 'base' }]);
  expect(await subscriptionRow(billing, 'sub_1')).toEqual({ ...before, folded_events: 1 });
  expect(await auditBilling(billing.database.dataSource)).toEqual([]);
  expect(await foldOld()).toBe(false);
  const paid = invoiceObject({ ...invoice, periodEnd: '2027-04-30T12:00:00Z' });
  expect((await sendEvent(billing, anEvent('invoice.paid', billing.clock.now(), paid))).body.reason).toBeNull();
  const access_until = new Date('2027-05-03T12:00:00Z');
  expect(await subscriptionRow(billing, 'sub_1')).toMatchObject({ status: 'ACTIVE', access_until, folded_events: 2 });
});
