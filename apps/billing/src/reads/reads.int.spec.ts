import { eventually, scrape } from '@evenkeel/platform/testing';
import { signWebhook, type StripeEvent } from '@evenkeel/stripe';
import { Shop } from '../checkout/shop.fixture';
import { askForRead, lockFor } from '../subscriptions/stored-events';
import { subscriptionRow } from '../webhooks/provider-events.fixture';

const MINUTE_MS = 60_000;

let shop: Shop;
let clock: Shop['clock'];
let stripe: Shop['stripe'];
let billing: Shop['billing'];
beforeEach(async () => {
  shop = await Shop.start();
  ({ clock, stripe, billing } = shop);
});
afterEach(() => Shop.closeAll());

const rowsOf = (sql: string, values: unknown[] = []) =>
  billing.database.dataSource.query<Record<string, unknown>[]>(sql, values);
const waiting = () => rowsOf('SELECT kind, reason, attempts FROM provider_reads ORDER BY kind');
const nothingWaits = () => eventually(async () => expect(await waiting()).toEqual([]), { withinMs: 15_000 });

/** A first payment, delivered. @returns the subscription */
async function paidBy(userId: string): Promise<string> {
  const person = { id: userId, token: billing.tokens.token(userId) };
  const { body } = await shop.open(person);
  await stripe.pay(String(body.session_id));
  return shop.subscriptionsOf(person)[0]!.id;
}

it('events of one second are settled by a read, which changes what they left wrong', async () => {
  const { id: userId } = billing.person();
  const id = await paidBy(userId);
  expect(await waiting()).toMatchObject([{ kind: 'subscription' }]);
  await rowsOf(`UPDATE subscriptions SET state = state || '{"currentPeriodEnd": null}' WHERE subscription_id = $1`, [
    id,
  ]);
  clock.advanceMs(MINUTE_MS);
  await nothingWaits();
  expect(await subscriptionRow(billing, id)).toMatchObject({
    user_id: userId,
    status: 'ACTIVE',
    access_until: new Date('2026-03-03T12:00:00Z'),
  });
  expect((await billing.events(userId)).at(-1)).toMatchObject({ data: { cause: 'subscription.read' } });
});

it('a read and an event of its subscription at once are no deadlock', async () => {
  const id = await paidBy(billing.person().id);
  const customerId = stripe.subscriptions.at(-1)!.customer as string;
  await billing.database.dataSource.transaction(async (tx) => {
    // Of two that wait for each other this one is ended.
    await tx.query("SET LOCAL deadlock_timeout = '10ms'");
    await lockFor(tx, { customerId, subscriptionId: id, id });
    clock.advanceMs(MINUTE_MS);
    const held = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await eventually(async () => expect(await rowsOf(held)).not.toEqual([]), { withinMs: 15_000 });
    await askForRead(tx, { kind: 'subscription', id, reason: 'gap' }, clock.now());
  });
  clock.advanceMs(MINUTE_MS);
  await nothingWaits();
});

/** Sends one event by hand, in whatever order. */
async function tell(event: StripeEvent): Promise<unknown> {
  const body = JSON.stringify(event);
  const headers = { 'stripe-signature': signWebhook(body, stripe.webhookSecret, clock.now()) };
  return (await billing.send('/v1/billing/webhook/stripe', { method: 'POST', body, headers })).body;
}

describe('what leaves something unsure is read by the worker', () => {
  const renewalAt = new Date('2026-02-28T14:00:00Z');

  /** Somebody with a renewal whose events are not delivered yet: they are returned by type, with the time of the first and the id. */
  async function renewedInSilence() {
    const id = await paidBy(billing.person().id);
    clock.advanceMs(MINUTE_MS);
    await nothingWaits();
    const before = stripe.events.length;
    stripe.mode('lost');
    await stripe.advance(renewalAt);
    const [updated, paid] = ['customer.subscription.updated', 'invoice.paid'].map((type) =>
      stripe.events.slice(before).find((event) => event.type === type)!,
    ) as [StripeEvent, StripeEvent];
    expect(updated.created).toBeLessThan(paid.created);
    return { id, updated, paid };
  }

  it('an event that is older than what is known', async () => {
    const { id, updated, paid } = await renewedInSilence();
    expect(await tell(paid)).toMatchObject({ applied: true });
    expect(await waiting()).toEqual([]);
    await tell(updated);
    expect(await waiting()).toEqual([{ kind: 'subscription', reason: 'out_of_order', attempts: 0 }]);
    await rowsOf(`UPDATE subscriptions SET state = state || '{"currentPeriodEnd": null}' WHERE subscription_id = $1`, [
      id,
    ]);
    clock.advanceMs(MINUTE_MS);
    await nothingWaits();
    const renewed = new Date('2026-03-31T12:00:00Z').getTime() + 72 * 60 * MINUTE_MS;
    expect((await subscriptionRow(billing, id))!.access_until!.getTime()).toBe(renewed);
  });

  it('events of a subscription whose first event is missing', async () => {
    const { id: userId } = billing.person();
    stripe.mode('lost');
    const id = await paidBy(userId);
    await stripe.advance(renewalAt);
    const [first, second] = stripe.events.filter(({ type }) => type === 'invoice.paid') as [StripeEvent, StripeEvent];
    await tell(first);
    // The first event may arrive a moment before that of its subscription.
    expect(await waiting()).toEqual([]);
    await tell(second);
    expect(await waiting()).toEqual([{ kind: 'subscription', reason: 'gap', attempts: 0 }]);
    expect(await subscriptionRow(billing, id)).toMatchObject({
      state: { isWhole: false, planCode: 'premium_monthly' },
    });
    clock.advanceMs(MINUTE_MS);
    await nothingWaits();
    expect(await subscriptionRow(billing, id)).toMatchObject({
      user_id: userId,
      status: 'ACTIVE',
      state: { isWhole: true, planCode: 'premium_monthly' },
    });
  });

  it.each([
    ['a share of the subscription', { percentOff: 25 }, 'subscription', 5_992_500],
    ['cents of the item', { amountOffCents: 100 }, 'item', 6_990_000],
    ['more than the price', { amountOffCents: 10_000 }, 'item', 0],
  ] as const)('a discount that is only named: %s', async (_, reduction, place, recurringMicros) => {
    const { id: userId } = billing.person();
    const id = await paidBy(userId);
    clock.advanceMs(MINUTE_MS);
    await nothingWaits();
    await stripe.discount(id, reduction, place);
    expect(await waiting()).toEqual([{ kind: 'subscription', reason: 'discount', attempts: 0 }]);
    expect(await subscriptionRow(billing, id)).toMatchObject({ state: { recurringMicros: 7_990_000 } });
    clock.advanceMs(MINUTE_MS);
    await nothingWaits();
    expect(await subscriptionRow(billing, id)).toMatchObject({ state: { recurringMicros } });
    expect((await billing.events(userId)).at(-1)).toMatchObject({
      type: 'subscription.changed',
      data: { cause: 'subscription.read', subscriptions: [{ recurringMicros }] },
    });
  });

  it('and nothing else: a renewal whose events are in order asks for none', async () => {
    const { updated, paid } = await renewedInSilence();
    for (const event of [updated, paid, updated, paid]) await tell(event);
    expect(await waiting()).toEqual([]);
  });
});

it('a read says since when payments fail, of the oldest invoice that is owed', async () => {
  const id = await paidBy(billing.person().id);
  clock.advanceMs(MINUTE_MS);
  await nothingWaits();
  await stripe.setCard(stripe.subscriptions.at(-1)!.customer as string, 'declines');
  stripe.mode('lost');
  await stripe.advance(new Date('2026-02-28T14:00:00Z'));
  const [owed] = stripe.invoices.filter(({ status }) => status === 'open');
  const since = new Date(owed!.status_transitions.finalized_at! * 1_000).toISOString();
  await stripe.changePlan(id, stripe.prices.yearly, 'allow_incomplete');
  expect(stripe.invoices.filter(({ status }) => status === 'open')).toHaveLength(2);

  await rowsOf(
    `INSERT INTO provider_reads (kind, id, reason, asked_at, due_at) VALUES ('subscription', $1, 'gap', $2, $2)`,
    [id, clock.now()],
  );
  await nothingWaits();
  expect(await subscriptionRow(billing, id)).toMatchObject({ status: 'PAST_DUE', state: { pastDueSince: since } });
});

it('a dispute is linked by a read of its charge, with the invoice', async () => {
  const { id: userId } = billing.person();
  await paidBy(userId);
  const { id: invoiceId, amount_paid: cents } = stripe.invoices.at(-1)!;
  const disputeId = await stripe.dispute(invoiceId);
  expect((await waiting()).map(({ kind }) => kind)).toEqual(['charge', 'subscription']);
  const { samples } = await scrape(billing.running.internalUrl);
  expect(samples.filter(({ name }) => name === 'evenkeel_unlinked_events')).toMatchObject([{ value: 2 }]);
  clock.advanceMs(MINUTE_MS);
  await nothingWaits();
  const adjusted = (await billing.events(userId)).filter(({ type }) => type === 'invoice.adjusted');
  expect(adjusted.map(({ data }) => data)).toMatchObject([
    { adjustmentId: disputeId, kind: 'dispute', invoiceId, amountMicros: cents * 10_000 },
  ]);
  expect(await rowsOf(`SELECT FROM provider_events WHERE NOT applied AND reason = 'unmatched_customer'`)).toEqual([]);
  await stripe.closeDispute(disputeId, 'won');
  expect((await billing.events(userId)).filter(({ type }) => type === 'invoice.adjusted')).toHaveLength(2);
});

it('a dispute that is closed and not won is lost', async () => {
  const { id: userId } = billing.person();
  await paidBy(userId);
  const disputeId = await stripe.dispute(stripe.invoices.at(-1)!.id);
  clock.advanceMs(MINUTE_MS);
  await nothingWaits();
  await stripe.closeDispute(disputeId, 'lost');
  const adjusted = async () => {
    const events = (await billing.events(userId)).filter(({ type }) => type === 'invoice.adjusted');
    return events.map(({ data }) => (data as { kind: string }).kind);
  };
  expect(await adjusted()).toEqual(['dispute', 'dispute_lost']);
});

it('a refund that fails is told, and that its money is back', async () => {
  const { id: userId } = billing.person();
  await paidBy(userId);
  const refund = await stripe.refund(stripe.invoices.at(-1)!.id, 100);
  await stripe.failRefund(refund);
  clock.advanceMs(MINUTE_MS);
  await nothingWaits();
  const adjusted = (await billing.events(userId)).filter(({ type }) => type === 'invoice.adjusted');
  expect(adjusted.map(({ data }) => [data['kind'], data['adjustmentId'], data['amountMicros']])).toEqual([
    ['refund', refund, 1_000_000],
    ['refund_failed', refund, 1_000_000],
  ]);
});

it('what is gone is dropped, and what fails comes again later', async () => {
  await rowsOf(
    `INSERT INTO provider_reads (kind, id, reason, asked_at, due_at) VALUES ('subscription', 'sub_gone', 'gap', $1, $1)`,
    [clock.now()],
  );
  await nothingWaits();
  const id = await paidBy(billing.person().id);
  stripe.mode('error500');
  clock.advanceMs(MINUTE_MS);
  await eventually(async () => expect(await waiting()).toMatchObject([{ attempts: 1 }]), { withinMs: 15_000 });
  stripe.mode('ok');
  clock.advanceMs(10 * MINUTE_MS);
  await nothingWaits();
  expect(await subscriptionRow(billing, id)).toMatchObject({ status: 'ACTIVE' });
});
