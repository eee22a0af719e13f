import { InvoiceAdjusted, InvoicePaid, SubscriptionChanged, type EventClass } from '@evenkeel/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Billing } from '../billing.fixture';
import {
  anEvent,
  invoiceObject,
  PREVIOUS,
  sendEvent,
  sendSigned,
  sessionObject,
  signed,
  subscriptionObject,
  subscriptionRow,
  WEBHOOK_SETTINGS,
} from './provider-events.fixture';

const NOW = '2026-01-31T12:00:00Z';
const LATER = '2026-01-31T12:00:05Z';

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start({ ...WEBHOOK_SETTINGS, STRIPE_WEBHOOK_SECRET_PREVIOUS: PREVIOUS });
});
afterAll(() => billing.close());

const CONTRACTS = new Map(
  [SubscriptionChanged, InvoicePaid, InvoiceAdjusted].map((event): [string, EventClass] => [event.type, event]),
);
let count = 0;
/** Somebody, with ids at the provider that nobody else has. */
function somebody() {
  count += 1;
  return { user: billing.person().id, customer: `cus_${count}`, subscription: `sub_${count}`, invoice: `in_${count}` };
}

/** The events of a user, each valid by its contract. */
async function announced(userId: string): Promise<[string, Record<string, unknown>][]> {
  const events = await billing.events(userId);
  for (const { type, data } of events) {
    expect(validateSync(plainToInstance(CONTRACTS.get(type)!, data))).toEqual([]);
  }
  return events.map(({ type, data }) => [type, data]);
}
const rowsOf = (sql: string, values: unknown[] = []) =>
  billing.database.dataSource.query<Record<string, unknown>[]>(sql, values);
const answer = async (event: object) => {
  const { status, body } = await sendEvent(billing, event);
  expect([status, body.received]).toEqual([200, true]);
  return body.reason;
};

describe('the order of checks', () => {
  it('no such provider, a bad signature, no JSON object, then 200', async () => {
    const body = '[]';
    const good = signed(body, new Date(NOW));
    const codes = async (sent: Promise<{ status: number; body: { error?: string } }>) => {
      const { status, body: answered } = await sent;
      return [status, answered.error];
    };
    for (const provider of ['paypal', '%E0%A4%A', '%', '%zz', '%ff'])
      expect([provider, ...(await codes(sendSigned(billing, body, good, provider)))]).toEqual([
        provider,
        400,
        'invalid_signature',
      ]);
    expect(await codes(sendSigned(billing, body, null))).toEqual([400, 'invalid_signature']);
    expect(await codes(sendSigned(billing, `${body} `, good))).toEqual([400, 'invalid_signature']);
    expect(await codes(sendSigned(billing, body, good))).toEqual([400, 'malformed_json']);
    expect((await billing.send('/v1/billing/webhook/stripe')).status).toBe(405);
  });

  it('the current and the previous secret are valid, for five minutes on either side', async () => {
    const body = JSON.stringify(anEvent('invoice.created', NOW, {}));
    const at = (offsetSeconds: number) => new Date(Date.parse(NOW) + offsetSeconds * 1_000);
    const status = async (signature: string) => (await sendSigned(billing, body, signature)).status;
    expect(await status(signed(body, at(0), PREVIOUS))).toBe(200);
    expect(await status(signed(body, at(0), 'whsec_another_secret'))).toBe(400);
    expect([await status(signed(body, at(-300))), await status(signed(body, at(300)))]).toEqual([200, 200]);
    expect([await status(signed(body, at(-301))), await status(signed(body, at(301)))]).toEqual([400, 400]);
    const [time, digest] = signed(body, at(0)).split(',');
    expect(await status(`${time},v1=${'0'.repeat(64)},${digest},v0=x`)).toBe(200);
    expect(await status(`${time},${time},${digest}`)).toBe(400);
  });

  it('any content type, up to a mebibyte', async () => {
    const event = anEvent('invoice.created', NOW, { filler: 'x'.repeat(1_000_000) });
    const body = JSON.stringify(event);
    const headers = { 'content-type': 'text/plain; charset=x', 'stripe-signature': signed(body, new Date(NOW)) };
    const { status, body: answered } = await billing.send('/v1/billing/webhook/stripe', {
      method: 'POST',
      body,
      headers,
    });
    expect([status, answered]).toEqual([200, { received: true, applied: false, reason: 'ignored_event_type' }]);
    const long = body + ' '.repeat(100_000);
    const refused = await sendSigned(billing, long, signed(long, new Date(NOW)));
    expect([refused.status, refused.body.details]).toEqual([413, { max_bytes: 1_048_576 }]);
  });

  it('a service without a secret says so before it looks at anything', async () => {
    const bare = await Billing.start({});
    const { status, body } = await sendSigned(bare, '{}', null);
    expect([status, body.error]).toEqual([501, 'provider_not_configured']);
    expect((await sendSigned(bare, '{}', null, 'paypal')).status).toBe(400);
    await bare.close();
  });
});

describe('what an event does', () => {
  it.each(['new', 'old'] as const)('of the %s shape: access, an invoice, the end', async (shape) => {
    const { user, customer, subscription, invoice } = somebody();
    const made = subscriptionObject({ id: subscription, customer, userId: user }, shape);
    expect(await answer(anEvent('customer.subscription.created', NOW, made))).toBeNull();
    const paid = invoiceObject({ id: invoice, customer, subscription, periodEnd: '2026-03-31T12:00:00Z' }, shape);
    expect(await answer(anEvent('invoice.paid', LATER, paid))).toBeNull();
    expect(await answer(anEvent('invoice.payment_succeeded', LATER, paid))).toBeNull();
    expect(await subscriptionRow(billing, subscription)).toMatchObject({
      user_id: user,
      status: 'ACTIVE',
      access_until: new Date('2026-04-03T12:00:00Z'),
      folded_events: 3,
    });
    const [first, ...rest] = await announced(user);
    expect(first).toMatchObject(['subscription.changed', { version: 1, cause: 'customer.subscription.created' }]);
    const published = {
      invoiceId: invoice,
      userId: user,
      subscriptionId: subscription,
      planCode: 'premium_monthly',
      amountMicros: 7_990_000,
      taxMicros: 990_000,
      reason: 'cycle',
      paidAt: '2026-01-31T12:00:05.000Z',
      periodStart: '2026-01-31T12:00:00.000Z',
      periodEnd: '2026-03-31T12:00:00.000Z',
    };
    expect(rest.filter(([type]) => type === 'invoice.paid')).toEqual([['invoice.paid', published]]);
    const over = subscriptionObject({ id: subscription, customer, status: 'canceled' }, shape);
    expect(await answer(anEvent('customer.subscription.deleted', '2026-02-01T00:00:00Z', over))).toBeNull();
    expect(await subscriptionRow(billing, subscription)).toMatchObject({ status: 'CANCELED', access_until: null });
    expect((await announced(user)).at(-1)).toMatchObject([
      'subscription.changed',
      { subscriptions: [{ accessUntil: null }] },
    ]);
  });

  it('a paid page gives access for an interval until an event of the subscription, and is closed', async () => {
    const { user, customer, subscription } = somebody();
    await rowsOf(
      `INSERT INTO checkouts (id, user_id, plan_code, trial_days, session_id, created_at)
       VALUES (gen_random_uuid(), $1, 'premium_monthly', 0, 'cs_test_1', now())`,
      [user],
    );
    expect(
      await answer(anEvent('checkout.session.completed', NOW, sessionObject({ customer, subscription, userId: user }))),
    ).toBeNull();
    expect(await subscriptionRow(billing, subscription)).toMatchObject({
      status: 'ACTIVE',
      user_id: user,
      access_until: new Date('2026-03-03T12:00:00Z'),
    });
    expect(await rowsOf('SELECT user_id FROM customers WHERE customer_id = $1', [customer])).toEqual([
      { user_id: user },
    ]);
    expect(await rowsOf('SELECT closed_at FROM checkouts')).toEqual([{ closed_at: new Date(NOW) }]);
    await answer(anEvent('customer.subscription.created', NOW, subscriptionObject({ id: subscription, customer })));
    expect(await subscriptionRow(billing, subscription)).toMatchObject({
      access_until: new Date('2026-03-03T12:00:00Z'),
    });
  });

  it.each([
    ['checkout.session.completed', { payment_status: 'unpaid' }, 'INCOMPLETE'],
    ['checkout.session.completed', { payment_status: 'no_payment_required', amount_subtotal: 0 }, 'TRIALING'],
    ['checkout.session.completed', { payment_status: 'no_payment_required' }, 'ACTIVE'],
    ['checkout.session.async_payment_succeeded', { payment_status: 'paid' }, 'ACTIVE'],
    ['checkout.session.async_payment_failed', { payment_status: 'unpaid' }, 'EXPIRED'],
    ['checkout.session.expired', { payment_status: 'unpaid' }, 'EXPIRED'],
  ])('%s with %j: %s', async (type, over, status) => {
    const { user, customer, subscription } = somebody();
    await answer(anEvent(type, NOW, sessionObject({ customer, subscription, userId: user, ...over })));
    expect(await subscriptionRow(billing, subscription)).toMatchObject({ status });
  });

  it('a failed payment is published with the page to pay, and a payment ends it', async () => {
    const { user, customer, subscription, invoice } = somebody();
    await answer(
      anEvent('customer.subscription.created', NOW, subscriptionObject({ id: subscription, customer, userId: user })),
    );
    await answer(anEvent('invoice.payment_failed', LATER, invoiceObject({ id: invoice, customer, subscription })));
    expect(await subscriptionRow(billing, subscription)).toMatchObject({
      status: 'PAST_DUE',
      access_until: new Date('2026-02-07T12:00:05Z'),
      state: { paymentUrl: `https://pay.example/${invoice}` },
    });
    await answer(
      anEvent('invoice.paid', '2026-02-01T00:00:00Z', invoiceObject({ id: invoice, customer, subscription })),
    );
    expect(await subscriptionRow(billing, subscription)).toMatchObject({
      status: 'ACTIVE',
      state: { paymentUrl: null },
    });
  });

  it('copies, other modes, connected accounts and unknown types change nothing', async () => {
    const { user, customer, subscription } = somebody();
    const object = subscriptionObject({ id: subscription, customer, userId: user });
    const event = anEvent('customer.subscription.created', NOW, object);
    expect(await answer({ ...event, account: 'acct_other' })).toBe('ignored_event_type');
    expect(await answer({ ...event, type: 'customer.subscription.pending_update_applied' })).toBe('ignored_event_type');
    expect(await rowsOf('SELECT FROM provider_events WHERE id = $1', [event.id])).toEqual([]);
    expect([await answer(event), await answer(event)]).toEqual([null, 'duplicate_event']);
    expect(await answer(anEvent('customer.subscription.updated', '2026-01-31T11:00:00Z', object))).toBe('stale_event');
    expect((await announced(user)).length).toBe(1);
  });

  it('what nobody knows waits for its link: state, invoices, refunds and a deleted customer', async () => {
    const { user, customer, subscription, invoice } = somebody();
    const of = (userId?: string) => subscriptionObject({ id: subscription, customer, ...(userId && { userId }) });
    const before = [
      anEvent('customer.subscription.created', NOW, of()),
      anEvent('invoice.paid', NOW, invoiceObject({ id: invoice, customer, subscription })),
      anEvent('charge.refunded', LATER, { id: `ch_${customer}`, customer, amount_refunded: 100 }),
      anEvent('refund.created', LATER, {
        id: `re_${customer}`,
        charge: `ch_${customer}`,
        amount: 100,
        currency: 'usd',
        status: 'succeeded',
      }),
      anEvent('customer.deleted', LATER, { id: customer }),
    ];
    for (const event of before) expect(await answer(event)).toBe('unmatched_customer');
    expect(await announced(user)).toEqual([]);
    expect(await answer(anEvent('customer.subscription.updated', NOW, of(user)))).toBeNull();
    const told = (await announced(user)).map(([type]) => type).sort();
    expect(told).toEqual(['invoice.adjusted', 'invoice.paid', 'subscription.changed']);
    expect(await rowsOf('SELECT deleted_at FROM customers WHERE customer_id = $1', [customer])).toEqual([
      { deleted_at: new Date(LATER) },
    ]);
    expect(await rowsOf(`SELECT FROM provider_events WHERE customer_id = $1 AND NOT applied`, [customer])).toEqual([]);
  });
});
