import { Shop } from './shop.fixture';

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start({}, { afterRetries: 'unpaid' });
});
afterEach(() => shop.stripe.mode('ok'));
afterAll(() => Shop.closeAll());

describe('somebody for whom the provider may still collect', () => {
  const refused = { error: 'already_subscribed', details: { portal_path: '/v1/billing/portal' } };

  it('is sold no second subscription when the first is past due beyond its grace, and is shown where to pay', async () => {
    const unpaid = await shop.subscriber('premium_monthly', 'good_then_declines');
    const person = await shop.daysLater(unpaid, 29);
    const before = { ...person };
    // The provider goes on trying for longer than access goes on.
    await shop.billing.database.dataSource.query("UPDATE subscriptions SET access_until = now() - interval '1 year'");
    const { status, body } = await shop.open(before);
    expect([status, body]).toEqual([
      400,
      { ...refused, message: expect.any(String), details: expect.objectContaining(refused.details) },
    ]);
    expect(body.details).toMatchObject({ payment_url: expect.stringMatching(/^http/) });
  });

  it('is sold none when it is unpaid or paused', async () => {
    for (const state of ['paused', 'unpaid'] as const) {
      const card = state === 'unpaid' ? 'good_then_declines' : 'good';
      let person = await shop.subscriber('premium_monthly', card);
      if (state === 'paused') await shop.stripe.pause(shop.subscriptionsOf(person)[0]!.id);
      person = await shop.daysLater(person, state === 'unpaid' ? 40 : 1);
      expect(shop.subscriptionsOf(person)).toMatchObject([{ status: state }]);
      expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE' });
      const { status, body } = await shop.open(person);
      expect([state, status, body.error]).toEqual([state, 400, 'already_subscribed']);
    }
  });

  it('is sold none when it was renewed and the news is late: the provider is asked', async () => {
    const subscriber = await shop.subscriber();
    shop.stripe.mode('late');
    const person = await shop.daysLater(subscriber, 45);
    expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE' });
    const { status, body } = await shop.open(person);
    expect([status, body.error]).toEqual([400, 'already_subscribed']);
    expect((await shop.me(person)).body).toMatchObject({ tier: 'PREMIUM' });
    expect(shop.subscriptionsOf(person)).toHaveLength(1);
  });

  it('is sold none without an event of the first one', async () => {
    const person = await shop.subscriber();
    for (const table of ['provider_events', 'subscriptions']) {
      await shop.billing.database.dataSource.query(`DELETE FROM ${table}`);
    }
    expect((await shop.open(person)).body.error).toBe('already_subscribed');
  });

  it('is sold one again when the first has ended, also without an event of that', async () => {
    const subscriber = await shop.subscriber();
    await shop.post(subscriber, 'cancel');
    await shop.settle();
    shop.stripe.mode('lost');
    const person = await shop.daysLater(subscriber, 40);
    expect((await shop.open(person)).status).toBe(201);
  });
});
