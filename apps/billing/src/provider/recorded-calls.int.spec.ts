import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { UserDeleted } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import {
  BILLING_CALLS_FILE,
  billingCallOf,
  billingCalls,
  shapeOf,
  type BillingCall,
} from '@evenkeel/stripe/billing-calls';
import { signWebhook } from '@evenkeel/stripe';
import type { Person } from '../billing.fixture';
import { Shop } from '../checkout/shop.fixture';
import { EndDepartures } from '../leaving/end-departures';
import { Reconcile } from '../reconciliation/reconcile';
import { wrongCalls } from './calls.fixture';

const isRecording = process.env['RECORD_CALLS'] === 'on';
const DONE = { withinMs: 30_000 };

let shop: Shop;
let generous: Shop;
beforeAll(async () => {
  shop = await Shop.start();
  generous = await Shop.start({ BILLING_TRIAL_DAYS: '14' });
});
afterAll(() => Shop.closeAll());

const query = <Row>(sql: string, values: unknown[] = []) => shop.billing.database.dataSource.query<Row[]>(sql, values);
const idOf = (person: Person) => shop.subscriptionsOf(person)[0]!.id;

/** Pages that are asked for again, of another plan, paid in silence, and with a trial. */
async function buy(): Promise<void> {
  const person = shop.billing.person();
  await shop.open(person, 'premium_yearly');
  await shop.open(person, 'premium_yearly');
  const { body } = await shop.open(person, 'premium_monthly');
  shop.stripe.mode('late');
  await shop.stripe.pay(String(body.session_id));
  await shop.open(person);
  await shop.stripe.deliverHeldBack();
  shop.stripe.mode('ok');
  await generous.open(generous.billing.person());
}

/** Everything that somebody may do with a subscription; an end that an operator has set is of another kind. */
async function change(person: Person): Promise<void> {
  await shop.post(person, 'portal');
  await shop.post(person, 'portal', { flow: 'payment_method' });
  await shop.post(person, 'change-plan', { plan: 'premium_yearly', preview: true });
  await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
  await shop.post(person, 'cancel');
  await shop.post(person, 'resume');
  await shop.settle();
  await shop.stripe.scheduleEnd(idOf(person), new Date('2026-06-01T00:00:00Z'));
  await shop.post(person, 'resume');
  await shop.settle();
}

/** What the worker reads: a subscription that is past due, discounts of an item, and whose a disputed charge is. */
async function read(): Promise<void> {
  const discounted = await shop.subscriber();
  await shop.stripe.discount(idOf(discounted), { percentOff: 10 }, 'item');
  await shop.stripe.dispute(shop.stripe.invoices.at(-1)!.id);
  await shop.daysLater(await shop.subscriber('premium_monthly', 'good_then_declines'), 33);
  await query(
    `INSERT INTO provider_reads (kind, id, reason, asked_at, due_at)
     SELECT 'subscription', subscription_id, 'gap', $1::timestamptz, $1 FROM subscriptions WHERE status = 'PAST_DUE'
     ON CONFLICT DO NOTHING`,
    [shop.clock.now()],
  );
  await eventually(async () => expect(await query('SELECT FROM provider_reads')).toEqual([]), DONE);
}

/** An event that is later than all clocks. */
async function future(): Promise<void> {
  const event = { ...shop.stripe.events.find(({ type }) => type === 'customer.subscription.created')!, created: 4e9 };
  const body = JSON.stringify(event);
  const headers = { 'stripe-signature': signWebhook(body, shop.stripe.webhookSecret, shop.clock.now()) };
  await shop.billing.send('/v1/billing/webhook/stripe', { method: 'POST', body, headers });
}

async function leave(person: Person): Promise<void> {
  const at = shop.clock.now();
  const { body: page } = await shop.open(shop.billing.person());
  await query('UPDATE checkouts SET user_id = $2 WHERE session_id = $1', [page.session_id, person.id]);
  const data: UserDeleted = { userId: person.id, receiptId: randomUUID(), deletedAt: at.toISOString() };
  await shop.billing.accounts.publish({ event: UserDeleted, key: person.id, data, at });
  const departures = shop.billing.app.get(EndDepartures, { strict: false });
  await eventually(async () => {
    await departures.execute();
    expect(shop.made(person, 'customer.deleted')).toHaveLength(1);
  }, DONE);
}

/** Over more than one page of events, with an object of each kind to look at once more. */
async function reconcile(): Promise<void> {
  for (let more = 0; more < 9; more++) await shop.subscriber();
  const last = await shop.subscriber();
  await shop.settle();
  await query(`UPDATE subscriptions SET state = state || '{"planCode": null}' WHERE user_id = $1`, [last.id]);
  await query('UPDATE invoices SET amount_cents = 1 WHERE user_id = $1', [last.id]);
  await query('UPDATE customers SET deleted_at = now() WHERE user_id = $1', [last.id]);
  await shop.billing.app.get(Reconcile, { strict: false }).execute();
}

it('every call that billing makes is recorded for `npm run stripe:check` (to record again: RECORD_CALLS=on)', async () => {
  await buy();
  const person = await shop.subscriber();
  await change(person);
  // Out of access, and not ended as far as we know.
  await query('UPDATE subscriptions SET access_until = NULL WHERE user_id = $1', [person.id]);
  await shop.open(person);
  await future();
  await read();
  await leave(await shop.subscriber());
  await reconcile();

  const calls = [...shop.calls, ...generous.calls];
  expect(wrongCalls(calls)).toEqual([]);
  const byShape = new Map<string, BillingCall>();
  for (const call of calls.map(billingCallOf)) if (!byShape.has(shapeOf(call))) byShape.set(shapeOf(call), call);
  const recorded = [...byShape].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, call]) => call);
  if (isRecording) writeFileSync(BILLING_CALLS_FILE, `${JSON.stringify(recorded, null, 2)}\n`);
  expect(recorded).toEqual(billingCalls());
}, 120_000);
