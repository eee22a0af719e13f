import { eventually } from '@evenkeel/platform/testing';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { Shop } from '../checkout/shop.fixture';

jest.setTimeout(90_000);

const DONE = { withinMs: 30_000 };

let shop: Shop;
let settings: Record<string, string>;
beforeAll(async () => {
  shop = await Shop.start();
  // Processes have the time of the machine: to the worker of this one nothing is due yet that is to them.
  shop.clock.set(new Date(Date.now() - 3_600_000));
  const { database, tokens } = shop.billing;
  settings = { ...shop.stripe.settings(), DATABASE_URL: database.url, JWKS_URL: tokens.jwksUrl };
});
afterEach(() => shop.expectAudited());
afterAll(async () => {
  await stopPrograms();
  await Shop.closeAll();
});

const STEPS = ['page_closed', 'subscription_ended', 'customer_deleted', 'customer_forgotten'];
it.each(STEPS)('killed at %s, the worker ends the departure after a restart, each step once', async (step) => {
  // Somebody who pays, with another page open, and whom nothing but a row says to have left.
  const person = shop.billing.person();
  await shop.open(person);
  await shop.paidThere(person);
  const rows = (columns: string, table: string) =>
    shop.query(`SELECT ${columns} FROM ${table} WHERE user_id = $1`, [person.id]);
  const isDone = () => rows('done_at IS NOT NULL AS done', 'departures');
  const dying = Program.service('apps/billing/src/worker.ts', { ...settings, CRASH_AT: `billing:${step}` });
  await shop.query('INSERT INTO departures (user_id, asked_at, due_at) VALUES ($1, now(), now())', [person.id]);
  expect((await dying.exit).signal).toBe('SIGKILL');
  expect(await isDone()).toEqual([{ done: false }]);

  // As if the worker that took it had been gone for long.
  await shop.query('UPDATE departures SET due_at = now() WHERE user_id = $1', [person.id]);
  const worker = Program.service('apps/billing/src/worker.ts', settings);
  await eventually(async () => expect(await isDone()).toEqual([{ done: true }]), DONE);
  await shop.stripe.delivered();
  await worker.stop();
  for (const type of ['checkout.session.expired', 'customer.subscription.deleted', 'customer.deleted']) {
    expect([type, shop.made(person, type).length]).toEqual([type, type === 'customer.deleted' ? 2 : 1]);
  }
  expect(await rows('DISTINCT deleted_at IS NULL AS known', 'customers')).toEqual([{ known: false }]);
  expect(await rows('id', 'checkouts')).toEqual([]);
  expect(await rows('status, access_until', 'subscriptions')).toEqual([{ status: 'CANCELED', access_until: null }]);
});
