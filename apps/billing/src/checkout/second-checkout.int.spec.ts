import { Shop } from './shop.fixture';

afterAll(() => Shop.closeAll());

describe('somebody for whom the provider may still collect', () => {
  const refused = { error: 'already_subscribed', details: { portal_path: '/v1/billing/portal' } };

  it('is sold no second subscription when the first is past due beyond its grace, and is shown where to pay', async () => {
    const own = await Shop.start();
    const unpaid = await own.subscriber('premium_monthly', 'good_then_declines');
    const person = await own.daysLater(unpaid, 29);
    const before = { ...person };
    // The provider goes on trying for longer than access goes on.
    await own.billing.database.dataSource.query("UPDATE subscriptions SET access_until = now() - interval '1 year'");
    const { status, body } = await own.open(before);
    expect([status, body]).toEqual([
      400,
      { ...refused, message: expect.any(String), details: expect.objectContaining(refused.details) },
    ]);
    expect(body.details).toMatchObject({ payment_url: expect.stringMatching(/^http/) });
  });

  it('is sold none when it is unpaid or paused', async () => {
    for (const state of ['paused', 'unpaid'] as const) {
      const own = await Shop.start({}, { afterRetries: 'unpaid' });
      const card = state === 'unpaid' ? 'good_then_declines' : 'good';
      let person = await own.subscriber('premium_monthly', card);
      if (state === 'paused') await own.stripe.pause(own.subscriptionsOf(person)[0]!.id);
      person = await own.daysLater(person, state === 'unpaid' ? 40 : 1);
      expect(own.subscriptionsOf(person)).toMatchObject([{ status: state }]);
      expect((await own.me(person)).body).toMatchObject({ tier: 'FREE' });
      const { status, body } = await own.open(person);
      expect([state, status, body.error]).toEqual([state, 400, 'already_subscribed']);
    }
  });

  it('is sold none when it was renewed and the news is late: the provider is asked', async () => {
    const own = await Shop.start();
    const subscriber = await own.subscriber();
    own.stripe.mode('late');
    const person = await own.daysLater(subscriber, 45);
    expect((await own.me(person)).body).toMatchObject({ tier: 'FREE' });
    const { status, body } = await own.open(person);
    expect([status, body.error]).toEqual([400, 'already_subscribed']);
    expect((await own.me(person)).body).toMatchObject({ tier: 'PREMIUM' });
    expect(own.subscriptionsOf(person)).toHaveLength(1);
  });

  it('is sold none when nobody has told of the first one', async () => {
    const own = await Shop.start();
    const person = await own.subscriber();
    for (const table of ['provider_events', 'subscriptions']) {
      await own.billing.database.dataSource.query(`DELETE FROM ${table}`);
    }
    expect((await own.open(person)).body.error).toBe('already_subscribed');
  });

  it('is sold one again when what lived has ended, though nobody has told of that', async () => {
    const own = await Shop.start();
    const subscriber = await own.subscriber();
    await own.post(subscriber, 'cancel');
    await own.settle();
    own.stripe.mode('lost');
    const person = await own.daysLater(subscriber, 40);
    expect((await own.open(person)).status).toBe(201);
  });
});
