import type Stripe from 'stripe';
import { StripeAtNoon } from './stripe-at-noon.fixture';

let stripe: StripeAtNoon;

/** Each begins at noon of the last of January. */
beforeEach(async () => {
  stripe = await StripeAtNoon.start();
});
afterEach(() => stripe.close());

const until = (time: string) => stripe.running.advance(new Date(`${time}Z`));
const read = (id: string) => stripe.client.subscriptions.retrieve(id);

async function invoicesOf({ id }: Stripe.Subscription): Promise<Stripe.Invoice[]> {
  return (await stripe.client.invoices.list({ subscription: id, limit: 100 })).data.toReversed();
}

it('a paused subscription goes on with a new period', async () => {
  const bought = await stripe.aSubscription();
  await stripe.running.pause(bought.id);
  expect(await read(bought.id)).toMatchObject({ status: 'paused' });
  await until('2026-03-10T09:00:00');
  expect(await invoicesOf(bought)).toHaveLength(1);
  await stripe.running.resume(bought.id);
  expect(await read(bought.id)).toMatchObject({
    status: 'active',
    items: { data: [{ current_period_end: Date.parse('2026-04-10T09:00:00Z') / 1_000 }] },
  });
  expect(stripe.eventTypes()).toEqual(
    expect.arrayContaining(['customer.subscription.paused', 'customer.subscription.resumed']),
  );
});

it('a paused subscription stays so until its new period is paid', async () => {
  const bought = await stripe.aSubscription();
  await stripe.running.setCard(bought.customer as string, 'declines');
  await stripe.running.pause(bought.id);
  await stripe.running.resume(bought.id);
  expect(await read(bought.id)).toMatchObject({ status: 'paused' });
  await stripe.running.setCard(bought.customer as string, 'good');
  await stripe.running.resume(bought.id);
  expect(await read(bought.id)).toMatchObject({ status: 'active' });
  expect((await invoicesOf(bought)).map(({ status }) => status)).toEqual(['paid', 'paid']);
});

it('what has ended is not paused any more', async () => {
  const { id } = await stripe.aSubscription();
  await stripe.client.subscriptions.cancel(id);
  const { running } = stripe;
  for (const change of [running.pauseCollection, running.resumeCollection, running.pause, running.resume]) {
    await expect(change.call(running, id)).rejects.toThrow('has ended');
  }
});

it('a refund leaves the subscription, and may fail', async () => {
  const bought = await stripe.aSubscription();
  const count = stripe.eventTypes().length;
  const refund = await stripe.running.refund(bought.latest_invoice as string, 200);
  expect(new Set(stripe.eventTypes().slice(count))).toEqual(
    new Set(['refund.created', 'charge.refunded', 'refund.updated']),
  );
  await stripe.running.failRefund(refund);
  expect(stripe.running.events.at(-1)!.data.object).toMatchObject({ id: refund, status: 'failed' });
  expect(stripe.eventTypes()).toContain('refund.failed');
  expect(await stripe.client.subscriptions.retrieve(bought.id)).toMatchObject({ status: 'active' });
});

it('a dispute takes the money, and gives it back when it is won', async () => {
  const { latest_invoice: invoice } = await stripe.aSubscription();
  const won = await stripe.running.dispute(invoice as string);
  await stripe.running.closeDispute(won, 'won');
  const disputeTypes = stripe.eventTypes().filter((type) => type.startsWith('charge.dispute'));
  expect(disputeTypes).toEqual(
    ['created', 'funds_withdrawn', 'closed', 'funds_reinstated'].map((what) => `charge.dispute.${what}`),
  );
  expect(stripe.running.events.at(-1)!.data.object).toMatchObject({ id: won, status: 'won', amount: 799 });
  const lost = await stripe.running.dispute(invoice as string);
  await stripe.running.closeDispute(lost, 'lost');
  expect(stripe.running.events.at(-1)).toMatchObject({
    type: 'charge.dispute.closed',
    data: { object: { id: lost, status: 'lost' } },
  });
});

it('a refund of what was paid in euros is in euros, as its charge is', async () => {
  const price = stripe.running.addPrice({ interval: 'month', amountCents: 799, currency: 'eur', isOfPlans: true });
  await stripe.running.sellByHand({ prices: [price] });
  await stripe.running.refund(stripe.running.invoices.at(-1)!.id);
  const { object: refund } = stripe.running.events.at(-1)!.data;
  expect(refund).toMatchObject({ amount: 799, currency: 'eur' });
  expect(await stripe.client.charges.retrieve(refund.charge as string)).toMatchObject({ currency: 'eur' });
});
