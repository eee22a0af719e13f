import { randomUUID } from 'node:crypto';
import { eventually } from '@evenkeel/platform/testing';
import { Billing } from '../billing.fixture';
import { Shop } from '../checkout/shop.fixture';
import { ReadProvider } from '../reads/read-provider';

const shop = Shop.forSuite();
afterEach(() => shop.expectAudited());

describe('a sale whose metadata names a user', () => {
  it('whom nobody knows is linked to nobody', async () => {
    const consulting = shop.stripe.addPrice({ interval: 'month', amountCents: 99_900 });
    const stranger = randomUUID();
    for (const price of [consulting, shop.stripe.prices.monthly]) {
      await shop.stripe.sellByHand({ prices: [price], metadata: { user_id: stranger } });
    }
    await shop.settle();
    expect(await shop.billing.events(stranger)).toEqual([]);
  });

  it('of whom the news is late is linked once it is there', async () => {
    const id = randomUUID();
    await shop.stripe.sellByHand({ prices: [shop.stripe.prices.monthly], metadata: { user_id: id } });
    await shop.settle();
    expect(await shop.billing.events(id)).toEqual([]);
    const person = await shop.daysLater(shop.billing.person(id), 1);
    while (await shop.billing.app.get(ReadProvider).execute());
    await eventually(async () => expect((await shop.me(person)).body).toMatchObject({ tier: 'PREMIUM' }));
  });
});

it('a dispute of another product of the account lowers no revenue of ours', async () => {
  const person = await shop.subscriber();
  const newsletter = shop.stripe.addPrice({ interval: 'month', amountCents: 100 });
  await shop.stripe.sellByHand({ customer: shop.subscriptionOf(person).customer, prices: [newsletter] });
  await shop.stripe.dispute(shop.stripe.invoices.at(-1)!.id);
  await shop.settle();
  while (await shop.billing.app.get(ReadProvider).execute());
  expect((await shop.billing.events(person.id)).filter(({ type }) => type === 'invoice.adjusted')).toEqual([]);
});

it('what a page of ours has sold stays ours when its price is called otherwise', async () => {
  const person = await shop.subscriber();
  const renamed = shop.stripe.addPrice({ interval: 'month', amountCents: 799, isOfPlans: true });
  const settings = { ...shop.stripe.settings(), STRIPE_PRICE_MONTHLY: renamed };
  const other = await Billing.start({ ...settings, DATABASE_URL: shop.billing.database.url }, shop.clock);
  shop.stripe.mode('late');
  await shop.stripe.pauseCollection(shop.subscriptionOf(person).id);
  await shop.deliver(shop.stripe.events.at(-1)!, other);
  const { body } = await other.ask('GET', '/v1/billing/me', { token: other.tokens.token(person.id) });
  expect(body).toMatchObject({ tier: 'PREMIUM', subscription: { plan_code: 'premium_monthly' } });
  await other.close();
});

it.each([
  ['has no access, though only the deletion has an event', []],
  [
    'has none, also where that comes before any other event of them',
    ['customer.subscription.created', 'checkout.session.completed', 'invoice.paid'],
  ],
])('a customer who was deleted %s', async (_, later) => {
  const person = shop.billing.person();
  if (later.length > 0) shop.stripe.mode('lost');
  const { customer } = await shop.paid(person);
  expect((await shop.me(person)).body).toMatchObject({ tier: later.length > 0 ? 'FREE' : 'PREMIUM' });
  shop.stripe.mode('lost');
  await shop.stripe.deleteCustomer(customer);
  for (const type of ['customer.deleted', ...later]) {
    for (const event of shop.made(person, type)) await shop.deliver(event);
  }
  expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE', subscription: { status: 'CANCELED' } });
});

it('an event 400 days in the future is not taken, and waits while the provider cannot say whether it is its own', async () => {
  const person = await shop.subscriber();
  const [update] = shop.made(person, 'customer.subscription.updated');
  const future = { ...update!, id: 'evt_future', created: update!.created + 400 * 86_400 };
  shop.stripe.mode('error500');
  expect((await shop.deliver(future)).status).toBe(503);
  shop.stripe.mode('ok');
  expect((await shop.deliver(future)).body).toMatchObject({ applied: false, reason: 'ignored_event_type' });
  // It hides nothing that comes.
  await shop.stripe.pause(shop.subscriptionOf(person).id);
  expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE' });
});

it('150 deliveries of one customer at once keep nobody else waiting', async () => {
  const [busy, other] = [await shop.subscriber(), await shop.subscriber()];
  const [update] = shop.made(busy, 'customer.subscription.updated');
  const holder = shop.billing.database.dataSource.createQueryRunner();
  const { customer } = shop.subscriptionOf(busy);
  await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [customer]);
  const sent = Array.from({ length: 150 }, (_, n) => shop.deliver({ ...update!, id: `evt_busy_${n}` }));
  const waiting = `SELECT count(*)::integer AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  await eventually(async () => expect(await holder.query(waiting)).toEqual([{ n: 1 }]));
  expect((await shop.me(other)).body).toMatchObject({ tier: 'PREMIUM' });
  await holder.query('SELECT pg_advisory_unlock_all()');
  await holder.release();
  for (const { status } of await Promise.all(sent)) expect([200, 503]).toContain(status);
});
