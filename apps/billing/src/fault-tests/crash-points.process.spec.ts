import { randomUUID } from 'node:crypto';
import { UserDeleted } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { Program } from '@evenkeel/services/programs';
import type { Person } from '../billing.fixture';
import { Shop } from '../checkout/shop.fixture';
import { ReconciliationJob } from '../reconciliation/reconciliation.job';
import { signed } from '../webhooks/provider-events.fixture';

jest.setTimeout(120_000);

const DONE = { withinMs: 30_000 };

const shop = Shop.forSuite();
beforeAll(async () => {
  // A process has the time of the machine.
  shop.clock.set(new Date());
  // It would take from the provider what the tests hold back.
  await shop.billing.app.get(ReconciliationJob, { strict: false }).beforeApplicationShutdown();
});
afterEach(() => shop.expectAudited());

/** Billing as a process that dies at a step of a request. */
async function dieWith(step: string, route: string, body: string, headers: Record<string, string>): Promise<void> {
  const { database, tokens } = shop.billing;
  await shop.billing.know();
  const program = Program.service('apps/billing/src/main.ts', {
    CRASH_AT: `billing:${step}`,
    ...shop.stripe.settings(),
    DATABASE_URL: database.url,
    PUBLIC_BASE_URL: 'http://localhost:8080',
    JWKS_URL: tokens.jwksUrl,
  });
  const { url } = await program.ready();
  await expect(fetch(`${url}/v1/billing/${route}`, { method: 'POST', body, headers })).rejects.toThrow();
  expect((await program.exit).signal).toBe('SIGKILL');
}

/** Somebody whose checkout broke off. */
async function killedAt(step: string, headers: Record<string, string> = {}): Promise<Person> {
  const person = shop.billing.person();
  const body = JSON.stringify({ plan: 'premium_monthly' });
  const signedIn = { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' };
  await dieWith(step, 'checkout', body, { ...signedIn, ...headers });
  return person;
}

/** One customer, one page, and one subscription once that is paid. */
async function buysOnce(person: Person, session_id: unknown): Promise<void> {
  expect(shop.made(person, 'customer.created')).toHaveLength(1);
  expect(await shop.checkouts(person)).toEqual([{ session_id, closed_at: null }]);
  await shop.stripe.pay(String(session_id));
  expect(shop.subscriptionsOf(person)).toHaveLength(1);
  expect((await shop.me(person)).body).toMatchObject({ tier: 'PREMIUM', subscription: { status: 'ACTIVE' } });
}

const STEPS = ['page_claimed', 'customer_made', 'customer_stored', 'session_made', 'session_remembered'];
it.each(STEPS)('killed at %s, the repeat leaves one customer and one page', async (step) => {
  const person = await killedAt(step);
  const { status, body: page } = await shop.open(person);
  expect(status).toBe(201);
  await buysOnce(person, page.session_id);
});

it.each(['page_claimed', 'session_remembered'])(
  'killed at %s, a keyed request is done a minute later',
  async (step) => {
    const headers = { 'idempotency-key': randomUUID() };
    const person = await killedAt(step, headers);
    const repeat = () => shop.post(person, 'checkout', { plan: 'premium_monthly' }, { headers });
    // Nobody knows yet that the process is gone.
    expect(await repeat()).toMatchObject({ status: 409, body: { error: 'idempotency_in_progress' } });
    const aMinuteAgo = `UPDATE idempotency_keys SET run_at = run_at - interval '1 minute' WHERE owner = $1`;
    await shop.query(aMinuteAgo, [person.id]);
    const page = await repeat();
    expect(page.status).toBe(201);
    const again = await repeat();
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, page.text, 'true']);
    await buysOnce(person, page.body.session_id);
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
])('killed at %s, an event is applied once: sent again it is %s', async (step, reason) => {
  const person = shop.billing.person();
  shop.stripe.mode('late');
  await shop.paidThere(person);
  shop.stripe.mode('ok');
  // The first that says anything of somebody: it links, gives access, and is money.
  const [event] = shop.made(person, 'invoice.paid');
  const body = JSON.stringify(event);
  await dieWith(step, 'webhook/stripe', body, {
    'stripe-signature': signed(body, new Date(), shop.stripe.webhookSecret),
  });
  expect((await shop.deliver(event!)).body).toEqual({ received: true, applied: reason === null, reason });
  const published = (await shop.billing.events(person.id)).map(({ type }) => type);
  expect(published.sort()).toEqual(['invoice.paid', 'subscription.changed']);
});
