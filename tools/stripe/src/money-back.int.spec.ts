import { StripeAtNoon } from './stripe-at-noon.fixture';

let stripe: StripeAtNoon;

afterEach(() => stripe.close());

it('a refund leaves the subscription, and may fail', async () => {
  stripe = await StripeAtNoon.start();
  const bought = await stripe.aSubscription();
  const count = stripe.eventTypes().length;
  const refund = await stripe.running.refund(bought.latest_invoice as string, 200);
  expect(new Set(stripe.eventTypes().slice(count))).toEqual(
    new Set(['refund.created', 'charge.refunded', 'refund.updated']),
  );
  await stripe.running.failRefund(refund);
  expect(await stripe.client.refunds.retrieve(refund)).toMatchObject({ status: 'failed' });
  expect(stripe.eventTypes()).toContain('refund.failed');
  expect(await stripe.client.subscriptions.retrieve(bought.id)).toMatchObject({ status: 'active' });
});

it('a dispute takes the money, and gives it back when it is won', async () => {
  stripe = await StripeAtNoon.start();
  const { latest_invoice: invoice } = await stripe.aSubscription();
  const won = await stripe.running.dispute(invoice as string);
  await stripe.running.closeDispute(won, 'won');
  const disputeTypes = stripe.eventTypes().filter((type) => type.startsWith('charge.dispute'));
  expect(disputeTypes).toEqual(
    ['created', 'funds_withdrawn', 'closed', 'funds_reinstated'].map((what) => `charge.dispute.${what}`),
  );
  expect(await stripe.client.disputes.retrieve(won)).toMatchObject({ status: 'won', amount: 799 });
  const lost = await stripe.running.dispute(invoice as string);
  await stripe.running.closeDispute(lost, 'lost');
  expect(stripe.eventTypes().at(-1)).toBe('charge.dispute.closed');
  expect(await stripe.client.disputes.retrieve(lost)).toMatchObject({ status: 'lost' });
});

it('a refund of what was paid in euros is in euros, as its charge is', async () => {
  stripe = await StripeAtNoon.start();
  const price = stripe.running.addPrice({ interval: 'month', amountCents: 799, currency: 'eur', isOfPlans: true });
  await stripe.running.sellByHand({ prices: [price] });
  const refund = await stripe.client.refunds.retrieve(await stripe.running.refund(stripe.running.invoices.at(-1)!.id));
  expect(refund).toMatchObject({ amount: 799, currency: 'eur' });
  expect(await stripe.client.charges.retrieve(refund.charge as string)).toMatchObject({ currency: 'eur' });
});
