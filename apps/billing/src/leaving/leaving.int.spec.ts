import { randomUUID } from 'node:crypto';
import { UserDeleted } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { DevelopmentStripe, type AnsweredCall } from '@evenkeel/stripe';
import { auditBilling } from '../audited.fixture';
import { Billing } from '../billing.fixture';
import { wrongCalls } from '../provider/calls.fixture';
import { Subscribers } from '../subscribers.fixture';
import { EndDepartures } from './end-departures';

const NOON = new Date('2026-01-31T12:00:00Z');
const DONE = { withinMs: 20_000 };

let clock: ManualClock;
let stripe: DevelopmentStripe;
let billing: Billing;
let subscribers: Subscribers;
const calls: AnsweredCall[] = [];
beforeAll(async () => {
  clock = new ManualClock(NOON);
  stripe = await DevelopmentStripe.start({ clock, onCall: (call) => void calls.push(call) });
  billing = await Billing.start({ ...stripe.settings() }, clock);
  subscribers = new Subscribers(billing, stripe);
});
afterAll(async () => {
  await billing.close();
  await stripe.close();
  expect(wrongCalls(calls)).toEqual([]);
});

const query = <Row>(sql: string, values?: unknown[], { database } = billing) =>
  database.dataSource.query<Row[]>(sql, values);
const departure = async (userId: string, of = billing) => {
  const sql = 'SELECT attempts, done_at FROM departures WHERE user_id = $1';
  const [row] = await query<{ attempts: number; done_at: Date | null }>(sql, [userId], of);
  return row;
};
const hasLeft = (userId: string, of = billing) =>
  eventually(async () => expect((await departure(userId, of))?.done_at).toBeInstanceOf(Date), DONE);
const deletions = (customerId: string) =>
  calls.filter(({ request: { method, path } }) => method === 'DELETE' && path.endsWith(customerId)).length;

function leave(userId: string, of = billing): Promise<void> {
  const data: UserDeleted = { userId, receiptId: randomUUID(), deletedAt: clock.now().toISOString() };
  return of.accounts.publish({ event: UserDeleted, key: userId, data, at: clock.now() });
}

it('ends at once what somebody has, has the provider forget them, and keeps nothing that names them', async () => {
  const userId = randomUUID();
  const { customerId, subscriptionId } = await subscribers.buy(userId);
  const page = await subscribers.call((one) =>
    one.checkout.sessions.create({
      mode: 'subscription',
      customer: customerId,
      success_url: 'http://localhost/a',
      cancel_url: 'http://localhost/b',
      line_items: [{ price: stripe.prices.yearly, quantity: 1 }],
    }),
  );
  await query(
    `INSERT INTO checkouts (id, user_id, plan_code, trial_days, session_id, created_at)
     VALUES ($1, $2, 'premium_yearly', 0, $3, $4)`,
    [randomUUID(), userId, page.id, clock.now()],
  );
  await query(`INSERT INTO grants (id, user_id, note, granted_at) VALUES ($1, $2, 'for Ana Lovelace', $3)`, [
    randomUUID(),
    userId,
    clock.now(),
  ]);
  clock.advanceMs(60_000);
  await leave(userId);
  await hasLeft(userId);

  const there = await subscribers.call((one) => one.subscriptions.retrieve(subscriptionId));
  expect(there.status).toBe('canceled');
  expect(await subscribers.call((one) => one.customers.retrieve(customerId))).toMatchObject({ deleted: true });
  expect((await subscribers.call((one) => one.checkout.sessions.retrieve(page.id))).status).toBe('expired');
  // No money comes back, and none is asked for.
  expect(stripe.invoices.filter(({ customer }) => customer === customerId)).toHaveLength(1);

  const [row] = await query<object>('SELECT status, access_until FROM subscriptions WHERE user_id = $1', [userId]);
  expect(row).toEqual({ status: 'CANCELED', access_until: null });
  expect(await query('SELECT FROM checkouts WHERE user_id = $1', [userId])).toEqual([]);
  expect(await query('SELECT note, revoked_at IS NULL AS live FROM grants WHERE user_id = $1', [userId])).toEqual([
    { note: '', live: false },
  ]);
  const { data } = (await billing.events(userId)).at(-1)!;
  expect(data).toMatchObject({
    cause: 'user.deleted',
    grants: [],
    subscriptions: [{ status: 'CANCELED', accessUntil: null }],
  });
  expect(deletions(customerId)).toBe(1);
  expect(await auditBilling(billing.database.dataSource)).toEqual([]);
});

it('tries again until the provider answers', async () => {
  const userId = randomUUID();
  const { customerId } = await subscribers.buy(userId);
  stripe.mode('error500');
  await leave(userId);
  await eventually(async () => expect((await departure(userId))?.attempts).toBe(1), DONE);
  await eventually(
    async () => expect((await scrape(billing.running.internalUrl)).value('evenkeel_departures_waiting')).toBe(1),
    DONE,
  );
  expect((await departure(userId))!.done_at).toBeNull();
  stripe.mode('ok');
  // The pauses grow to an hour.
  clock.advanceMs(3_600_000);
  await hasLeft(userId);
  expect(await subscribers.call((one) => one.customers.retrieve(customerId))).toMatchObject({ deleted: true });
});

it('ends a page that was paid when its user had left', async () => {
  const userId = randomUUID();
  await leave(userId);
  await hasLeft(userId);
  const { customerId, subscriptionId } = await subscribers.buy(userId);
  const [bought] = await query<{ status: string }>('SELECT status FROM subscriptions WHERE user_id = $1', [userId]);
  expect(bought!.status).toBe('ACTIVE');
  clock.advanceMs(60_000);
  await billing.app.get(EndDepartures, { strict: false }).beginAgain();
  await eventually(async () => expect(deletions(customerId)).toBe(1), DONE);
  await hasLeft(userId);
  expect((await subscribers.call((one) => one.subscriptions.retrieve(subscriptionId))).status).toBe('canceled');
  expect(await query('SELECT status FROM subscriptions WHERE user_id = $1', [userId])).toEqual([
    { status: 'CANCELED' },
  ]);
});

it('finds a customer whom the provider has deleted before', async () => {
  const userId = randomUUID();
  const { customerId } = await subscribers.buy(userId);
  await stripe.deleteCustomer(customerId);
  await leave(userId);
  await hasLeft(userId);
  expect((await departure(userId))!.attempts).toBe(1);
});

it('without a provider it waits for one, unless nothing is there', async () => {
  const alone = await Billing.start({}, clock);
  try {
    const [paid, never] = [randomUUID(), randomUUID()];
    await query(
      `INSERT INTO customers (customer_id, user_id, created_at) VALUES ('cus_1', $1, $2)`,
      [paid, NOON],
      alone,
    );
    await leave(paid, alone);
    await leave(never, alone);
    await hasLeft(never, alone);
    await eventually(async () => expect((await departure(paid, alone))?.attempts).toBe(1), DONE);
    expect((await departure(paid, alone))!.done_at).toBeNull();
    expect((await scrape(alone.running.internalUrl)).value('evenkeel_departures_waiting')).toBe(1);
  } finally {
    await alone.close();
  }
});
