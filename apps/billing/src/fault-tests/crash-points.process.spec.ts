import { randomUUID } from 'node:crypto';
import { UserDeleted } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { Program } from '@evenkeel/services/programs';
import { auditBilling } from '../audited.fixture';
import type { Person } from '../billing.fixture';
import { Shop } from '../checkout/shop.fixture';
import { anEvent, invoiceObject, signed } from '../webhooks/provider-events.fixture';

jest.setTimeout(120_000);

const DONE = { withinMs: 30_000 };

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start();
  // A process has the time of the machine.
  shop.clock.set(new Date());
});
afterAll(() => Shop.closeAll());
afterEach(async () => expect(await auditBilling(shop.billing.database.dataSource)).toEqual([]));

/** Billing as a process that dies at a step of a request. */
async function dieWith(step: string, path: string, request: RequestInit): Promise<void> {
  const { database, tokens } = shop.billing;
  const program = Program.service('apps/billing/src/main.ts', {
    CRASH_AT: `billing:${step}`,
    ...shop.stripe.settings(),
    DATABASE_URL: database.url,
    PUBLIC_BASE_URL: 'http://localhost:8080',
    JWKS_URL: tokens.jwksUrl,
  });
  const { url } = await program.ready();
  await expect(fetch(url + path, { method: 'POST', ...request })).rejects.toThrow();
  expect((await program.exit).signal).toBe('SIGKILL');
}

/** Somebody whose checkout broke off. */
async function killedAt(step: string, headers: Record<string, string> = {}): Promise<Person> {
  const person = shop.billing.person();
  await shop.billing.know();
  const body = JSON.stringify({ plan: 'premium_monthly' });
  const signedIn = { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' };
  await dieWith(step, '/v1/billing/checkout', { body, headers: { ...signedIn, ...headers } });
  return person;
}

/** One customer, one page, and one subscription once that is paid. */
async function buysOnce(person: Person, sessionId: string): Promise<void> {
  expect(shop.made(person, 'customer.created')).toHaveLength(1);
  expect(await shop.checkouts(person)).toMatchObject([{ session_id: sessionId, closed_at: null }]);
  await shop.stripe.pay(sessionId);
  expect(shop.subscriptionsOf(person)).toHaveLength(1);
  expect((await shop.me(person)).body).toMatchObject({ tier: 'PREMIUM', subscription: { status: 'ACTIVE' } });
}

it.each(['page_claimed', 'customer_made', 'customer_stored', 'session_made', 'session_remembered'])(
  'killed at %s, the repeat leaves one customer and one page',
  async (step) => {
    const person = await killedAt(step);
    const { status, body: page } = await shop.open(person);
    expect(status).toBe(201);
    await buysOnce(person, String(page.session_id));
  },
);

it.each(['page_claimed', 'session_remembered'])(
  'killed at %s, a request with an Idempotency-Key is done again a minute later, and its answer is kept',
  async (step) => {
    const headers = { 'idempotency-key': randomUUID() };
    const person = await killedAt(step, headers);
    const repeat = () => shop.post(person, 'checkout', { plan: 'premium_monthly' }, { headers });
    // Nobody knows yet that the process is gone.
    const early = await repeat();
    expect([early.status, early.body.error]).toEqual([409, 'idempotency_in_progress']);
    await shop.billing.database.dataSource.query(
      `UPDATE idempotency_keys SET run_at = run_at - interval '1 minute' WHERE owner = $1`,
      [person.id],
    );
    const page = await repeat();
    expect(page.status).toBe(201);
    const again = await repeat();
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, page.text, 'true']);
    await buysOnce(person, String(page.body.session_id));
  },
);

it('killed before it remembers a customer, the provider forgets them with the person who leaves', async () => {
  const person = await killedAt('customer_made');
  expect(shop.made(person, 'customer.created')).toHaveLength(1);
  const at = shop.clock.now();
  const data: UserDeleted = { userId: person.id, receiptId: randomUUID(), deletedAt: at.toISOString() };
  await shop.billing.accounts.publish({ event: UserDeleted, key: person.id, data, at });
  await eventually(async () => expect(shop.made(person, 'customer.deleted')).toHaveLength(1), DONE);
  expect(shop.made(person, 'customer.created')).toHaveLength(1);
  await eventually(async () => expect(await shop.checkouts(person)).toEqual([]), DONE);
});

it.each([
  ['event_stored', null],
  ['before_commit', null],
  ['after_commit', 'duplicate_event'],
])('killed at %s, an event counts once: sent again it is %s', async (step, reason) => {
  const { id: userId } = shop.billing.person();
  await shop.billing.know();
  // The first that is told of somebody: it links, gives access, and is money.
  const invoice = invoiceObject({ id: `in_${step}`, customer: `cus_${step}`, subscription: `sub_${step}`, userId });
  const [line] = (invoice['lines'] as { data: object[] }).data;
  const ofOurs = { ...line, pricing: { price_details: { price: shop.stripe.prices.monthly } } };
  const event = anEvent('invoice.paid', shop.clock.now(), { ...invoice, lines: { object: 'list', data: [ofOurs] } });
  const body = JSON.stringify(event);
  const path = '/v1/billing/webhook/stripe';
  const headers = () => ({ 'stripe-signature': signed(body, new Date(), shop.stripe.webhookSecret) });
  await dieWith(step, path, { body, headers: headers() });
  const again = await shop.billing.send(path, { method: 'POST', body, headers: headers() });
  expect(again.body).toEqual({ received: true, applied: reason === null, reason });
  const told = (await shop.billing.events(userId)).map(({ type }) => type);
  expect(told.sort()).toEqual(['invoice.paid', 'subscription.changed']);
});
