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
  type Values,
} from './provider-events.fixture';

const NOW = '2026-01-31T12:00:00Z';
const LATER = '2026-01-31T12:00:05Z';

const billing = Billing.forSuite({ ...WEBHOOK_SETTINGS, STRIPE_WEBHOOK_SECRET_PREVIOUS: PREVIOUS }, { audited: true });

const rowsOf = (sql: string, values: unknown[] = []) =>
  billing.database.dataSource.query<Record<string, unknown>[]>(sql, values);
const answer = async (type: string, at: string, object: Values, over: Values = {}) => {
  const { status, body } = await sendEvent(billing, anEvent(type, at, object, over));
  expect([status, body.received]).toEqual([200, true]);
  return body.reason;
};

let count = 0;
/** Somebody, with ids at the provider that nobody else has. */
function somebody() {
  const [id, customer] = [`sub_${++count}`, `cus_${count}`];
  const userId = billing.person().id;
  return { userId, id, customer, invoice: { id: `in_${count}`, customer, subscription: id } };
}
const rowOf = ({ id }: { id: string }) => subscriptionRow(billing, id);

describe('the order of checks', () => {
  it('no such provider, a bad signature, no JSON object, then 200', async () => {
    const body = '[]';
    const good = signed(body, new Date(NOW));
    const refusals: [string, string | null, string, string][] = [
      ...['paypal', '%E0%A4%A', '%', '%zz'].map((provider): [string, string, string, string] => [
        body,
        good,
        provider,
        'invalid_signature',
      ]),
      [body, null, 'stripe', 'invalid_signature'],
      [`${body} `, good, 'stripe', 'invalid_signature'],
      [body, good, 'stripe', 'malformed_json'],
    ];
    for (const [sent, signature, provider, error] of refusals) {
      expect(await sendSigned(billing, sent, signature, provider)).toMatchObject({ status: 400, body: { error } });
    }
    expect((await billing.send('/v1/billing/webhook/stripe')).status).toBe(405);
  });

  it('the current and the previous secret are valid, for five minutes on either side', async () => {
    const body = JSON.stringify(anEvent('invoice.created', NOW, {}));
    const at = (offsetSeconds: number) => new Date(Date.parse(NOW) + offsetSeconds * 1_000);
    const status = async (signature: string) => (await sendSigned(billing, body, signature)).status;
    expect(await status(signed(body, at(0), PREVIOUS))).toBe(200);
    for (const seconds of [-300, 300]) expect(await status(signed(body, at(seconds)))).toBe(200);
    for (const seconds of [-301, 301]) expect(await status(signed(body, at(seconds)))).toBe(400);
    const [time, digest] = signed(body, at(0)).split(',');
    expect(await status(`${time},v1=${'0'.repeat(64)},${digest},v0=x`)).toBe(200);
  });

  it('any content type, and a megabyte', async () => {
    const body = JSON.stringify(anEvent('invoice.created', NOW, { filler: 'x'.repeat(1_000_000) }));
    const headers = { 'content-type': 'text/plain; charset=x', 'stripe-signature': signed(body, new Date(NOW)) };
    const taken = await billing.send('/v1/billing/webhook/stripe', { method: 'POST', body, headers });
    expect([taken.status, taken.body]).toEqual([200, { received: true, applied: false, reason: 'ignored_event_type' }]);
  });
});

it.each(['new', 'old'] as const)('events of the %s shape: access, an invoice, the end', async (shape) => {
  const one = somebody();
  expect(await answer('customer.subscription.created', NOW, subscriptionObject(one, shape))).toBeNull();
  const paid = invoiceObject({ ...one.invoice, periodEnd: '2026-03-31T12:00:00Z' }, shape);
  expect(await answer('invoice.paid', LATER, paid)).toBeNull();
  expect(await answer('invoice.payment_succeeded', LATER, paid)).toBeNull();
  const access_until = new Date('2026-04-03T12:00:00Z');
  expect(await rowOf(one)).toMatchObject({ user_id: one.userId, status: 'ACTIVE', access_until, folded_events: 3 });
  const ended = subscriptionObject({ ...one, status: 'canceled' }, shape);
  expect(await answer('customer.subscription.deleted', '2026-02-01T00:00:00Z', ended)).toBeNull();
  expect(await rowOf(one)).toMatchObject({ status: 'CANCELED', access_until: null });
  const events = await billing.events(one.userId);
  expect(events[0]).toMatchObject({ data: { version: 1, cause: 'customer.subscription.created' } });
  expect(events.at(-1)).toMatchObject({ data: { subscriptions: [{ accessUntil: null }] } });
  const published = {
    invoiceId: one.invoice.id,
    userId: one.userId,
    subscriptionId: one.id,
    planCode: 'premium_monthly',
    amountMicros: 7_990_000,
    taxMicros: 990_000,
    reason: 'cycle',
    paidAt: '2026-01-31T12:00:05.000Z',
    periodStart: '2026-01-31T12:00:00.000Z',
    periodEnd: '2026-03-31T12:00:00.000Z',
  };
  expect(events.filter(({ type }) => type === 'invoice.paid').map(({ data }) => data)).toEqual([published]);
});

it('a paid page gives access for an interval until an event of the subscription, and is closed', async () => {
  const { userId, customer, id } = somebody();
  await rowsOf(
    `INSERT INTO checkouts (id, user_id, plan_code, trial_days, session_id, created_at)
     VALUES (gen_random_uuid(), $1, 'premium_monthly', 0, 'cs_test_1', now())`,
    [userId],
  );
  const session = sessionObject({ customer, subscription: id, userId });
  expect(await answer('checkout.session.completed', NOW, session)).toBeNull();
  const access_until = new Date('2026-03-03T12:00:00Z');
  expect(await subscriptionRow(billing, id)).toMatchObject({ status: 'ACTIVE', user_id: userId, access_until });
  expect(await rowsOf('SELECT closed_at FROM checkouts')).toEqual([{ closed_at: new Date(NOW) }]);
  // The customer is known from now on, also where nobody is named.
  await answer('customer.subscription.created', NOW, subscriptionObject({ id, customer }));
  expect(await subscriptionRow(billing, id)).toMatchObject({ user_id: userId, access_until });
});

it.each([
  ['completed', { payment_status: 'unpaid' }, 'INCOMPLETE'],
  ['completed', { payment_status: 'no_payment_required', amount_subtotal: 0 }, 'TRIALING'],
  ['completed', { payment_status: 'no_payment_required' }, 'ACTIVE'],
  ['async_payment_succeeded', { payment_status: 'paid' }, 'ACTIVE'],
  ['async_payment_failed', { payment_status: 'unpaid' }, 'EXPIRED'],
  ['expired', { payment_status: 'unpaid' }, 'EXPIRED'],
])('checkout.session.%s with %j: %s', async (type, over, status) => {
  const { userId, customer, id } = somebody();
  await answer(`checkout.session.${type}`, NOW, sessionObject({ customer, subscription: id, userId, ...over }));
  expect(await subscriptionRow(billing, id)).toMatchObject({ status });
});

it('a failed payment is published with the page to pay, and a payment ends it', async () => {
  const one = somebody();
  await answer('customer.subscription.created', NOW, subscriptionObject(one));
  await answer('invoice.payment_failed', LATER, invoiceObject(one.invoice));
  expect(await rowOf(one)).toMatchObject({
    status: 'PAST_DUE',
    access_until: new Date('2026-02-07T12:00:05Z'),
    state: { paymentUrl: `https://pay.example/${one.invoice.id}` },
  });
  await answer('invoice.paid', '2026-02-01T00:00:00Z', invoiceObject(one.invoice));
  expect(await rowOf(one)).toMatchObject({ status: 'ACTIVE', state: { paymentUrl: null } });
});

it('the invoice of a change that waits for its payment ends no Premium', async () => {
  const one = somebody();
  const over = { latest_invoice: one.invoice.id, pending_update: { expires_at: 1 } };
  await answer('customer.subscription.updated', NOW, subscriptionObject({ ...one, over }));
  const ofChange = invoiceObject({ ...one.invoice, over: { billing_reason: 'subscription_update' } });
  await answer('invoice.payment_failed', LATER, ofChange);
  expect(await rowOf(one)).toMatchObject({ status: 'ACTIVE' });
  const taken = subscriptionObject({ ...one, over: { latest_invoice: one.invoice.id } });
  await answer('customer.subscription.updated', '2026-01-31T12:00:06Z', taken);
  await answer('invoice.payment_failed', '2026-01-31T12:00:07Z', ofChange);
  expect(await rowOf(one)).toMatchObject({ status: 'PAST_DUE' });
});

it.each([
  ['subscription_create', 'first'],
  ['subscription_update', 'change'],
  ['manual', 'other'],
  ['__proto__', 'other'],
])('an invoice because of %s is published as %s', async (billing_reason, reason) => {
  const { userId, invoice } = somebody();
  await answer('invoice.paid', NOW, invoiceObject({ ...invoice, userId, over: { billing_reason } }));
  const [paid] = (await billing.events(userId)).filter(({ type }) => type === 'invoice.paid');
  expect(paid!.data).toMatchObject({ reason });
});

it('metadata moves no customer to another user', async () => {
  const [one, other] = [somebody(), somebody()];
  expect(await answer('customer.subscription.created', NOW, subscriptionObject(one))).toBeNull();
  const moved = subscriptionObject({ ...one, userId: other.userId, over: { cancel_at_period_end: true } });
  expect(await answer('customer.subscription.updated', LATER, moved)).toBeNull();
  expect(await billing.events(other.userId)).toEqual([]);
  expect(await billing.events(one.userId)).toHaveLength(2);
});

it('copies, other modes, connected accounts and unknown types change nothing', async () => {
  const one = somebody();
  const object = subscriptionObject(one);
  const type = 'customer.subscription.created';
  const id = `evt_of_${one.id}`;
  expect(await answer(type, NOW, object, { id, account: 'acct_other' })).toBe('ignored_event_type');
  expect(await answer('customer.subscription.pending_update_applied', NOW, object, { id })).toBe('ignored_event_type');
  expect(await rowsOf('SELECT FROM provider_events WHERE id = $1', [id])).toEqual([]);
  expect(await answer(type, NOW, object, { id })).toBeNull();
  expect(await answer(type, NOW, object, { id })).toBe('duplicate_event');
  expect(await answer('customer.subscription.updated', '2026-01-31T11:00:00Z', object)).toBe('stale_event');
  expect(await billing.events(one.userId)).toHaveLength(1);
});

it('events of somebody unknown wait for their link: state, invoices, refunds and a deleted customer', async () => {
  const { userId, id, customer, invoice } = somebody();
  const charge = `ch_${customer}`;
  const refund = { id: `re_${customer}`, charge, amount: 100, currency: 'usd', status: 'succeeded' };
  const before: [string, string, Values][] = [
    ['customer.subscription.created', NOW, subscriptionObject({ id, customer })],
    ['invoice.paid', NOW, invoiceObject(invoice)],
    ['charge.refunded', LATER, { id: charge, customer, amount_refunded: 100 }],
    ['refund.created', LATER, refund],
    ['refund.updated', LATER, { ...refund, status: 'canceled' }],
    ['customer.deleted', LATER, { id: customer }],
  ];
  for (const event of before) expect(await answer(...event)).toBe('unmatched_customer');
  expect(await billing.events(userId)).toEqual([]);
  const linking = subscriptionObject({ id, customer, userId });
  expect(await answer('customer.subscription.updated', NOW, linking)).toBeNull();
  const published = (await billing.events(userId)).map(({ type }) => type).sort();
  expect(published).toEqual(['invoice.adjusted', 'invoice.adjusted', 'invoice.paid', 'subscription.changed']);
  const deleted = await rowsOf('SELECT deleted_at FROM customers WHERE customer_id = $1', [customer]);
  expect(deleted).toEqual([{ deleted_at: new Date(LATER) }]);
  expect(await rowsOf(`SELECT FROM provider_events WHERE customer_id = $1 AND NOT applied`, [customer])).toEqual([]);
});

it.each([
  ['a warning', 'warning_needs_response', ['dispute']],
  ['one that was prevented', 'prevented', ['dispute', 'dispute_lost']],
])('a dispute moves money once the bank takes it: %s', async (_, status, taken) => {
  const { userId, id, customer, invoice } = somebody();
  const charge = `ch_${customer}`;
  const created = Date.parse('2026-01-09T12:00:00Z') / 1_000;
  const dispute = { id: `dp_${customer}`, charge, amount: 799, currency: 'usd', created, status };
  const balance_transactions = [{ created: Date.parse(LATER) / 1_000 }];
  const adjusted = async () =>
    (await billing.events(userId)).filter(({ type }) => type === 'invoice.adjusted').map(({ data }) => data);
  await answer('customer.subscription.created', NOW, subscriptionObject({ id, customer, userId }));
  await answer('invoice.paid', NOW, invoiceObject(invoice));
  await answer('charge.refunded', NOW, { id: charge, customer, invoice: invoice.id });
  await answer('charge.dispute.created', LATER, dispute);
  expect(await adjusted()).toEqual([]);
  await answer('charge.dispute.funds_withdrawn', LATER, { ...dispute, balance_transactions });
  const occurredAt = new Date(LATER).toISOString();
  expect(await adjusted()).toMatchObject(taken.map((kind) => ({ kind, occurredAt })));
});
