import fastify, { type FastifyInstance } from 'fastify';
import type Stripe from 'stripe';
import { StripeAtNoon } from './stripe-at-noon.fixture';

let stripe: StripeAtNoon;
beforeEach(async () => {
  stripe = await StripeAtNoon.start({ webhookRetryMs: [1, 1] });
});
afterEach(() => stripe.close());

const at = (time: string) => Date.parse(`${time}Z`) / 1_000;
const until = (time: string) => stripe.running.advance(new Date(`${time}Z`));
const read = (id: string) => stripe.client.subscriptions.retrieve(id, { expand: ['latest_invoice', 'customer'] });
const lastInvoice = () => stripe.running.invoices.at(-1)!;

describe('a subscription', () => {
  it('is active once its first invoice is paid, and renews on the last day of a shorter month', async () => {
    const session = await stripe.aSession();
    await stripe.running.pay(session.id);
    const expand = ['subscription', 'invoice'];
    expect(await stripe.client.checkout.sessions.retrieve(session.id, { expand })).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      client_reference_id: 'u1',
      subscription: { status: 'active', metadata: { user_id: 'u1' } },
      invoice: { status: 'paid', amount_paid: 799 },
    });
    expect(stripe.eventTypes().at(-1)).toBe('checkout.session.completed');
    await until('2026-04-30T13:00:00');
    const period = { current_period_start: at('2026-04-30T12:00:00'), current_period_end: at('2026-05-31T12:00:00') };
    expect(stripe.running.subscriptions).toMatchObject([{ status: 'active', items: { data: [period] } }]);
    const paid = ['2026-01-31T12:00:00', '2026-02-28T13:00:00', '2026-03-31T13:00:00', '2026-04-30T13:00:00'].map(at);
    expect(stripe.running.invoices.map(({ status_transitions: times }) => times.paid_at)).toEqual(paid);
  });

  it('with a trial pays nothing, and then pays', async () => {
    const { id } = await stripe.aSubscription(14);
    const trial = { trial_end: at('2026-02-14T12:00:00'), latest_invoice: { amount_paid: 0, status: 'paid' } };
    expect(await read(id)).toMatchObject({ status: 'trialing', ...trial });
    await until('2026-02-14T12:00:00');
    expect(await read(id)).toMatchObject({ status: 'active', latest_invoice: { status: 'draft', amount_due: 799 } });
    await until('2026-02-14T13:00:00');
    expect(lastInvoice()).toMatchObject({ status: 'paid', billing_reason: 'subscription_cycle' });
  });

  it('ends with its period when that was asked for, and repeating a request is no event', async () => {
    const { id } = await stripe.aSubscription();
    const end = (isWanted: boolean) => stripe.client.subscriptions.update(id, { cancel_at_period_end: isWanted });
    expect(await end(true)).toMatchObject({ cancel_at_period_end: true, cancel_at: at('2026-02-28T12:00:00') });
    const count = stripe.eventTypes().length;
    await end(true);
    expect(stripe.eventTypes()).toHaveLength(count);
    expect(await end(false)).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null });
    await end(true);
    await until('2026-02-28T12:00:00');
    expect(await read(id)).toMatchObject({ status: 'canceled', ended_at: at('2026-02-28T12:00:00') });
    expect(stripe.running.invoices).toHaveLength(1);
    await expect(end(false)).rejects.toMatchObject({ statusCode: 400 });
    await expect(stripe.client.subscriptions.cancel(id)).rejects.toMatchObject({ statusCode: 404 });
    await expect(stripe.running.pause(id)).rejects.toThrow('has ended');
  });

  it('that is paused goes on with a new period, once that is paid', async () => {
    const { id, customer } = await stripe.aSubscription();
    await stripe.running.setCard(customer, 'declines');
    await stripe.running.pause(id);
    await until('2026-03-10T09:00:00');
    expect(stripe.running.invoices).toHaveLength(1);
    await expect(stripe.running.resume(id)).rejects.toThrow('declined');
    await stripe.running.setCard(customer, 'good');
    await stripe.running.resume(id);
    const items = { data: [{ current_period_end: at('2026-04-10T09:00:00') }] };
    expect(await read(id)).toMatchObject({ status: 'active', items, latest_invoice: { status: 'paid' } });
  });
});

describe('a failed payment', () => {
  it('is tried again after one, three and five days, and recovers', async () => {
    const { id, customer } = await stripe.aSubscription();
    await stripe.running.setCard(customer, 'declines');
    await until('2026-02-28T13:00:00');
    expect(await read(id)).toMatchObject({ status: 'past_due' });
    const failed = stripe.running.events.findLast(({ type }) => type === 'invoice.payment_failed')!;
    expect(failed.data.object).toMatchObject({ attempt_count: 1, next_payment_attempt: at('2026-03-01T13:00:00') });
    await until('2026-03-03T12:59:59');
    expect(lastInvoice()).toMatchObject({ attempt_count: 2, status: 'open' });
    await stripe.running.setCard(customer, 'good');
    await until('2026-03-03T13:00:00');
    expect(await read(id)).toMatchObject({ status: 'active', latest_invoice: { attempt_count: 3, status: 'paid' } });
  });

  it.each([
    ['cancel', 'canceled', 'canceled'],
    ['unpaid', 'unpaid', 'active'],
  ] as const)('that no retry mends: %s', async (afterRetries, status, paid) => {
    await stripe.close();
    stripe = await StripeAtNoon.start({ afterRetries });
    await stripe.running.pay((await stripe.aSession()).id, 'good_then_declines');
    await until('2026-03-05T13:00:00');
    expect(stripe.running.subscriptions).toMatchObject([{ status }]);
    const owed = lastInvoice();
    expect(owed).toMatchObject({ status: 'open', attempt_count: 4, next_payment_attempt: null });
    await stripe.running.setCard(owed.customer as string, 'good');
    await stripe.running.payInvoice(owed.id);
    expect(stripe.running.subscriptions).toMatchObject([{ status: paid }]);
  });
});

describe('a change of plan, when half of the 28 days of its month are over,', () => {
  let bought: Stripe.Subscription & { customer: string };
  beforeEach(async () => {
    bought = await stripe.aSubscription();
    await until('2026-02-14T12:00:00');
  });

  const wanted = (plan: 'monthly' | 'yearly') => ({
    items: [{ id: bought.items.data[0]!.id, price: stripe.running.prices[plan] }],
    proration_behavior: 'always_invoice' as const,
  });
  const change = (plan: 'monthly' | 'yearly', payment_behavior: 'error_if_incomplete' | 'allow_incomplete') =>
    stripe.client.subscriptions.update(bought.id, { ...wanted(plan), payment_behavior });
  const amounts = (invoice: Stripe.Invoice) => invoice.lines.data.map(({ amount }) => amount);
  const planOf = (interval: string) => ({ items: { data: [{ price: { recurring: { interval } } }] } });

  it('gives the unused half back upward, and downward credit, which pays the next invoices', async () => {
    await stripe.client.subscriptions.update(bought.id, { cancel_at_period_end: true });
    const asked = { subscription: bought.id, subscription_details: wanted('yearly') };
    const previewed = await stripe.client.invoices.createPreview(asked);
    expect(amounts(previewed)).toEqual([-400, 5_999]);
    expect(previewed).toMatchObject({ amount_due: 5_599, status: 'draft', billing_reason: 'subscription_update' });
    expect(stripe.running.invoices).toHaveLength(1);
    const changed = await change('yearly', 'error_if_incomplete');
    expect(amounts(lastInvoice())).toEqual([-400, 5_999]);
    expect(lastInvoice()).toMatchObject({ amount_paid: 5_599, status: 'paid' });
    // An end that was scheduled moves to the end of the new period.
    const [anchor, end] = [at('2026-02-14T12:00:00'), at('2027-02-14T12:00:00')];
    expect(changed).toMatchObject({ ...planOf('year'), billing_cycle_anchor: anchor, cancel_at: end });
    await stripe.client.subscriptions.update(bought.id, { cancel_at_period_end: false });
    await until('2026-08-16T00:00:00');
    await change('monthly', 'error_if_incomplete');
    // 182.5 of 365 days are left.
    expect(amounts(lastInvoice())).toEqual([-3_000, 799]);
    expect(await read(bought.id)).toMatchObject({ customer: { balance: -2_201 }, latest_invoice: { amount_paid: 0 } });
    await until('2026-11-16T01:00:00');
    expect(stripe.running.invoices.slice(-3).map(({ amount_due: due }) => due)).toEqual([0, 0, 196]);
  });

  it('changes nothing when it is declined, or makes a past due subscription', async () => {
    await stripe.running.setCard(bought.customer, 'declines');
    const { lastResponse: _last, ...before } = await read(bought.id);
    await expect(change('yearly', 'error_if_incomplete')).rejects.toMatchObject({ statusCode: 402 });
    expect(await read(bought.id)).toMatchObject(before);
    expect(stripe.running.invoices).toHaveLength(1);
    expect(await change('yearly', 'allow_incomplete')).toMatchObject({ status: 'past_due', ...planOf('year') });
  });

  it('gives back and charges what is left after discounts, that of the item first', async () => {
    await stripe.running.discount(bought.id, { percentOff: 50 });
    await stripe.running.discount(bought.id, { amountOffCents: 99 }, 'item');
    await stripe.client.subscriptions.update(bought.id, wanted('yearly'));
    const [credit, year] = lastInvoice().lines.data;
    expect([credit!.amount, credit!.discount_amounts]).toEqual([-175, []]);
    expect(year!.discount_amounts).toMatchObject([{ amount: 99 }, { amount: 2_950 }]);
    expect(lastInvoice().total).toBe(2_775);
    const expand = ['discounts.source.coupon'];
    const { discounts } = await stripe.client.subscriptions.retrieve(bought.id, { expand });
    expect(discounts).toMatchObject([{ source: { coupon: { percent_off: 50, amount_off: null } } }]);
  });
});

it('a refund may fail, and a dispute gives the money back when it is won', async () => {
  const { latest_invoice: invoice } = await stripe.aSubscription();
  const count = stripe.eventTypes().length;
  await stripe.running.failRefund(await stripe.running.refund(invoice as string, 200));
  await stripe.running.closeDispute(await stripe.running.dispute(invoice as string), 'won');
  expect(stripe.eventTypes().slice(count)).toEqual([
    'refund.created',
    'charge.refunded',
    'refund.failed',
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
    'charge.dispute.funds_reinstated',
  ]);
});

describe('webhooks', () => {
  let receiver: FastifyInstance;
  let received: { id: string; body: string; signature: string }[];
  let answers: number[];

  beforeEach(async () => {
    [received, answers] = [[], []];
    receiver = fastify();
    receiver.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => done(null, body));
    receiver.post('/', async ({ body, headers }, reply) => {
      const { id } = JSON.parse(body as string) as { id: string };
      received.push({ id, body: body as string, signature: headers['stripe-signature'] as string });
      return reply.code(answers.shift() ?? 200).send();
    });
    stripe.running.sendTo(await receiver.listen({ host: '127.0.0.1', port: 0 }));
  });
  afterEach(() => receiver.close());

  const ids = () => received.map(({ id }) => id);
  const happened = () => stripe.running.events.map(({ id }) => id);

  it('are sent once, in order, signed as the client of Stripe checks it', async () => {
    await stripe.aSubscription();
    expect(ids()).toEqual(happened());
    const { body, signature } = received[0]!;
    const seconds = Math.floor(stripe.clock.now().getTime() / 1_000);
    const check = (sent: string) =>
      stripe.client.webhooks.constructEvent(sent, signature, stripe.running.webhookSecret, 300, undefined, seconds);
    expect(check(body).id).toBe(happened()[0]);
    expect(() => check(`${body} `)).toThrow();
  });

  it('that are not taken are sent again, and after some tries only when that is asked for', async () => {
    answers = [500, 302, 200, 500, 500, 500];
    for (let count = 0; count < 2; count++) {
      await stripe.client.customers.create({});
      await stripe.running.delivered();
    }
    const [first, second] = happened();
    expect(ids()).toEqual([first, first, first, second, second, second]);
    await stripe.running.deliverHeldBack();
    expect(ids().slice(6)).toEqual([second]);
  });

  it.each([
    ['late', (sent: string[]) => expect(sent).toEqual([])],
    ['doubled', (sent: string[]) => expect(sent).toEqual(happened().flatMap((id) => [id, id]))],
    ['shuffled', (sent: string[]) => expect([sent, sent.toSorted()]).not.toContainEqual(happened())],
  ] as const)('are %s', async (mode, expectSent) => {
    stripe.running.mode(mode);
    await stripe.aSubscription();
    expectSent(ids());
    stripe.running.mode('ok');
    await stripe.running.deliverHeldBack();
    expect(new Set(ids())).toEqual(new Set(happened()));
  });
});
