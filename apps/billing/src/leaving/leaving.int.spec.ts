import { randomUUID } from 'node:crypto';
import { UserDeleted } from '@evenkeel/contracts';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { Billing } from '../billing.fixture';
import { Shop } from '../checkout/shop.fixture';
import { EndDepartures } from './end-departures';

const DONE = { withinMs: 20_000 };

const shop = Shop.forSuite();
afterEach(() => shop.expectAudited());

const departure = async (userId: string, { database } = shop.billing) => {
  const rows = await database.dataSource.query<{ attempts: number; done_at: Date | null }[]>(
    'SELECT attempts, done_at FROM departures WHERE user_id = $1',
    [userId],
  );
  return rows[0];
};
const hasLeft = (userId: string, of = shop.billing) =>
  eventually(async () => expect((await departure(userId, of))?.done_at).toBeInstanceOf(Date), DONE);
const triedOnce = (userId: string, of = shop.billing) =>
  eventually(async () => expect(await departure(userId, of)).toEqual({ attempts: 1, done_at: null }), DONE);
const isWaiting = ({ running: { internalUrl } } = shop.billing) =>
  eventually(async () => expect((await scrape(internalUrl)).value('evenkeel_departures_waiting')).toBe(1), DONE);
const customerThere = (id: string) => shop.call((stripe) => stripe.customers.retrieve(id));
const deletions = (customerId: string) =>
  shop.calls.filter(({ request: { method, path } }) => method === 'DELETE' && path.endsWith(customerId)).length;

function leave(userId: string, of = shop.billing): Promise<void> {
  const data: UserDeleted = { userId, receiptId: randomUUID(), deletedAt: of.clock.now().toISOString() };
  return of.accounts.publish({ event: UserDeleted, key: userId, data, at: of.clock.now() });
}

it('ends at once what somebody has, has the provider forget them, and keeps nothing that names them', async () => {
  const person = shop.billing.person();
  const { body: page } = await shop.open(person);
  const { id, customer } = await shop.paidThere(person);
  const grant = `INSERT INTO grants (id, user_id, note, granted_at) VALUES (gen_random_uuid(), $1, 'for Ana Lovelace', $2)`;
  await shop.query(grant, [person.id, shop.clock.now()]);
  shop.clock.advanceMs(60_000);
  await leave(person.id);
  await hasLeft(person.id);

  expect(shop.subscriptionOf(person)).toMatchObject({ id, status: 'canceled' });
  expect(await customerThere(customer)).toMatchObject({ deleted: true });
  const there = await shop.call((stripe) => stripe.checkout.sessions.retrieve(String(page.session_id)));
  expect(there.status).toBe('expired');
  // No money comes back, and none is asked for.
  expect(shop.stripe.invoices.filter((invoice) => invoice.customer === customer)).toHaveLength(1);

  const rows = (columns: string, table: string) =>
    shop.query(`SELECT ${columns} FROM ${table} WHERE user_id = $1`, [person.id]);
  expect(await rows('status, access_until', 'subscriptions')).toEqual([{ status: 'CANCELED', access_until: null }]);
  expect(await rows('id', 'checkouts')).toEqual([]);
  expect(await rows('note, revoked_at IS NULL AS live', 'grants')).toEqual([{ note: '', live: false }]);
  const ended = { cause: 'user.deleted', grants: [], subscriptions: [{ status: 'CANCELED', accessUntil: null }] };
  expect((await shop.billing.events(person.id)).at(-1)!.data).toMatchObject(ended);
  expect(deletions(customer)).toBe(1);
});

it('tries again until the provider answers', async () => {
  const person = await shop.subscriber();
  shop.stripe.mode('error500');
  await leave(person.id);
  await triedOnce(person.id);
  await isWaiting();
  shop.stripe.mode('ok');
  // The pauses grow to an hour.
  shop.clock.advanceMs(3_600_000);
  await hasLeft(person.id);
  expect(await customerThere(shop.subscriptionOf(person).customer)).toMatchObject({ deleted: true });
});

it('ends a page that was paid when its user had left', async () => {
  const person = { id: randomUUID() };
  await leave(person.id);
  await hasLeft(person.id);
  const { customer } = await shop.paidThere(person);
  const status = async () => (await shop.query('SELECT status FROM subscriptions WHERE user_id = $1', [person.id]))[0];
  expect(await status()).toEqual({ status: 'ACTIVE' });
  shop.clock.advanceMs(60_000);
  await shop.billing.app.get(EndDepartures, { strict: false }).beginAgain();
  await eventually(() => expect(deletions(customer)).toBe(1), DONE);
  await hasLeft(person.id);
  expect(shop.subscriptionOf(person)).toMatchObject({ status: 'canceled' });
  expect(await status()).toEqual({ status: 'CANCELED' });
});

it('finds a customer whom the provider has deleted before', async () => {
  const person = await shop.subscriber();
  await shop.stripe.deleteCustomer(shop.subscriptionOf(person).customer);
  await leave(person.id);
  await hasLeft(person.id);
  expect((await departure(person.id))!.attempts).toBe(1);
});

it('without a provider it waits for one, unless nothing is there', async () => {
  const alone = await Billing.start({}, shop.clock);
  const [paid, never] = [randomUUID(), randomUUID()];
  const add = `INSERT INTO customers (customer_id, user_id, created_at) VALUES ('cus_1', $1, $2)`;
  await alone.database.dataSource.query(add, [paid, shop.clock.now()]);
  await leave(paid, alone);
  await leave(never, alone);
  await hasLeft(never, alone);
  await triedOnce(paid, alone);
  await isWaiting(alone);
  await alone.close();
});
