import { randomUUID } from 'node:crypto';
import { UserDeleted } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { Program } from '@evenkeel/services/programs';
import { auditBilling } from '../audited.fixture';
import type { Person } from '../billing.fixture';
import { Shop } from './shop.fixture';

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

/** Somebody whose checkout broke off: billing as a process died at a step of it. */
async function killedAt(step: string, headers: Record<string, string> = {}): Promise<Person> {
  const { database, tokens } = shop.billing;
  const program = Program.service('apps/billing/src/main.ts', {
    ...{ CRASH_AT: `billing:${step}`, ...shop.stripe.settings() },
    ...{ DATABASE_URL: database.url, PUBLIC_BASE_URL: 'http://localhost:8080', JWKS_URL: tokens.jwksUrl },
  });
  const { url } = await program.ready();
  const person = shop.billing.person();
  const asked = fetch(`${url}/v1/billing/checkout`, {
    ...{ method: 'POST', body: JSON.stringify({ plan: 'premium_monthly' }) },
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json', ...headers },
  });
  await expect(asked).rejects.toThrow();
  expect((await program.exit).signal).toBe('SIGKILL');
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
