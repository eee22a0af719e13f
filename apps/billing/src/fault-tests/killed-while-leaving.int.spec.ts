import { randomUUID } from 'node:crypto';
import { SystemClock } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { AppRegistry } from '@evenkeel/platform/observability';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { Program } from '@evenkeel/services/programs';
import { auditBilling } from '../audited.fixture';
import { BillingConfig } from '../billing.config';
import { ENTITIES, MIGRATIONS } from '../database';
import { StripeApi } from '../provider/stripe-api';

jest.setTimeout(90_000);

let stripe: DevelopmentStripe;
let database: TestDatabase;
let settings: Record<string, string>;
beforeAll(async () => {
  stripe = await DevelopmentStripe.start();
  database = await createTestDatabase({ name: 'billing', entities: ENTITIES, migrations: MIGRATIONS });
  settings = { ...stripe.settings(), DATABASE_URL: database.url, JWKS_URL: 'http://localhost:1/jwks.json' };
});
afterAll(async () => {
  await database.drop();
  await stripe.close();
});

const query = <Row>(sql: string, values?: unknown[]) => database.dataSource.query<Row[]>(sql, values);
const timesTold = (type: string) => stripe.events.filter((event) => event.type === type).length;

/** Somebody who pays, and whom nothing tells that they left but a row. */
async function subscriberWhoLeft(): Promise<string> {
  const provider = new StripeApi(loadConfig(BillingConfig, settings), new SystemClock(), new AppRegistry());
  const userId = randomUUID();
  const metadata = { user_id: userId, plan_code: 'premium_monthly' };
  const { result: customer } = await provider.call((one) => one.customers.create({ metadata }));
  const { result: page } = await provider.call((one) =>
    one.checkout.sessions.create({
      ...{ mode: 'subscription', customer: customer.id, client_reference_id: userId, metadata },
      ...{ success_url: 'http://localhost/paid', cancel_url: 'http://localhost/left', subscription_data: { metadata } },
      line_items: [{ price: stripe.prices.monthly, quantity: 1 }],
    }),
  );
  await stripe.pay(page.id);
  await query('INSERT INTO customers (customer_id, user_id, created_at) VALUES ($1, $2, now())', [customer.id, userId]);
  await query('INSERT INTO departures (user_id, asked_at, due_at) VALUES ($1, now(), now())', [userId]);
  return userId;
}

it('killed after the provider has deleted a customer, the worker ends the departure after a restart', async () => {
  const userId = await subscriberWhoLeft();
  const dying = Program.service('apps/billing/src/worker.ts', { ...settings, CRASH_AT: 'billing:customer_deleted' });
  expect((await dying.exit).signal).toBe('SIGKILL');
  expect(timesTold('customer.deleted')).toBe(1);
  const left = () =>
    query<{ done: boolean; gone: boolean }>(
      `SELECT d.done_at IS NOT NULL AS done, c.deleted_at IS NOT NULL AS gone
       FROM departures d JOIN customers c USING (user_id) WHERE user_id = $1`,
      [userId],
    );
  expect(await left()).toEqual([{ done: false, gone: false }]);

  // As if the worker that took it had been gone for long.
  await query('UPDATE departures SET due_at = now()');
  const worker = Program.service('apps/billing/src/worker.ts', settings);
  await eventually(async () => expect(await left()).toEqual([{ done: true, gone: true }]), { withinMs: 30_000 });
  await worker.stop();
  expect([timesTold('customer.deleted'), timesTold('customer.subscription.deleted')]).toEqual([1, 1]);
  expect(await query('SELECT status, access_until FROM subscriptions WHERE user_id = $1', [userId])).toEqual([
    { status: 'CANCELED', access_until: null },
  ]);
  expect(await auditBilling(database.dataSource)).toEqual([]);
});
