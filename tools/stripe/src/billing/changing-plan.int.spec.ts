import type Stripe from 'stripe';
import { StripeAtNoon } from '../stripe-at-noon.fixture';

let stripe: StripeAtNoon;
let bought: Stripe.Subscription;

const at = (time: string) => Date.parse(`${time}Z`) / 1000;
const until = (time: string) => stripe.running.advance(new Date(`${time}Z`));
const read = () => stripe.client.subscriptions.retrieve(bought.id, { expand: ['latest_invoice', 'customer'] });

/** Bought at noon of the last of January, and half of the 28 days of its month are over. */
beforeEach(async () => {
  stripe = await StripeAtNoon.start();
  bought = await stripe.aSubscription();
  await until('2026-02-14T12:00:00');
});

afterEach(() => stripe.close());

function change(
  plan: 'monthly' | 'yearly',
  behavior: Stripe.SubscriptionUpdateParams.PaymentBehavior = 'error_if_incomplete',
): Promise<Stripe.Subscription> {
  return stripe.client.subscriptions.update(bought.id, {
    items: [{ id: bought.items.data[0]!.id, price: stripe.running.prices[plan] }],
    proration_behavior: 'always_invoice',
    payment_behavior: behavior,
    expand: ['latest_invoice'],
  });
}

function preview(plan?: 'monthly' | 'yearly'): Promise<Stripe.Invoice> {
  const items = plan && [{ id: bought.items.data[0]!.id, price: stripe.running.prices[plan] }];
  return stripe.client.invoices.createPreview({
    subscription: bought.id,
    ...(items && { subscription_details: { items, proration_behavior: 'always_invoice' } }),
  });
}

const amounts = (invoice: Stripe.Invoice | string | null) =>
  (invoice as Stripe.Invoice).lines.data.map(({ amount }) => amount);

it('upward gives the unused half back, and charges a year from now', async () => {
  const previewed = await preview('yearly');
  expect(amounts(previewed)).toEqual([-400, 5_999]);
  expect(previewed).toMatchObject({ amount_due: 5_599, status: 'draft', billing_reason: 'subscription_update' });
  expect(stripe.running.invoices).toHaveLength(1);

  const changed = await change('yearly');
  expect(amounts(changed.latest_invoice)).toEqual([-400, 5_999]);
  expect(changed).toMatchObject({
    latest_invoice: { amount_paid: 5_599, status: 'paid' },
    billing_cycle_anchor: at('2026-02-14T12:00:00'),
    items: { data: [{ price: { id: stripe.running.prices.yearly }, current_period_end: at('2027-02-14T12:00:00') }] },
  });
});

it('downward gives credit, which pays the next invoices', async () => {
  await change('yearly');
  await until('2026-08-16T00:00:00');
  const changed = await change('monthly');
  // 182.5 of 365 days are left.
  expect(amounts(changed.latest_invoice)).toEqual([-3_000, 799]);
  expect(await read()).toMatchObject({
    latest_invoice: { amount_due: 0, amount_paid: 0, status: 'paid', total: -2_201, ending_balance: -2_201 },
    customer: { balance: -2_201 },
  });
  expect(await preview()).toMatchObject({ total: 799, amount_due: 0, billing_reason: 'upcoming' });
  await until('2026-11-16T01:00:00');
  const invoices = await stripe.client.invoices.list({ subscription: bought.id, limit: 3 });
  expect(invoices.data.map(({ amount_due: due }) => due)).toEqual([196, 0, 0]);
  expect(await read()).toMatchObject({ customer: { balance: 0 } });
});

it('that is declined changes nothing', async () => {
  await stripe.running.setCard(bought.customer as string, 'declines');
  const before = await read();
  const invoices = stripe.running.invoices.length;
  await expect(change('yearly')).rejects.toMatchObject({
    statusCode: 402,
    type: 'StripeCardError',
    code: 'card_declined',
    decline_code: 'generic_decline',
  });
  const { lastResponse: _last, ...same } = before;
  expect(await read()).toMatchObject(same);
  expect(stripe.running.invoices).toHaveLength(invoices);
});

it('that waits for its payment is applied by it, and needs none downward', async () => {
  await stripe.running.setCard(bought.customer as string, 'declines');
  const waiting = await change('yearly', 'pending_if_incomplete');
  expect(waiting).toMatchObject({
    status: 'active',
    items: { data: [{ price: { id: stripe.running.prices.monthly } }] },
    pending_update: { subscription_items: [{ price: { id: stripe.running.prices.yearly } }] },
    latest_invoice: { status: 'open', amount_due: 5_599 },
  });
  await stripe.running.setCard(bought.customer as string, 'good');
  await stripe.running.payInvoice((waiting.latest_invoice as Stripe.Invoice).id);
  expect(await read()).toMatchObject({
    pending_update: null,
    items: { data: [{ price: { id: stripe.running.prices.yearly } }] },
  });
  expect(stripe.eventTypes()).toContain('customer.subscription.pending_update_applied');

  await stripe.running.setCard(bought.customer as string, 'declines');
  const down = await change('monthly', 'pending_if_incomplete');
  expect(down).toMatchObject({
    pending_update: null,
    items: { data: [{ price: { id: stripe.running.prices.monthly } }] },
  });
});

it('that was not paid for a day is dropped', async () => {
  await stripe.running.setCard(bought.customer as string, 'declines');
  const waiting = await change('yearly', 'pending_if_incomplete');
  await until('2026-02-15T12:00:00');
  expect(await read()).toMatchObject({
    pending_update: null,
    items: { data: [{ price: { id: stripe.running.prices.monthly } }] },
    latest_invoice: { id: (waiting.latest_invoice as Stripe.Invoice).id, status: 'void' },
  });
  expect(stripe.eventTypes().at(-1)).toBe('customer.subscription.pending_update_expired');
});

it.each(['before', 'after'])('does not keep past due what is paid %s the change is dropped', async (when) => {
  await stripe.running.setCard(bought.customer as string, 'declines');
  await until('2026-02-28T14:00:00');
  const { latest_invoice: renewal } = await read();
  await change('yearly', 'pending_if_incomplete');
  if (when === 'after') await until('2026-03-01T14:00:00');
  await stripe.running.setCard(bought.customer as string, 'good');
  await stripe.running.payInvoice((renewal as Stripe.Invoice).id);
  expect(await read()).toMatchObject({
    status: 'active',
    items: { data: [{ price: { recurring: { interval: 'month' } } }] },
  });
});

it('that waits for its payment cannot bring an end with it', async () => {
  const both = { cancel_at_period_end: true, payment_behavior: 'pending_if_incomplete' as const };
  await expect(stripe.client.subscriptions.update(bought.id, both)).rejects.toMatchObject({
    statusCode: 400,
    param: 'payment_behavior',
  });
  expect(await read()).toMatchObject({ cancel_at_period_end: false });
});

it('applied without its payment makes a subscription past due', async () => {
  await stripe.running.setCard(bought.customer as string, 'declines');
  const changed = await change('yearly', 'allow_incomplete');
  expect(changed).toMatchObject({
    status: 'past_due',
    items: { data: [{ price: { id: stripe.running.prices.yearly } }] },
    latest_invoice: { status: 'open' },
  });
});

it('in a trial costs nothing and leaves its end', async () => {
  bought = await stripe.aSubscription('monthly', 14);
  const changed = await change('yearly');
  expect(changed).toMatchObject({
    status: 'trialing',
    trial_end: bought.trial_end,
    items: { data: [{ price: { id: stripe.running.prices.yearly } }] },
  });
  await until('2026-02-28T13:00:00');
  expect(await read()).toMatchObject({ status: 'active', latest_invoice: { amount_paid: 5_999 } });
});

it('keeps an end that is scheduled, at the end of the new period', async () => {
  await stripe.client.subscriptions.update(bought.id, { cancel_at_period_end: true });
  const end = { cancel_at_period_end: true, cancel_at: at('2027-02-14T12:00:00') };
  expect(await change('yearly')).toMatchObject(end);
  const told = stripe.running.events.findLast(({ type }) => type === 'customer.subscription.updated')!;
  expect(told.data.object).toMatchObject(end);
});

it('is previewed as the next renewal when nothing is to be changed', async () => {
  const next = await preview();
  expect(amounts(next)).toEqual([799]);
  expect(next).toMatchObject({ amount_due: 799, created: at('2026-02-28T12:00:00') });
  await stripe.client.subscriptions.cancel(bought.id);
  await expect(preview()).rejects.toMatchObject({ code: 'invoice_upcoming_none' });
});
