import { ManualClock } from '@evenkeel/kernel';
import fastify, { type FastifyInstance } from 'fastify';
import Stripe from 'stripe';
import type { AnsweredCall } from './api';
import { DevelopmentStripe, type DevelopmentStripeOptions } from './development-stripe';
import { wrongIn } from './schema/schema-check.fixture';

let calls: AnsweredCall[];
let clock: ManualClock;
let running: DevelopmentStripe;
/** As billing uses it. */
let client: Stripe;

/** At noon of the last of January. */
async function start(options: DevelopmentStripeOptions): Promise<void> {
  calls = [];
  clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  running = await DevelopmentStripe.start({ clock, onCall: (call) => calls.push(call), ...options });
  const { hostname: host, port } = new URL(running.url);
  client = new Stripe(running.secretKey, { host, port, protocol: 'http', maxNetworkRetries: 0 });
}

/** Holds all that it has said against Stripe's schemas. */
async function close(): Promise<void> {
  await running.close();
  expect([...calls.map(({ body }) => body), ...running.events].flatMap(wrongIn)).toEqual([]);
}

beforeEach(() => start({ webhookRetryMs: [1, 1] }));
afterEach(close);

async function aSession(trialDays?: number): Promise<string> {
  const metadata = { user_id: 'u1' };
  const customer = await client.customers.create({ metadata });
  const session = await client.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    client_reference_id: 'u1',
    line_items: [{ price: running.prices.monthly, quantity: 1 }],
    success_url: 'http://localhost:8080/paid?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://localhost:8080/left',
    metadata,
    subscription_data: { metadata, ...(trialDays && { trial_period_days: trialDays }) },
  });
  return session.id;
}

/** A subscription that was bought on the hosted page. */
async function bought(trialDays?: number): Promise<Stripe.Subscription & { customer: string }> {
  await running.pay(await aSession(trialDays));
  const subscription = running.subscriptions.at(-1)!;
  return { ...subscription, customer: subscription.customer as string };
}

const at = (time: string) => Date.parse(`${time}Z`) / 1_000;
const until = (time: string) => running.advance(new Date(`${time}Z`));
const read = (id: string) => client.subscriptions.retrieve(id, { expand: ['latest_invoice', 'customer'] });
const lastInvoice = () => running.invoices.at(-1)!;
const eventTypes = () => running.events.map(({ type }) => type);

describe('a subscription', () => {
  it('is active once its first invoice is paid, and renews on the last day of a shorter month', async () => {
    const session = await aSession();
    await running.pay(session);
    const expand = ['subscription', 'invoice'];
    expect(await client.checkout.sessions.retrieve(session, { expand })).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      client_reference_id: 'u1',
      subscription: { status: 'active', metadata: { user_id: 'u1' } },
      invoice: { status: 'paid', amount_paid: 799 },
    });
    expect(eventTypes().at(-1)).toBe('checkout.session.completed');
    await until('2026-04-30T13:00:00');
    const period = { current_period_start: at('2026-04-30T12:00:00'), current_period_end: at('2026-05-31T12:00:00') };
    expect(running.subscriptions).toMatchObject([{ status: 'active', items: { data: [period] } }]);
    const paid = ['2026-01-31T12:00:00', '2026-02-28T13:00:00', '2026-03-31T13:00:00', '2026-04-30T13:00:00'].map(at);
    expect(running.invoices.map(({ status_transitions: times }) => times.paid_at)).toEqual(paid);
  });

  it('with a trial pays nothing, and then pays', async () => {
    const { id } = await bought(14);
    const trial = { trial_end: at('2026-02-14T12:00:00'), latest_invoice: { amount_paid: 0, status: 'paid' } };
    expect(await read(id)).toMatchObject({ status: 'trialing', ...trial });
    await until('2026-02-14T12:00:00');
    expect(await read(id)).toMatchObject({ status: 'active', latest_invoice: { status: 'draft', amount_due: 799 } });
    await until('2026-02-14T13:00:00');
    expect(lastInvoice()).toMatchObject({ status: 'paid', billing_reason: 'subscription_cycle' });
  });

  it('ends with its period when that was asked for, and repeating a request is no event', async () => {
    const { id } = await bought();
    const end = (isWanted: boolean) => client.subscriptions.update(id, { cancel_at_period_end: isWanted });
    expect(await end(true)).toMatchObject({ cancel_at_period_end: true, cancel_at: at('2026-02-28T12:00:00') });
    const count = eventTypes().length;
    await end(true);
    expect(eventTypes()).toHaveLength(count);
    expect(await end(false)).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null });
    await end(true);
    await until('2026-02-28T12:00:00');
    expect(await read(id)).toMatchObject({ status: 'canceled', ended_at: at('2026-02-28T12:00:00') });
    expect(running.invoices).toHaveLength(1);
    await expect(end(false)).rejects.toMatchObject({ statusCode: 400 });
    await expect(client.subscriptions.cancel(id)).rejects.toMatchObject({ statusCode: 404 });
  });
});

it.each([
  ['cancel', 'canceled', 'canceled'],
  ['unpaid', 'unpaid', 'active'],
] as const)('a failed payment is tried again after one, three and five days: %s', async (afterRetries, end, paid) => {
  await close();
  await start({ afterRetries });
  await running.pay(await aSession(), 'good_then_declines');
  await until('2026-02-28T13:00:00');
  const next = { attempt_count: 1, next_payment_attempt: at('2026-03-01T13:00:00') };
  expect(running.subscriptions).toMatchObject([{ status: 'past_due' }]);
  expect(running.events.findLast(({ type }) => type === 'invoice.payment_failed')!.data.object).toMatchObject(next);
  await until('2026-03-03T12:59:59');
  expect(lastInvoice()).toMatchObject({ attempt_count: 2, next_payment_attempt: at('2026-03-03T13:00:00') });
  await until('2026-03-05T13:00:00');
  expect(running.subscriptions).toMatchObject([{ status: end }]);
  const owed = lastInvoice();
  expect(owed).toMatchObject({ status: 'open', attempt_count: 4, next_payment_attempt: null });
  await running.setCard(owed.customer as string, 'good');
  await running.payInvoice(owed.id);
  expect(running.subscriptions).toMatchObject([{ status: paid }]);
});

describe('a change of plan, when half of the 28 days of its month are over,', () => {
  let subscription: Stripe.Subscription & { customer: string };
  beforeEach(async () => {
    subscription = await bought();
    await until('2026-02-14T12:00:00');
  });

  const wanted = (plan: 'monthly' | 'yearly') => ({
    items: [{ id: subscription.items.data[0]!.id, price: running.prices[plan] }],
    proration_behavior: 'always_invoice' as const,
  });
  const change = (plan: 'monthly' | 'yearly', payment_behavior: 'error_if_incomplete' | 'allow_incomplete') =>
    client.subscriptions.update(subscription.id, { ...wanted(plan), payment_behavior });
  const amounts = (invoice: Stripe.Invoice) => invoice.lines.data.map(({ amount }) => amount);

  it('gives the unused half back upward, and downward credit, which pays the next invoices', async () => {
    await client.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    const asked = { subscription: subscription.id, subscription_details: wanted('yearly') };
    const previewed = await client.invoices.createPreview(asked);
    expect(amounts(previewed)).toEqual([-400, 5_999]);
    expect(previewed).toMatchObject({ amount_due: 5_599, status: 'draft', billing_reason: 'subscription_update' });
    expect(running.invoices).toHaveLength(1);
    const changed = await change('yearly', 'error_if_incomplete');
    expect(amounts(lastInvoice())).toEqual([-400, 5_999]);
    expect(lastInvoice()).toMatchObject({ amount_paid: 5_599, status: 'paid' });
    // An end that was scheduled moves to the end of the new period.
    const [anchor, end] = [at('2026-02-14T12:00:00'), at('2027-02-14T12:00:00')];
    expect(changed).toMatchObject({ billing_cycle_anchor: anchor, cancel_at: end });
    await client.subscriptions.update(subscription.id, { cancel_at_period_end: false });
    await until('2026-08-16T00:00:00');
    await change('monthly', 'error_if_incomplete');
    // 182.5 of 365 days are left.
    expect(amounts(lastInvoice())).toEqual([-3_000, 799]);
    const credit = { customer: { balance: -2_201 }, latest_invoice: { amount_paid: 0 } };
    expect(await read(subscription.id)).toMatchObject(credit);
    await until('2026-11-16T01:00:00');
    expect(running.invoices.slice(-3).map(({ amount_due: due }) => due)).toEqual([0, 0, 196]);
  });

  it('changes nothing when it is declined, or makes a past due subscription', async () => {
    await running.setCard(subscription.customer, 'declines');
    const { lastResponse: _last, ...before } = await read(subscription.id);
    await expect(change('yearly', 'error_if_incomplete')).rejects.toMatchObject({ statusCode: 402 });
    expect(await read(subscription.id)).toMatchObject(before);
    expect(running.invoices).toHaveLength(1);
    const yearly = { items: { data: [{ price: { recurring: { interval: 'year' } } }] } };
    expect(await change('yearly', 'allow_incomplete')).toMatchObject({ status: 'past_due', ...yearly });
  });

  it('gives back and charges what is left after discounts, that of the item first', async () => {
    await running.discount(subscription.id, { percentOff: 50 });
    await running.discount(subscription.id, { amountOffCents: 99 }, 'item');
    await client.subscriptions.update(subscription.id, wanted('yearly'));
    const [credit, year] = lastInvoice().lines.data;
    expect([credit!.amount, credit!.discount_amounts]).toEqual([-175, []]);
    expect(year!.discount_amounts).toMatchObject([{ amount: 99 }, { amount: 2_950 }]);
    expect(lastInvoice().total).toBe(2_775);
    const expand = ['discounts.source.coupon'];
    const { discounts } = await client.subscriptions.retrieve(subscription.id, { expand });
    expect(discounts).toMatchObject([{ source: { coupon: { percent_off: 50, amount_off: null } } }]);
  });
});

it('pauses, refunds and disputes are said as Stripe says them', async () => {
  const { id, latest_invoice: invoice } = await bought();
  const count = eventTypes().length;
  await running.failRefund(await running.refund(invoice as string, 200));
  await running.closeDispute(await running.dispute(invoice as string), 'won');
  await running.pause(id);
  await until('2026-03-10T09:00:00');
  expect(running.invoices).toHaveLength(1);
  await running.resume(id);
  const items = { data: [{ current_period_end: at('2026-04-10T09:00:00') }] };
  expect(await read(id)).toMatchObject({ status: 'active', items, latest_invoice: { status: 'paid' } });
  const said = eventTypes().slice(count);
  expect(said.filter((type) => !type.startsWith('invoice.') && type !== 'customer.subscription.updated')).toEqual([
    'refund.created',
    'charge.refunded',
    'refund.failed',
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
    'charge.dispute.funds_reinstated',
    'customer.subscription.paused',
    'charge.succeeded',
    'customer.subscription.resumed',
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
    running.sendTo(await receiver.listen({ host: '127.0.0.1', port: 0 }));
  });
  afterEach(() => receiver.close());

  const ids = () => received.map(({ id }) => id);
  const happened = () => running.events.map(({ id }) => id);

  it('are sent once, in order, signed as the client of Stripe checks it', async () => {
    await bought();
    expect(ids()).toEqual(happened());
    const { body, signature } = received[0]!;
    const seconds = Math.floor(clock.now().getTime() / 1_000);
    const check = (sent: string) =>
      client.webhooks.constructEvent(sent, signature, running.webhookSecret, 300, undefined, seconds);
    expect(check(body).id).toBe(happened()[0]);
    expect(() => check(`${body} `)).toThrow();
  });

  it('that are not taken are sent again, and after some tries only when that is asked for', async () => {
    answers = [500, 302, 200, 500, 500, 500];
    for (let count = 0; count < 2; count++) {
      await client.customers.create({});
      await running.delivered();
    }
    const [first, second] = happened();
    expect(ids()).toEqual([first, first, first, second, second, second]);
    await running.deliverHeldBack();
    expect(ids().slice(6)).toEqual([second]);
  });

  it.each([
    ['late', (sent: string[]) => expect(sent).toEqual([])],
    ['doubled', (sent: string[]) => expect(sent).toEqual(happened().flatMap((id) => [id, id]))],
    ['shuffled', (sent: string[]) => expect([sent, sent.toSorted()]).not.toContainEqual(happened())],
  ] as const)('are %s', async (mode, expectSent) => {
    running.mode(mode);
    await bought();
    expectSent(ids());
    running.mode('ok');
    await running.deliverHeldBack();
    expect(new Set(ids())).toEqual(new Set(happened()));
  });
});
