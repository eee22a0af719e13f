import { Billing } from '../billing.fixture';
import {
  anEvent,
  invoiceObject,
  subscriptionObject,
  WEBHOOK_SETTINGS,
  type EventOf,
  type Shape,
} from './provider-events.fixture';
import { readEvent } from './read-event';
import { TakeEvent } from './take-event';

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start(WEBHOOK_SETTINGS);
});
afterAll(() => billing.close());

const USER = '0194a1c2-0000-7000-8000-000000000001';
const PLANS = new Map([['price_month', 'premium_monthly'] as const, ['price_year', 'premium_yearly'] as const]);

/** The first payment, a renewal that fails, its recovery, and the end of the subscription that is scheduled. */
function story(shape: Shape): EventOf[] {
  const of = { id: 'sub_1', customer: 'cus_1', userId: USER };
  const invoice = { id: 'in_1', customer: 'cus_1', subscription: 'sub_1', periodEnd: '2026-03-31T12:00:00Z' };
  const march = { ...of, periodEnd: '2026-03-31T12:00:00Z' };
  const ends = { cancel_at_period_end: true };
  return [
    anEvent('customer.subscription.created', '2026-01-31T12:00:00Z', subscriptionObject(of, shape)),
    anEvent('invoice.payment_failed', '2026-02-28T13:00:00Z', invoiceObject(invoice, shape)),
    anEvent(
      'customer.subscription.updated',
      '2026-02-28T13:00:00Z',
      subscriptionObject({ ...march, status: 'past_due' }, shape),
    ),
    anEvent('invoice.paid', '2026-03-03T13:00:00Z', invoiceObject(invoice, shape)),
    anEvent(
      'customer.subscription.updated',
      '2026-03-04T00:00:00Z',
      subscriptionObject({ ...march, over: ends }, shape),
    ),
  ];
}

function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, index) => ordersOf(items.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}

/** What events come to in an empty store. Nothing stays. */
async function comeTo(events: readonly EventOf[]): Promise<unknown> {
  const undo = new Error('undo');
  let come: unknown;
  await billing.database.dataSource
    .transaction(async (tx) => {
      for (const event of events) await billing.app.get(TakeEvent).take(tx, readEvent(event, PLANS)!);
      come = [
        await tx.query('SELECT status, user_id, access_until, state, folded_events, folded_ids FROM subscriptions'),
        await tx.query(`SELECT type, payload FROM outbox WHERE type <> 'subscription.changed'`),
      ];
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return come;
}

it.each(['new', 'old'] as const)('all 120 orders, each event once to three times, of the %s shape', async (shape) => {
  const events = story(shape);
  const inOrder = await comeTo(events);
  expect(inOrder).toMatchObject([
    [{ status: 'ACTIVE', user_id: USER, access_until: new Date('2026-03-31T12:00:00Z'), folded_events: 5 }],
    [{ type: 'invoice.paid' }],
  ]);
  const orders = ordersOf(events);
  expect(orders).toHaveLength(120);
  for (const [index, order] of orders.entries()) {
    // Up to two more copies of each, when all others have come.
    const copies = order.flatMap((event, at) => Array<EventOf>((index + at) % 3).fill(event));
    expect(await comeTo([...order, ...copies])).toEqual(inOrder);
  }
});
