import Stripe from 'stripe';
import { noon, StripeAtNoon } from '../stripe-at-noon.fixture';

let stripe: StripeAtNoon;

beforeAll(async () => {
  stripe = await StripeAtNoon.start();
});

afterAll(() => stripe.close());

/** The error that a call is refused with. */
async function refusal(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  return call.then(
    () => Promise.reject(new Error('The call succeeded.')),
    (error: Stripe.errors.StripeError) => error,
  );
}

describe('customers', () => {
  it('are created, changed, listed and deleted', async () => {
    const { customers } = stripe.client;
    const created = await customers.create({ email: 'a@example.com', metadata: { user_id: 'u9' } });
    expect(created).toMatchObject({ object: 'customer', metadata: { user_id: 'u9' }, livemode: false });
    const changed = await customers.update(created.id, { metadata: { plan: 'x', user_id: '' }, name: 'A' });
    expect(changed).toMatchObject({ metadata: { plan: 'x' }, name: 'A', email: 'a@example.com' });
    expect((await customers.list({ email: 'a@example.com' })).data).toMatchObject([{ id: created.id }]);
    expect(await customers.del(created.id)).toEqual(expect.objectContaining({ id: created.id, deleted: true }));
    expect(await customers.retrieve(created.id)).toMatchObject({ id: created.id, deleted: true });
    expect(stripe.eventTypes()).toEqual(
      expect.arrayContaining(['customer.created', 'customer.updated', 'customer.deleted']),
    );
  });

  it('end with their subscriptions and open pages', async () => {
    const { client } = stripe;
    const bought = await stripe.aSubscription();
    await client.customers.del(bought.customer as string);
    expect(await client.subscriptions.retrieve(bought.id)).toMatchObject({ status: 'canceled' });
  });
});

describe('lists', () => {
  it('come page by page, the newest first', async () => {
    const { customers } = stripe.client;
    const made = [];
    for (let n = 0; n < 5; n += 1) made.push((await customers.create({ email: 'pages@example.com' })).id);
    const first = await customers.list({ email: 'pages@example.com', limit: 2 });
    expect(first.data.map(({ id }) => id)).toEqual([made[4], made[3]]);
    expect(first.has_more).toBe(true);
    const rest = await customers.list({ email: 'pages@example.com', limit: 10, starting_after: made[3]! });
    expect(rest.data.map(({ id }) => id)).toEqual([made[2], made[1], made[0]]);
    expect(rest.has_more).toBe(false);
    const before = await customers.list({ email: 'pages@example.com', ending_before: made[0]!, limit: 2 });
    expect(before.data.map(({ id }) => id)).toEqual([made[2], made[1]]);
    const all: string[] = [];
    for await (const { id } of customers.list({ email: 'pages@example.com', limit: 2 })) all.push(id);
    expect(all).toEqual(made.toReversed());
  });

  it('are filtered by time, status and owner', async () => {
    const { client } = stripe;
    const { id, customer } = await stripe.aSubscription();
    const seconds = noon.getTime() / 1000;
    const of = customer as string;
    expect((await client.subscriptions.list({ customer: of, created: { gte: seconds } })).data).toHaveLength(1);
    expect((await client.subscriptions.list({ customer: of, created: { lt: seconds } })).data).toHaveLength(0);
    await client.subscriptions.cancel(id);
    expect((await client.subscriptions.list({ customer: of })).data).toHaveLength(0);
    expect((await client.subscriptions.list({ customer: of, status: 'all' })).data).toHaveLength(1);
    expect((await client.invoices.list({ customer: of, status: 'paid' })).data).toHaveLength(1);
  });
});

describe('prices', () => {
  it('are the two of the catalogue', async () => {
    const { client, running } = stripe;
    expect(await client.prices.retrieve(running.prices.yearly)).toMatchObject({
      unit_amount: 5_999,
      currency: 'usd',
      recurring: { interval: 'year' },
    });
    const { data } = await client.prices.list({ active: true, expand: ['data.product'] });
    expect(data).toMatchObject([{ product: { name: 'Premium' } }, { product: { name: 'Premium' } }]);
  });
});

describe('checkout sessions', () => {
  it('are created, listed and expired, and expire by themselves after a day', async () => {
    const { client } = stripe;
    const { sessions } = client.checkout;
    const session = await stripe.aSession();
    expect(session).toMatchObject({
      status: 'open',
      mode: 'subscription',
      amount_total: 799,
      expires_at: noon.getTime() / 1000 + 86_400,
      url: `${stripe.running.url}/checkout/${session.id}`,
    });
    const listed = await sessions.list({ customer: session.customer as string, status: 'open' });
    expect(listed.data).toMatchObject([{ id: session.id }]);
    expect((await sessions.listLineItems(session.id)).data).toMatchObject([{ quantity: 1, amount_total: 799 }]);
    expect(await sessions.expire(session.id)).toMatchObject({ status: 'expired', url: null });
    expect(await refusal(sessions.expire(session.id))).toMatchObject({ statusCode: 400 });
    await expect(stripe.running.pay(session.id)).rejects.toThrow('expired');
  });

  it('stay open when the card is declined', async () => {
    const session = await stripe.aSession();
    await stripe.running.pay(session.id, 'declined');
    const after = await stripe.client.checkout.sessions.retrieve(session.id);
    expect(after).toMatchObject({ status: 'open', payment_status: 'unpaid', subscription: null });
    expect(stripe.eventTypes().slice(-3)).toEqual([
      'payment_intent.created',
      'charge.failed',
      'payment_intent.payment_failed',
    ]);
  });
});

describe('money', () => {
  it('leads from an invoice to its payment, charge and refunds, and back', async () => {
    const { client, running } = stripe;
    const { latest_invoice: invoice } = await stripe.aSubscription();
    const paid = await client.invoices.retrieve(invoice as string, { expand: ['payments'] });
    const intent = paid.payments!.data[0]!.payment.payment_intent as string;
    const { latest_charge: charge } = await client.paymentIntents.retrieve(intent);
    const back = await client.invoicePayments.list({ payment: { type: 'payment_intent', payment_intent: intent } });
    expect(back.data).toMatchObject([{ invoice }]);

    const refund = await client.refunds.create({ charge: charge as string, amount: 300 });
    expect(refund).toMatchObject({ amount: 300, status: 'succeeded', charge });
    expect(await client.charges.retrieve(charge as string, { expand: ['refunds'] })).toMatchObject({
      amount_refunded: 300,
      refunded: false,
      refunds: { data: [{ id: refund.id }] },
    });
    expect(await refusal(client.refunds.create({ charge: charge as string, amount: 500 }))).toMatchObject({
      statusCode: 400,
      param: 'amount',
    });
    await running.refund(invoice as string);
    expect(await refusal(client.refunds.create({ charge: charge as string }))).toMatchObject({
      code: 'charge_already_refunded',
    });
    const { data } = await client.refunds.list({ charge: charge as string });
    expect(data.map(({ amount }) => amount)).toEqual([499, 300]);
    expect(await client.refunds.retrieve(refund.id)).toMatchObject({ amount: 300 });
  });

  it('leads from a dispute to its charge', async () => {
    const { client, running } = stripe;
    const { latest_invoice: invoice } = await stripe.aSubscription();
    const id = await running.dispute(invoice as string);
    const dispute = await client.disputes.retrieve(id, { expand: ['charge'] });
    expect(dispute).toMatchObject({ status: 'needs_response', amount: 799, charge: { disputed: true } });
    expect((await client.disputes.list({ limit: 1 })).data).toMatchObject([{ id }]);
  });
});

describe('events', () => {
  it('are listed by type and time, and retrieved', async () => {
    const { client } = stripe;
    await stripe.aSubscription();
    const { data } = await client.events.list({ types: ['invoice.paid', 'customer.subscription.created'], limit: 2 });
    expect(data.map(({ type }) => type)).toEqual(['invoice.paid', 'customer.subscription.created']);
    expect(await client.events.retrieve(data[0]!.id)).toMatchObject({
      api_version: '2026-08-26.dahlia',
      livemode: false,
      data: { object: { object: 'invoice', status: 'paid' } },
    });
    expect((await client.events.list({ type: 'invoice.*', created: { gt: noon.getTime() / 1000 } })).data).toEqual([]);
  });

  it('know the call that made them', async () => {
    const { client } = stripe;
    await client.customers.create({}, { idempotencyKey: 'known-call' });
    const { request } = (await client.events.list({ type: 'customer.created', limit: 1 })).data[0]!;
    expect(request).toMatchObject({ idempotency_key: 'known-call', id: expect.stringMatching(/^req_/) });
  });
});

describe('keys of idempotency', () => {
  it('give the same answer to the same call, and refuse another', async () => {
    const { customers } = stripe.client;
    const options = { idempotencyKey: 'key-1' };
    const first = await customers.create({ email: 'b@example.com' }, options);
    const second = await customers.create({ email: 'b@example.com' }, options);
    expect(second.id).toBe(first.id);
    expect(second.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await refusal(customers.create({ email: 'c@example.com' }, options))).toMatchObject({
      type: 'StripeIdempotencyError',
      statusCode: 400,
    });
  });

  it('are free again when nothing was done', async () => {
    const options = { idempotencyKey: 'key-2' };
    const { sessions } = stripe.client.billingPortal;
    expect(await refusal(sessions.create({ customer: 'cus_none' }, options))).toMatchObject({ statusCode: 400 });
    const { id } = await stripe.client.customers.create({});
    expect(await sessions.create({ customer: id, return_url: 'http://localhost/' }, options)).toMatchObject({
      customer: id,
      return_url: 'http://localhost/',
    });
  });
});

describe('refused calls', () => {
  const invalid = { type: 'StripeInvalidRequestError' };

  it('another key', async () => {
    const { hostname, port } = new URL(stripe.running.url);
    const other = new Stripe('sk_test_other', { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
    expect(await refusal(other.customers.list())).toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 });
  });

  it('what is not there, not known, or missing', async () => {
    const { client } = stripe;
    const missing = { ...invalid, code: 'resource_missing' };
    expect(await refusal(client.subscriptions.retrieve('sub_none'))).toMatchObject({ ...missing, statusCode: 404 });
    const unknown = { foo: 'bar' } as Stripe.CustomerCreateParams;
    expect(await refusal(client.customers.create(unknown))).toMatchObject({
      ...invalid,
      code: 'parameter_unknown',
      param: 'foo',
    });
    const noMode = {} as Stripe.Checkout.SessionCreateParams;
    expect(await refusal(client.checkout.sessions.create(noMode))).toMatchObject({ param: 'mode' });
    expect(await refusal(client.balance.retrieve())).toMatchObject({ statusCode: 404 });
    expect(await refusal(client.prices.list({ limit: 101 }))).toMatchObject({ param: 'limit' });
    expect(await refusal(client.invoices.list({ expand: ['data.nothing'] }))).toMatchObject({ statusCode: 400 });
  });
});
