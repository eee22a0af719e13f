import type { Reply } from '@evenkeel/platform/testing/service';
import { auditBilling } from '../audited.fixture';
import { Billing } from '../billing.fixture';
import {
  anEvent,
  invoiceObject,
  sendEvent,
  subscriptionObject,
  subscriptionRow,
  WEBHOOK_SETTINGS,
} from './provider-events.fixture';

const ROUNDS = 20;
const COPIES = 30;
const NOW = '2026-01-31T12:00:00Z';

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start(WEBHOOK_SETTINGS);
});
afterEach(async () => expect(await auditBilling(billing.database.dataSource)).toEqual([]));
afterAll(() => billing.close());

/** As the provider does: what is not taken in time is sent again. */
async function untilTaken(event: object): Promise<Reply> {
  for (let tries = 0; ; tries++) {
    const reply = await sendEvent(billing, event);
    if (reply.status !== 503 || tries === 10) return reply;
  }
}

it('thirty copies at once count once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id: userId } = billing.person();
    const [customer, subscription] = [`cus_${round}`, `sub_${round}`];
    const invoice = invoiceObject({ id: `in_${round}`, customer, subscription, userId });
    const paid = anEvent('invoice.paid', NOW, invoice);
    const replies = await Promise.all(Array.from({ length: COPIES }, () => untilTaken(paid)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(replies.map(({ body }) => body.reason ?? 'applied').sort()).toEqual([
      'applied',
      ...Array<string>(COPIES - 1).fill('duplicate_event'),
    ]);
    expect((await billing.events(userId)).map(({ type }) => type).sort()).toEqual([
      'invoice.paid',
      'subscription.changed',
    ]);
  }
});

it('everything of twenty people at once is as if each were alone', async () => {
  const people = Array.from({ length: 20 }, (_, index) => ({ userId: billing.person().id, id: `sub_of_${index}` }));
  const events = people.flatMap(({ userId, id }, index) => {
    const customer = `cus_of_${index}`;
    const invoice = invoiceObject({ id: `in_of_${index}`, customer, subscription: id });
    return [
      anEvent('customer.subscription.created', NOW, subscriptionObject({ id, customer, userId, status: 'incomplete' })),
      anEvent('customer.subscription.updated', '2026-01-31T12:00:01Z', subscriptionObject({ id, customer, userId })),
      anEvent('invoice.paid', '2026-01-31T12:00:02Z', invoice),
      anEvent('invoice.payment_succeeded', '2026-01-31T12:00:02Z', invoice),
      anEvent('charge.refunded', '2026-01-31T12:00:03Z', { id: `ch_of_${index}`, customer }),
      anEvent('refund.created', '2026-01-31T12:00:03Z', {
        ...{ id: `re_of_${index}`, charge: `ch_of_${index}`, amount: 100, currency: 'usd', status: 'succeeded' },
      }),
    ];
  });
  const replies = await Promise.all(events.reverse().map(untilTaken));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  for (const { userId, id } of people) {
    expect(await subscriptionRow(billing, id)).toMatchObject({ status: 'ACTIVE', user_id: userId, folded_events: 4 });
    const told = await billing.events(userId);
    const money = told.filter(({ type }) => type !== 'subscription.changed').map(({ type }) => type);
    expect(money.sort()).toEqual(['invoice.adjusted', 'invoice.paid']);
    expect(told.findLast(({ type }) => type === 'subscription.changed')!.data).toMatchObject({
      subscriptions: [{ id, status: 'ACTIVE', accessUntil: '2026-03-03T12:00:00.000Z' }],
    });
  }
});
