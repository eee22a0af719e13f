import type Stripe from 'stripe';
import { StripeAtNoon } from '../stripe-at-noon.fixture';

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
