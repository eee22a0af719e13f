import type Stripe from 'stripe';
import type { DevelopmentStripeOptions } from './development-stripe';
import { StripeAtNoon } from './stripe-at-noon.fixture';

let stripe: StripeAtNoon;

afterEach(() => stripe.close());

/** Begins again, bought at noon of the last of January. */
async function start(options: DevelopmentStripeOptions = {}): Promise<void> {
  stripe = await StripeAtNoon.start(options);
}

const at = (time: string) => Date.parse(`${time}Z`) / 1000;
const until = (time: string) => stripe.running.advance(new Date(`${time}Z`));
const read = (id: string) => stripe.client.subscriptions.retrieve(id);

async function invoicesOf({ id }: Stripe.Subscription): Promise<Stripe.Invoice[]> {
  return (await stripe.client.invoices.list({ subscription: id, limit: 100 })).data.toReversed();
}

/** Types that happened since, each once. */
function since(count: number): Set<string> {
  return new Set(stripe.eventTypes().slice(count));
}

describe('buying', () => {
  it('makes an active subscription with a paid invoice', async () => {
    await start();
    const session = await stripe.aSession();
    await stripe.running.pay(session.id);
    const paid = await stripe.client.checkout.sessions.retrieve(session.id, {
      expand: ['subscription', 'invoice'],
    });
    expect(paid).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      client_reference_id: 'u1',
      subscription: {
        status: 'active',
        metadata: { user_id: 'u1' },
        items: { data: [{ current_period_end: at('2026-02-28T12:00:00') }] },
      },
      invoice: { status: 'paid', amount_paid: 799 },
    });
    expect(stripe.eventTypes().at(-1)).toBe('checkout.session.completed');
  });

  it('with a trial pays nothing, gets an event three days before its end, and then pays', async () => {
    await start();
    const { id } = await stripe.aSubscription('monthly', 14);
    expect(await read(id)).toMatchObject({ status: 'trialing', trial_end: at('2026-02-14T12:00:00') });
    expect(await invoicesOf(await read(id))).toMatchObject([{ amount_paid: 0, status: 'paid' }]);
    await until('2026-02-11T11:59:59');
    expect(stripe.eventTypes()).not.toContain('customer.subscription.trial_will_end');
    await until('2026-02-11T12:00:00');
    expect(stripe.eventTypes()).toContain('customer.subscription.trial_will_end');
    await until('2026-02-14T12:00:00');
    expect(await read(id)).toMatchObject({
      status: 'active',
      items: { data: [{ current_period_end: at('2026-03-14T12:00:00') }] },
    });
    expect((await invoicesOf(await read(id))).at(-1)).toMatchObject({ status: 'draft', amount_due: 799 });
    await until('2026-02-14T13:00:00');
    expect((await invoicesOf(await read(id))).at(-1)).toMatchObject({
      status: 'paid',
      billing_reason: 'subscription_cycle',
    });
  });

  it('is possible for a day', async () => {
    await start();
    const { id } = await stripe.aSession();
    await until('2026-02-01T12:00:00');
    expect(await stripe.client.checkout.sessions.retrieve(id)).toMatchObject({ status: 'expired' });
    expect(stripe.running.events.at(-1)).toMatchObject({
      type: 'checkout.session.expired',
      created: at('2026-02-01T12:00:00'),
    });
  });
});

describe('renewal', () => {
  it('comes on the last day of a shorter month, and an hour later the invoice is collected', async () => {
    await start();
    const bought = await stripe.aSubscription();
    await until('2026-04-30T13:00:00');
    const renewed = await read(bought.id);
    expect(renewed).toMatchObject({
      status: 'active',
      items: {
        data: [{ current_period_start: at('2026-04-30T12:00:00'), current_period_end: at('2026-05-31T12:00:00') }],
      },
    });
    const invoices = await invoicesOf(renewed);
    expect(invoices.map(({ amount_paid: paid }) => paid)).toEqual([799, 799, 799, 799]);
    expect(invoices.map(({ status_transitions: times }) => times.paid_at)).toEqual(
      ['2026-01-31T12:00:00', '2026-02-28T13:00:00', '2026-03-31T13:00:00', '2026-04-30T13:00:00'].map(at),
    );
  });

  it('of a year from the 29th of February ends on the 28th', async () => {
    await start();
    await until('2028-02-29T12:00:00');
    const bought = await stripe.aSubscription('yearly');
    expect(bought.items.data[0]!.current_period_end).toBe(at('2029-02-28T12:00:00'));
    await until('2032-02-28T12:00:00');
    expect((await read(bought.id)).items.data[0]!.current_period_end).toBe(at('2032-02-29T12:00:00'));
  });

  it('does not happen when the end of the period was asked for', async () => {
    await start();
    const bought = await stripe.aSubscription();
    const { subscriptions } = stripe.client;
    const ending = await subscriptions.update(bought.id, { cancel_at_period_end: true });
    expect(ending).toMatchObject({
      cancel_at_period_end: true,
      cancel_at: at('2026-02-28T12:00:00'),
      cancellation_details: { reason: 'cancellation_requested' },
    });
    const count = stripe.eventTypes().length;
    await subscriptions.update(bought.id, { cancel_at_period_end: true });
    expect(since(count)).toEqual(new Set());
    const kept = await subscriptions.update(bought.id, { cancel_at_period_end: false });
    expect(kept).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null });
    await subscriptions.update(bought.id, { cancel_at_period_end: true });
    await until('2026-02-28T12:00:00');
    expect(await read(bought.id)).toMatchObject({ status: 'canceled', ended_at: at('2026-02-28T12:00:00') });
    expect(stripe.eventTypes().at(-1)).toBe('customer.subscription.deleted');
    expect(await invoicesOf(bought)).toHaveLength(1);
    const change = subscriptions.update(bought.id, { cancel_at_period_end: false });
    await expect(change).rejects.toMatchObject({ statusCode: 400 });
    await expect(subscriptions.cancel(bought.id)).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe('a failed payment', () => {
  it('is tried again after one, three and five days, and recovers', async () => {
    await start();
    const bought = await stripe.aSubscription();
    await stripe.running.setCard(bought.customer as string, 'declines');
    await until('2026-02-28T13:00:00');
    expect(await read(bought.id)).toMatchObject({ status: 'past_due' });
    const failed = stripe.running.events.findLast(({ type }) => type === 'invoice.payment_failed')!;
    expect(failed.data.object).toMatchObject({ attempt_count: 1, next_payment_attempt: at('2026-03-01T13:00:00') });
    await until('2026-03-01T13:00:00');
    expect((await invoicesOf(bought)).at(-1)).toMatchObject({ attempt_count: 2, status: 'open' });
    await stripe.running.setCard(bought.customer as string, 'good');
    await until('2026-03-03T13:00:00');
    expect(await read(bought.id)).toMatchObject({ status: 'active' });
    expect((await invoicesOf(bought)).at(-1)).toMatchObject({ attempt_count: 3, status: 'paid', amount_paid: 799 });
  });

  it.each([
    ['cancel', 'canceled'],
    ['unpaid', 'unpaid'],
    ['past_due', 'past_due'],
  ] as const)('that no retry mends: %s', async (afterRetries, status) => {
    await start({ afterRetries });
    const session = await stripe.aSession();
    await stripe.running.pay(session.id, 'good_then_declines');
    await until('2026-03-05T13:00:00');
    const [subscription] = stripe.running.subscriptions;
    expect(subscription).toMatchObject({ status });
    expect(stripe.running.invoices.at(-1)).toMatchObject({
      status: 'open',
      attempt_count: 4,
      next_payment_attempt: null,
    });
    if (status !== 'canceled') return;
    expect(subscription).toMatchObject({ cancellation_details: { reason: 'payment_failed' } });
  });

  it('of an unpaid subscription can be mended by hand', async () => {
    await start({ afterRetries: 'unpaid' });
    const bought = await stripe.aSubscription();
    await stripe.running.setCard(bought.customer as string, 'declines');
    await until('2026-04-01T12:00:00');
    expect(await read(bought.id)).toMatchObject({ status: 'unpaid' });
    await stripe.running.setCard(bought.customer as string, 'good');
    const { latest_invoice: latest } = await read(bought.id);
    await stripe.running.payInvoice(latest as string);
    expect(await read(bought.id)).toMatchObject({ status: 'active' });
  });

  it('after a trial is past due, also with a draft left from when it was unpaid', async () => {
    await start({ afterRetries: 'unpaid' });
    const bought = await stripe.aSubscription();
    await stripe.running.setCard(bought.customer as string, 'declines');
    await until('2026-04-01T12:00:00');
    expect((await invoicesOf(bought)).at(-1)).toMatchObject({ status: 'draft' });
    await stripe.running.giveTrial(bought.id, new Date('2026-04-11T12:00:00Z'));
    await until('2026-04-11T12:00:00');
    expect(await read(bought.id)).toMatchObject({ status: 'active' });
    await until('2026-04-11T13:00:00');
    expect(await read(bought.id)).toMatchObject({ status: 'past_due' });
    expect((await invoicesOf(bought)).at(-1)).toMatchObject({ status: 'open', attempt_count: 1 });
  });
});

describe('pauses', () => {
  it('a paused collection voids its invoices', async () => {
    await start();
    const bought = await stripe.aSubscription();
    await stripe.running.pauseCollection(bought.id);
    expect(await read(bought.id)).toMatchObject({ status: 'active', pause_collection: { behavior: 'void' } });
    await until('2026-02-28T13:00:00');
    expect((await invoicesOf(bought)).at(-1)).toMatchObject({ status: 'void' });
    await stripe.running.resumeCollection(bought.id);
    await until('2026-03-31T13:00:00');
    expect((await invoicesOf(bought)).at(-1)).toMatchObject({ status: 'paid' });
  });
});
