import { randomUUID } from 'node:crypto';
import { eventually } from '@evenkeel/platform/testing';
import { signWebhook } from '@evenkeel/stripe';
import { auditBilling } from '../audited.fixture';
import { Billing, type Person } from '../billing.fixture';
import { DAY_MS, Shop } from '../checkout/shop.fixture';
import { ReadProvider } from '../reads/read-provider';

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start();
});
afterAll(() => Shop.closeAll());
afterEach(async () => {
  shop.stripe.mode('ok');
  expect(await auditBilling(shop.billing.database.dataSource)).toEqual([]);
});

const idOf = (person: Person) => shop.subscriptionsOf(person)[0]!.id;
const customerOf = (person: Person) => shop.subscriptionsOf(person)[0]!.customer as string;
const stateOf = async (person: Person, at: Shop = shop) => (await at.me(person)).body;
/** Sends only these of what the provider would tell. */
async function only(person: Person, ...types: string[]): Promise<void> {
  for (const type of types) {
    for (const event of shop.made(person, type)) await sendWith(event as object);
  }
}
const sendWith = (event: object) => sendSignedBy(shop, event);

async function sendSignedBy({ stripe, billing }: Shop, event: object) {
  const body = JSON.stringify(event);
  const headers = { 'stripe-signature': signWebhook(body, stripe.webhookSecret, billing.clock.now()) };
  return billing.send('/v1/billing/webhook/stripe', { method: 'POST', body, headers });
}

describe('an invoice that does not decide', () => {
  it('made by hand and not paid, ends no Premium', async () => {
    const person = await shop.subscriber();
    await shop.stripe.invoiceByHand(idOf(person), 2_000, 'declines');
    await shop.settle();
    expect(shop.subscriptionsOf(person)).toMatchObject([{ status: 'active' }]);
    expect(await stateOf(person)).toMatchObject({
      tier: 'PREMIUM',
      subscription: { status: 'ACTIVE', payment_url: null },
    });
  });

  it('of a change that waits for its payment, ends none either', async () => {
    const person = await shop.subscriber();
    await shop.stripe.setCard(customerOf(person), 'declines');
    await shop.stripe.changePlan(idOf(person), shop.stripe.prices.yearly, 'pending_if_incomplete');
    await shop.settle();
    expect(shop.subscriptionsOf(person)).toMatchObject([{ status: 'active', pending_update: expect.any(Object) }]);
    expect(await stateOf(person)).toMatchObject({ tier: 'PREMIUM', subscription: { status: 'ACTIVE' } });
  });

  it('made by hand and paid, gives no Premium back', async () => {
    const person = await shop.daysLater(await shop.subscriber('premium_monthly', 'good_then_declines'), 29);
    expect(await stateOf(person)).toMatchObject({ subscription: { status: 'PAST_DUE' } });
    await shop.stripe.invoiceByHand(idOf(person), 2_000, 'good');
    await shop.settle();
    expect(shop.subscriptionsOf(person)).toMatchObject([{ status: 'past_due' }]);
    expect(await stateOf(person)).toMatchObject({ subscription: { status: 'PAST_DUE' } });
  });

  it('of an amount besides that falls due with a trial, ends no trial', async () => {
    const own = await Shop.start();
    const person = await own.subscriber();
    const { id, customer } = own.subscriptionsOf(person)[0]!;
    await own.stripe.setCard(customer as string, 'declines');
    await own.settle();
    await own.stripe.addAmount(id, 300, new Date(own.clock.now().getTime() + 30 * DAY_MS));
    await own.stripe.giveTrial(id, new Date(own.clock.now().getTime() + 40 * DAY_MS));
    await own.settle();
    const later = await own.daysLater(person, 12);
    expect(own.subscriptionsOf(person)).toMatchObject([{ status: 'trialing' }]);
    expect(await stateOf(later, own)).toMatchObject({ tier: 'PREMIUM', subscription: { status: 'TRIALING' } });
  });

  it('has an amount besides that is for two years, and moves the end of no period', async () => {
    const own = await Shop.start();
    const person = await own.subscriber();
    const until = new Date(own.clock.now().getTime() + 730 * DAY_MS);
    await own.stripe.addAmount(own.subscriptionsOf(person)[0]!.id, 500, until);
    const later = await own.daysLater(person, 30);
    expect(own.stripe.invoices.at(-1)).toMatchObject({ status: 'paid', amount_paid: 1_299 });
    expect(await stateOf(later, own)).toMatchObject({ premium_until: '2026-04-03T12:00:00.000Z' });
  });
});

describe('an end that was asked for comes with the period', () => {
  /** One who has canceled, two days after they bought. */
  async function leaving(own: Shop): Promise<Person> {
    const person = await own.daysLater(await own.subscriber(), 2);
    await own.post(person, 'cancel');
    await own.settle();
    return person;
  }
  const endOf = async (person: Person, own: Shop) =>
    ((await stateOf(person, own))['subscription'] as { cancel_at: string }).cancel_at;

  it('also where a trial that is given later has made the period another: then nothing is charged any more', async () => {
    const own = await Shop.start();
    const person = await leaving(own);
    const trialEnd = new Date(own.clock.now().getTime() + 10 * DAY_MS);
    await own.stripe.giveTrial(own.subscriptionsOf(person)[0]!.id, trialEnd);
    await own.settle();
    const end = await endOf(person, own);
    expect(Math.abs(Date.parse(end) - trialEnd.getTime())).toBeLessThan(1_000);
    expect(await stateOf(person, own)).toMatchObject({ tier: 'PREMIUM', premium_until: end });
    const later = await own.daysLater(person, 11);
    expect(await stateOf(later, own)).toMatchObject({ tier: 'FREE', subscription: { status: 'CANCELED' } });
    expect(own.stripe.invoices.filter(({ amount_paid: cents }) => cents > 0)).toHaveLength(1);
  });

  it('also where it was paused, and goes on with a new one', async () => {
    const own = await Shop.start();
    const person = await leaving(own);
    const { id } = own.subscriptionsOf(person)[0]!;
    await own.stripe.pause(id);
    await own.settle();
    await own.stripe.resume(id);
    await own.settle();
    const { items } = own.subscriptionsOf(person)[0]!;
    const end = new Date(items.data[0]!.current_period_end * 1_000).toISOString();
    expect(own.subscriptionsOf(person)).toMatchObject([{ status: 'active', cancel_at: Date.parse(end) / 1_000 }]);
    expect(await stateOf(person, own)).toMatchObject({ premium_until: end, subscription: { cancel_at: end } });
  });
});

describe('another product of the same account', () => {
  it('a refund and a dispute of it lower no revenue of ours, though a customer of ours has bought it', async () => {
    const own = await Shop.start();
    const person = await own.subscriber();
    const { customer, latest_invoice: ours } = own.subscriptionsOf(person)[0]!;
    const newsletter = own.stripe.addPrice({ interval: 'month', amountCents: 100 });
    const sell = async () => {
      await own.stripe.sellByHand({ customer: customer as string, prices: [newsletter] });
      return own.stripe.invoices.at(-1)!.id;
    };
    await own.stripe.refund(await sell());
    await own.stripe.dispute(await sell());
    const refund = await own.stripe.refund(ours as string, 100);
    await own.settle();
    while (await own.billing.app.get(ReadProvider).execute());
    const adjusted = (await own.billing.events(person.id)).filter(({ type }) => type === 'invoice.adjusted');
    expect(adjusted.map(({ data }) => data)).toMatchObject([
      { adjustmentId: refund, kind: 'refund', invoiceId: ours, amountMicros: 1_000_000 },
    ]);
  });

  it('whose metadata names a user whom nobody knows is linked to nobody', async () => {
    const consulting = shop.stripe.addPrice({ interval: 'month', amountCents: 99_900 });
    const stranger = randomUUID();
    await shop.stripe.sellByHand({ prices: [consulting], metadata: { user_id: stranger } });
    await shop.stripe.sellByHand({ prices: [shop.stripe.prices.monthly], metadata: { user_id: stranger } });
    await shop.settle();
    expect(await shop.billing.events(stranger)).toEqual([]);
  });

  it('whose metadata names a user of whom the news is late is linked once it is there', async () => {
    const own = await Shop.start();
    const id = randomUUID();
    await own.stripe.sellByHand({ prices: [own.stripe.prices.monthly], metadata: { user_id: id } });
    await own.settle();
    expect(await own.billing.events(id)).toEqual([]);
    const person = await own.daysLater(own.billing.person(id), 1);
    while (await own.billing.app.get(ReadProvider).execute());
    expect(await stateOf(person, own)).toMatchObject({ tier: 'PREMIUM' });
  });

  it('what a page of ours has sold stays ours when its price is called otherwise', async () => {
    const own = await Shop.start();
    const person = await own.subscriber();
    const renamed = own.stripe.addPrice({ interval: 'month', amountCents: 799, isOfPlans: true });
    const settings = { ...own.stripe.settings(), STRIPE_PRICE_MONTHLY: renamed };
    const other = await Billing.start({ ...settings, DATABASE_URL: own.billing.database.url }, own.clock);
    own.stripe.sendTo(`${other.running.url}/v1/billing/webhook/stripe`);
    await own.stripe.pauseCollection(own.subscriptionsOf(person)[0]!.id);
    await own.settle();
    const { body } = await other.ask('GET', '/v1/billing/me', { token: other.tokens.token(person.id) });
    expect(body).toMatchObject({ tier: 'PREMIUM', subscription: { plan_code: 'premium_monthly' } });
    await other.close();
  });
});

describe('a customer who was deleted', () => {
  it('has no access, though only the deletion has an event', async () => {
    const person = await shop.subscriber();
    shop.stripe.mode('lost');
    await shop.stripe.deleteCustomer(customerOf(person));
    expect(await stateOf(person)).toMatchObject({ tier: 'PREMIUM' });
    await only(person, 'customer.deleted');
    expect(await stateOf(person)).toMatchObject({ tier: 'FREE', subscription: { status: 'CANCELED' } });
  });

  it('also before any other event of them', async () => {
    const person = shop.billing.person();
    const { body } = await shop.open(person);
    shop.stripe.mode('lost');
    await shop.stripe.pay(String(body.session_id));
    await shop.stripe.deleteCustomer(customerOf(person));
    await only(
      person,
      'customer.deleted',
      'customer.subscription.created',
      'checkout.session.completed',
      'invoice.paid',
    );
    expect(await stateOf(person)).toMatchObject({ tier: 'FREE' });
  });
});

it('an event 400 days in the future is not taken, and hides nothing that comes', async () => {
  const person = await shop.subscriber();
  const [update] = shop.made(person, 'customer.subscription.updated') as { created: number }[];
  const future = { ...update!, id: 'evt_future', created: update!.created + 400 * 86_400 };
  expect((await sendWith(future)).body).toMatchObject({ applied: false, reason: 'ignored_event_type' });
  await shop.stripe.pause(idOf(person));
  await eventually(async () => expect(await stateOf(person)).toMatchObject({ tier: 'FREE' }));
});

it('an event of the future waits while the provider cannot say whether it is its own', async () => {
  const person = await shop.subscriber();
  const [update] = shop.made(person, 'customer.subscription.updated') as { created: number }[];
  const future = { ...update!, id: 'evt_later', created: update!.created + 400 * 86_400 };
  shop.stripe.mode('error500');
  expect((await sendWith(future)).status).toBe(503);
  shop.stripe.mode('ok');
  expect((await sendWith(future)).body).toMatchObject({ applied: false, reason: 'ignored_event_type' });
  const stored = await shop.billing.database.dataSource.query<object[]>(
    `SELECT FROM provider_events WHERE id = 'evt_later'`,
  );
  expect(stored).toEqual([]);
});

it('150 deliveries of one customer at once keep nobody else waiting', async () => {
  const [busy, other] = [await shop.subscriber(), await shop.subscriber()];
  const [update] = shop.made(busy, 'customer.subscription.updated') as object[];
  const holder = shop.billing.database.dataSource.createQueryRunner();
  await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [customerOf(busy)]);
  const sent = Array.from({ length: 150 }, (_, n) => sendWith({ ...update!, id: `evt_busy_${n}` }));
  await eventually(async () => {
    const [waiting] = (await holder.query(
      `SELECT count(*)::integer AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
    )) as [{ n: number }];
    expect(waiting.n).toBe(1);
  });
  expect(await stateOf(other)).toMatchObject({ tier: 'PREMIUM' });
  await holder.query('SELECT pg_advisory_unlock_all()');
  await holder.release();
  for (const { status } of await Promise.all(sent)) expect([200, 503]).toContain(status);
});
