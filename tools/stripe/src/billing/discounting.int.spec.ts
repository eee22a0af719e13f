import type Stripe from 'stripe';
import { StripeAtNoon } from '../stripe-at-noon.fixture';

const EXPANDED = { expand: ['discounts.source.coupon'] };

let stripe: StripeAtNoon;
afterEach(() => stripe.close());

const lastInvoice = () => stripe.running.invoices.at(-1)!;
const couponOf = (discount: unknown) => (discount as Stripe.Discount).source.coupon;

it('a share of a subscription counts from the next invoice on', async () => {
  stripe = await StripeAtNoon.start();
  const { id } = await stripe.aSubscription();
  await stripe.running.discount(id, { percentOff: 25 });
  expect(lastInvoice()).toMatchObject({ total: 799 });
  await stripe.daysLater(30);
  // 199.75 cents are 200.
  expect(lastInvoice()).toMatchObject({
    subtotal: 799,
    total: 599,
    amount_paid: 599,
    total_discount_amounts: [{ amount: 200 }],
    lines: { data: [{ amount: 799, discount_amounts: [{ amount: 200 }] }] },
  });
});

it('events name it, and a read that asks for it tells its coupon', async () => {
  stripe = await StripeAtNoon.start();
  const { id } = await stripe.aSubscription();
  await stripe.running.discount(id, { amountOffCents: 100 });
  const named = [expect.stringMatching(/^di_/)];
  const { type, data } = stripe.running.events.at(-1)!;
  expect([type, data.object]).toMatchObject(['customer.subscription.updated', { discounts: named }]);
  expect((await stripe.client.subscriptions.retrieve(id)).discounts).toEqual(named);
  const { discounts } = await stripe.client.subscriptions.retrieve(id, EXPANDED);
  expect(discounts.map(couponOf)).toMatchObject([{ amount_off: 100, percent_off: null, currency: 'usd' }]);
});

it('one on the item is taken before one on the subscription', async () => {
  stripe = await StripeAtNoon.start();
  const { id } = await stripe.aSubscription();
  await stripe.running.discount(id, { percentOff: 50 });
  await stripe.running.discount(id, { amountOffCents: 99 }, 'item');
  await stripe.daysLater(30);
  expect(lastInvoice()).toMatchObject({ total: 350, total_discount_amounts: [{ amount: 99 }, { amount: 350 }] });
  const expand = ['data.discounts.source.coupon'];
  const { data } = await stripe.client.subscriptionItems.list({ subscription: id, expand });
  expect(data[0]!.discounts.map(couponOf)).toMatchObject([{ amount_off: 99 }]);
  // From the subscription it is a step too far.
  const tooFar = stripe.client.subscriptions.retrieve(id, { expand: ['items.data.discounts.source.coupon'] });
  await expect(tooFar).rejects.toThrow('more than 4 levels');
});

it('a change of plan gives back and charges what was paid after it', async () => {
  stripe = await StripeAtNoon.start();
  const { id, items } = await stripe.aSubscription();
  await stripe.running.discount(id, { percentOff: 50 });
  await stripe.daysLater(14);
  const change = { items: [{ id: items.data[0]!.id, price: stripe.running.prices.yearly }] };
  const wanted = { ...change, proration_behavior: 'always_invoice' as const };
  const preview = await stripe.client.invoices.createPreview({ subscription: id, subscription_details: wanted });
  await stripe.client.subscriptions.update(id, wanted);
  const [credit, year] = lastInvoice().lines.data;
  // Half of 799 cents, for 14 of 28 days; half of 5,999.
  expect([credit!.amount, credit!.discount_amounts]).toEqual([-200, []]);
  expect([year!.amount, year!.discount_amounts]).toMatchObject([5_999, [{ amount: 3_000 }]]);
  expect([lastInvoice().total, preview.total]).toEqual([2_799, 2_799]);
});

it('the old shape tells the coupon with the discount', async () => {
  stripe = await StripeAtNoon.start({ apiVersion: 'old' });
  const { id } = await stripe.aSubscription();
  await stripe.running.discount(id, { percentOff: 25 });
  expect(stripe.running.events.at(-1)!.data.object).toMatchObject({
    discounts: [expect.stringMatching(/^di_/)],
    discount: { object: 'discount', coupon: { percent_off: 25 } },
  });
});
