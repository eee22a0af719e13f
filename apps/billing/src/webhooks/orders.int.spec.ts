import type { PaidPlanCode } from '@evenkeel/contracts';
import type { Reply } from '@evenkeel/platform/testing/service';
import { auditBilling } from '../audited.fixture';
import { Billing } from '../billing.fixture';
import { eventOfAnswer } from '../subscriptions/fetch-subscription';
import { anEvent, invoiceObject, sendEvent, subscriptionObject, WEBHOOK_SETTINGS } from './provider-events.fixture';
import { readEvent, type TakenEvent } from './read-event';
import { TakeEvent } from './take-event';

const billing = Billing.forSuite(WEBHOOK_SETTINGS, { audited: true });

const ROUNDS = 20;
const COPIES = 30;
const USER = '0194a1c2-0000-7000-8000-000000000001';
const PLANS = new Map<string, PaidPlanCode>([['price_month', 'premium_monthly']]);
const OF = { id: 'sub_1', customer: 'cus_1', userId: USER };
const MARCH = { ...OF, periodEnd: '2026-03-31T12:00:00Z' };
const OWING = { ...MARCH, status: 'past_due' };
const ENDING = { ...MARCH, over: { cancel_at_period_end: true } };
const INVOICE = { id: 'in_1', customer: 'cus_1', subscription: 'sub_1', periodEnd: MARCH.periodEnd };

/** Rows that events leave, by name. */
const LEFT = {
  subscriptions: `SELECT subscription_id AS id, user_id, status, access_until, state, folded_events, folded_ids
    FROM subscriptions ORDER BY 1`,
  /** The last published access of each user. */
  access: `SELECT DISTINCT ON (aggregate) aggregate, payload::jsonb - 'version' - 'cause' - 'changedAt' AS said
    FROM outbox WHERE type = 'subscription.changed' ORDER BY aggregate, aggregate_seq DESC`,
  money: `SELECT type, subject, payload::jsonb AS payload FROM outbox
    WHERE type <> 'subscription.changed' ORDER BY type, subject`,
  unsure: `SELECT id FROM provider_reads WHERE kind = 'subscription'`,
};

/** The result of events in an empty store, with rows that break a promise. Nothing is kept. */
async function comeTo(events: readonly TakenEvent[]): Promise<Record<string, Record<string, unknown>[]>> {
  const runner = billing.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    for (const event of events) await billing.app.get(TakeEvent).take(runner.manager, event);
    const left: Awaited<ReturnType<typeof comeTo>> = {};
    for (const [name, rows] of Object.entries(LEFT)) {
      left[name] = (await runner.query(rows)) as Record<string, unknown>[];
    }
    return { ...left, offences: (await auditBilling(runner.manager)) as Record<string, unknown>[] };
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, index) => ordersOf(items.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}

/** Each once to three times: a copy comes anywhere after the first, also between others. */
function withCopies(order: readonly TakenEvent[], seed: number): TakenEvent[] {
  const sent = [...order];
  for (const [index, event] of order.entries()) {
    for (let copy = 0; copy < (seed + index) % 3; copy++) {
      const first = sent.indexOf(event);
      sent.splice(first + 1 + ((7 * seed + 3 * index + copy) % (sent.length - first)), 0, event);
    }
  }
  return sent;
}

it('all 120 orders, each event once to three times', async () => {
  // The first payment, a renewal that fails, its recovery, and the end of the subscription that is scheduled.
  const events = [
    anEvent('customer.subscription.created', '2026-01-31T12:00:00Z', subscriptionObject(OF)),
    anEvent('invoice.payment_failed', '2026-02-28T13:00:00Z', invoiceObject(INVOICE)),
    anEvent('customer.subscription.updated', '2026-02-28T13:00:00Z', subscriptionObject(OWING)),
    anEvent('invoice.paid', '2026-03-03T13:00:00Z', invoiceObject(INVOICE)),
    anEvent('customer.subscription.updated', '2026-03-04T00:00:00Z', subscriptionObject(ENDING)),
  ].map((event) => readEvent(event, PLANS)!);
  await billing.know(USER);
  const inOrder = await comeTo(events);
  expect(inOrder).toMatchObject({
    subscriptions: [{ status: 'ACTIVE', user_id: USER, access_until: new Date(MARCH.periodEnd), folded_events: 5 }],
    money: [{ type: 'invoice.paid', subject: 'in_1' }],
    offences: [],
  });
  const answer = { result: subscriptionObject(ENDING), at: new Date('2026-03-05T00:00:00Z') };
  const [read, folded] = [await comeTo([eventOfAnswer(answer, PLANS)!]), inOrder].map(({ subscriptions }) => {
    const { state, access_until, user_id } = subscriptions![0]!;
    return { ...(state as object), latestInvoice: null, access_until, user_id };
  });
  expect(read).toEqual(folded);
  const orders = ordersOf(events);
  expect(orders).toHaveLength(120);
  for (const [index, order] of orders.entries()) {
    expect(await comeTo(withCopies(order, index))).toEqual(inOrder);
  }
}, 180_000);

/** As the provider does: what is not taken in time is sent again. */
async function untilTaken(event: object): Promise<Reply> {
  for (let tries = 0; ; tries++) {
    const reply = await sendEvent(billing, event);
    if (reply.status !== 503 || tries === 10) return reply;
  }
}

it('thirty copies at once are applied once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id: userId } = billing.person();
    const of = { id: `in_${round}`, customer: `cus_${round}`, subscription: `sub_${round}`, userId };
    const paid = anEvent('invoice.paid', '2026-01-31T12:00:00Z', invoiceObject(of));
    const replies = await Promise.all(Array.from({ length: COPIES }, () => untilTaken(paid)));
    const reasons = replies.map(({ status, body }) => `${status} ${body.reason as string}`);
    expect(reasons.sort()).toEqual([...Array<string>(COPIES - 1).fill('200 duplicate_event'), '200 null']);
    const types = (await billing.events(userId)).map(({ type }) => type);
    expect(types.sort()).toEqual(['invoice.paid', 'subscription.changed']);
  }
});
