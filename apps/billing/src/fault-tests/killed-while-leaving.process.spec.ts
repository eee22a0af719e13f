import { randomUUID } from 'node:crypto';
import { SystemClock } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { AppRegistry } from '@evenkeel/platform/observability';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { auditBilling } from '../audited.fixture';
import { BillingConfig } from '../billing.config';
import { ENTITIES, MIGRATIONS } from '../database';
import { StripeApi } from '../provider/stripe-api';

jest.setTimeout(90_000);

const DONE = { withinMs: 30_000 };

let stripe: DevelopmentStripe;
let database: TestDatabase;
let settings: Record<string, string>;
beforeAll(async () => {
  stripe = await DevelopmentStripe.start();
  database = await createTestDatabase({ name: 'billing', entities: ENTITIES, migrations: MIGRATIONS });
  settings = { ...stripe.settings(), DATABASE_URL: database.url, JWKS_URL: 'http://localhost:1/jwks.json' };
  const { url } = await Program.service('apps/billing/src/main.ts', settings).ready();
  stripe.sendTo(`${url}/v1/billing/webhook/stripe`);
});
afterAll(async () => {
  await stopPrograms();
  await database.drop();
  await stripe.close();
});

const query = <Row>(sql: string, values?: unknown[]) => database.dataSource.query<Row[]>(sql, values);

/** How many events of a type the provider has sent about a person. */
const timesTold = (userId: string, type: string) =>
  stripe.events.filter((event) => event.type === type && JSON.stringify(event.data).includes(userId)).length;

/** Somebody who pays, with another page open, and whom nothing tells that they left but a row. */
async function subscriberWhoLeft(): Promise<string> {
  const provider = new StripeApi(loadConfig(BillingConfig, settings), new SystemClock(), new AppRegistry());
  const userId = randomUUID();
  const metadata = { user_id: userId, plan_code: 'premium_monthly' };
  const { result: customer } = await provider.call((one) => one.customers.create({ metadata }));
  const open = () =>
    provider.call((one) =>
      one.checkout.sessions.create({
        mode: 'subscription',
        customer: customer.id,
        client_reference_id: userId,
        metadata,
        success_url: 'http://localhost/paid',
        cancel_url: 'http://localhost/left',
        subscription_data: { metadata },
        line_items: [{ price: stripe.prices.monthly, quantity: 1 }],
      }),
    );
  await stripe.pay((await open()).result.id);
  const { result: page } = await open();
  await query(
    `INSERT INTO checkouts (id, user_id, plan_code, trial_days, session_id, created_at)
     VALUES ($1, $2, 'premium_monthly', 0, $3, now())`,
    [randomUUID(), userId, page.id],
  );
  await query('INSERT INTO departures (user_id, asked_at, due_at) VALUES ($1, now(), now())', [userId]);
  return userId;
}

it.each(['page_closed', 'subscription_ended', 'customer_deleted', 'customer_forgotten'])(
  'killed at %s, the worker ends the departure after a restart, and does nothing twice',
  async (step) => {
    const userId = await subscriberWhoLeft();
    const dying = Program.service('apps/billing/src/worker.ts', { ...settings, CRASH_AT: `billing:${step}` });
    expect((await dying.exit).signal).toBe('SIGKILL');
    const departure = () =>
      query<{ done: boolean }>('SELECT done_at IS NOT NULL AS done FROM departures WHERE user_id = $1', [userId]);
    expect(await departure()).toEqual([{ done: false }]);

    // As if the worker that took it had been gone for long.
    await query('UPDATE departures SET due_at = now() WHERE user_id = $1', [userId]);
    const worker = Program.service('apps/billing/src/worker.ts', settings);
    await eventually(async () => expect(await departure()).toEqual([{ done: true }]), DONE);
    await stripe.delivered();
    await worker.stop();
    const told = ['checkout.session.expired', 'customer.subscription.deleted', 'customer.deleted'];
    expect(told.map((type) => timesTold(userId, type))).toEqual([1, 1, 1]);
    expect(await query('SELECT deleted_at IS NULL AS known FROM customers WHERE user_id = $1', [userId])).toEqual([
      { known: false },
    ]);
    expect(await query('SELECT FROM checkouts WHERE user_id = $1', [userId])).toEqual([]);
    expect(await query('SELECT status, access_until FROM subscriptions WHERE user_id = $1', [userId])).toEqual([
      { status: 'CANCELED', access_until: null },
    ]);
    expect(await auditBilling(database.dataSource)).toEqual([]);
  },
);
