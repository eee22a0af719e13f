import { randomUUID } from 'node:crypto';
import { UserDeleted, UserVerified } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { Shop } from './shop.fixture';

const shop = Shop.forSuite({}, () => ({ afterRetries: 'unpaid' }));

const refusal = async (reply: ReturnType<Shop['open']>) => {
  const { status, body } = await reply;
  return [status, body.error];
};
const ALREADY = [400, 'already_subscribed'];

describe('a checkout', () => {
  it('answers with a page that names user and plan to the provider, and grants nothing before it is paid', async () => {
    const person = shop.billing.person();
    const { status, body } = await shop.open(person, 'premium_yearly');
    const ids = {
      session_id: expect.stringMatching(/^cs_test_/),
      checkout_url: expect.stringContaining(shop.stripe.url),
    };
    expect([status, body]).toEqual([201, { provider: 'stripe', plan: 'premium_yearly', ...ids }]);
    expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE', subscription: null });
    await shop.stripe.pay(String(body.session_id));
    const { id: user_id } = person;
    const metadata = { user_id, plan_code: 'premium_yearly' };
    expect(shop.made(person, 'customer.created')).toMatchObject([{ data: { object: { metadata: { user_id } } } }]);
    expect(shop.made(person, 'checkout.session.completed')).toMatchObject([
      { data: { object: { client_reference_id: user_id, metadata } } },
    ]);
    expect(shop.subscriptionOf(person)).toMatchObject({ metadata, status: 'active' });
    expect((await shop.me(person)).body).toMatchObject({ tier: 'PREMIUM', subscription: { provider: 'STRIPE' } });
  });

  it.each([
    [undefined, 'malformed_json'],
    [{}, 'validation_failed'],
    [{ plan: 'premium_monthly', price: 1 }, 'validation_failed'],
    [{ plan: 'gold' }, 'unknown_plan'],
    [{ plan: 'free' }, 'plan_not_purchasable'],
  ])('refuses %j', async (body, error) => {
    expect(await refusal(shop.post(shop.billing.person(), 'checkout', body))).toEqual([400, error]);
  });

  it('answers a repeated Idempotency-Key with the stored answer', async () => {
    const person = shop.billing.person();
    const ask = (plan: string) =>
      shop.post(person, 'checkout', { plan }, { headers: { 'idempotency-key': 'first try' } });
    const first = await ask('premium_monthly');
    const again = await ask('premium_monthly');
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    expect(await refusal(ask('premium_yearly'))).toEqual([409, 'idempotency_key_reused']);
  });

  it('is for verified addresses when the settings say so', async () => {
    const careful = await Shop.start({ REQUIRE_VERIFIED_EMAIL_FOR_CHECKOUT: 'on' });
    const person = careful.billing.person();
    const { status, body } = await careful.open(person);
    const issues = [{ path: '/email', code: 'conflict', message: expect.stringContaining('verified') }];
    expect([status, body.error, body.details]).toEqual([400, 'validation_failed', { issues }]);
    const data = { userId: person.id, verifiedAt: careful.clock.now().toISOString() };
    await careful.billing.accounts.publish({ event: UserVerified, key: person.id, at: careful.clock.now(), data });
    await eventually(async () => expect((await careful.open(person)).status).toBe(201));
  });

  it('has a trial for whom never subscribed', async () => {
    const generous = await Shop.start({ BILLING_TRIAL_DAYS: '14' });
    const person = await generous.subscriber();
    expect((await generous.me(person)).body).toMatchObject({
      premium_until: '2026-02-17T12:00:00.000Z',
      subscription: { status: 'TRIALING', trial_end: '2026-02-14T12:00:00.000Z' },
    });
    await generous.stripe.deleteCustomer(generous.subscriptionOf(person).customer);
    await generous.settle();
    await generous.paid(person);
    await generous.settle();
    expect((await generous.me(person)).body).toMatchObject({ subscription: { status: 'ACTIVE', trial_end: null } });
  });
});

describe('a page', () => {
  it('is one, however many ask at once', async () => {
    for (let round = 0; round < 20; round++) {
      const person = shop.billing.person();
      const replies = await Promise.all([shop.open(person), shop.open(person), shop.open(person)]);
      replies.push(await shop.open(person));
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(new Set(replies.map(({ body }) => body.session_id)).size).toBe(1);
      expect(shop.made(person, 'customer.created')).toHaveLength(1);
    }
  });

  it('of another plan ends it; of both plans at once one stays open', async () => {
    for (let round = 0; round < 20; round++) {
      const person = shop.billing.person();
      const plans = ['premium_monthly', 'premium_yearly'] as const;
      const answers = await Promise.all(plans.map((plan) => shop.open(person, plan)));
      answers.push(await shop.open(person, plans[round % 2]));
      const ids = (await shop.checkouts(person)).flatMap(({ session_id: id }) => id ?? []);
      const paid = await Promise.allSettled(ids.map((id) => shop.stripe.pay(id)));
      expect(ids.filter((_, index) => paid[index]!.status === 'fulfilled')).toEqual([answers.at(-1)!.body.session_id]);
    }
  });

  it('that another request has made and ended meanwhile is not answered', async () => {
    const person = shop.billing.person();
    const { body: ended } = await shop.open(person);
    // As a request sees it that claimed the page before the other one had its session.
    await shop.query('UPDATE checkouts SET session_id = NULL WHERE user_id = $1', [person.id]);
    await shop.call((stripe) => stripe.checkout.sessions.expire(String(ended.session_id)));
    const { status, body } = await shop.open(person);
    expect([status, body.session_id === ended.session_id]).toEqual([201, false]);
  });

  it('that nobody paid in a day is replaced', async () => {
    const person = shop.billing.person();
    const first = await shop.open(person);
    const second = await shop.open(await shop.daysLater(person, 1.1));
    expect([second.status, second.body.session_id === first.body.session_id]).toEqual([201, false]);
  });

  it('that was paid is not paid twice, however late the news of it is', async () => {
    const person = shop.billing.person();
    shop.stripe.mode('late');
    await shop.paid(person);
    await shop.settle();
    expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE' });
    expect(await refusal(shop.open(person))).toEqual(ALREADY);
    const paid = await shop.me(person);
    expect(paid.body).toMatchObject({ tier: 'PREMIUM', subscription: { status: 'ACTIVE' } });
    // Then the news comes: all of it says what is known.
    await shop.stripe.deliverHeldBack();
    expect((await shop.me(person)).body).toEqual(paid.body);
    expect(await shop.checkouts(person)).toMatchObject([{ closed_at: expect.any(Date) }]);
  });
});

describe('somebody for whom the provider may still collect is sold no second subscription', () => {
  it('while one gives access; a grant is none', async () => {
    const person = await shop.subscriber();
    const { status, body } = await shop.open(person, 'premium_yearly');
    expect([status, body.error, body.details]).toEqual([
      ...ALREADY,
      { portal_path: '/v1/billing/portal', change_plan_path: '/v1/billing/change-plan' },
    ]);
    const granted = shop.billing.person();
    const grant = `INSERT INTO grants (id, user_id, note, granted_at) VALUES (gen_random_uuid(), $1, 'thanks', now())`;
    await shop.query(grant, [granted.id]);
    expect((await shop.open(granted)).status).toBe(201);
  });

  it('when it is past due beyond its grace, and is shown where to pay', async () => {
    const person = await shop.daysLater(await shop.subscriber('premium_monthly', 'good_then_declines'), 29);
    // The provider goes on trying for longer than access goes on.
    await shop.query(`UPDATE subscriptions SET access_until = now() - interval '1 year' WHERE user_id = $1`, [
      person.id,
    ]);
    const { status, body } = await shop.open(person);
    expect([status, body.error, body.details]).toMatchObject([
      ...ALREADY,
      { payment_url: expect.stringMatching(/^http/) },
    ]);
  });

  it.each([
    ['paused', 'good', 1],
    ['unpaid', 'good_then_declines', 40],
  ] as const)('when it is %s', async (state, card, days) => {
    const subscriber = await shop.subscriber('premium_monthly', card);
    if (state === 'paused') await shop.stripe.pause(shop.subscriptionOf(subscriber).id);
    const person = await shop.daysLater(subscriber, days);
    expect(shop.subscriptionOf(person).status).toBe(state);
    expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE' });
    expect(await refusal(shop.open(person))).toEqual(ALREADY);
  });

  it('when the news of its renewal is late, and when there is no event of it at all: the provider is asked', async () => {
    const subscriber = await shop.subscriber();
    shop.stripe.mode('late');
    const person = await shop.daysLater(subscriber, 45);
    expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE' });
    expect(await refusal(shop.open(person))).toEqual(ALREADY);
    expect((await shop.me(person)).body).toMatchObject({ tier: 'PREMIUM' });
    const { id } = shop.subscriptionOf(person);
    for (const table of ['provider_events', 'subscriptions']) {
      await shop.query(`DELETE FROM ${table} WHERE subscription_id = $1`, [id]);
    }
    shop.clock.advanceMs(60_000);
    expect(await refusal(shop.open(person))).toEqual(ALREADY);
  });

  it('but one again when the first has ended, also without an event of that, or its customer is gone', async () => {
    const subscriber = await shop.subscriber();
    await shop.post(subscriber, 'cancel');
    await shop.settle();
    shop.stripe.mode('lost');
    const person = await shop.daysLater(subscriber, 40);
    const first = shop.subscriptionOf(person);
    await shop.stripe.deleteCustomer(first.customer);
    expect((await shop.paid(person)).customer).not.toBe(first.customer);
  });
});

describe('somebody who has left', () => {
  it('buys nothing any more', async () => {
    const person = shop.billing.person();
    const data = { userId: person.id, receiptId: randomUUID(), deletedAt: shop.clock.now().toISOString() };
    await shop.billing.accounts.publish({ event: UserDeleted, key: person.id, data, at: shop.clock.now() });
    await eventually(async () => expect((await shop.me(person)).status).toBe(401));
    // Also where the news of the end of their sessions is late.
    await shop.query('DELETE FROM revoked_sessions');
    expect((await shop.open(person)).status).toBe(401);
  });

  it('leaves once more, when their customer was made at the same time', async () => {
    const person = shop.billing.person();
    const pages = () => shop.calls.filter(({ request: { path } }) => path.endsWith('/checkout/sessions')).length;
    const before = pages();
    // Until it ends, a customer whom the provider has made is not stored.
    const holder = shop.billing.database.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('LOCK TABLE customers IN SHARE MODE');
    const opening = shop.open(person);
    await eventually(() => expect(shop.made(person, 'customer.created')).toHaveLength(1));
    // The check of the checkout was before, and the worker had nothing to end.
    const left = 'INSERT INTO departures (user_id, asked_at, due_at, done_at) VALUES ($1, now(), now(), now())';
    await holder.query(left, [person.id]);
    await holder.commitTransaction();
    await holder.release();
    expect((await opening).status).toBe(401);
    expect(pages()).toBe(before);
    await eventually(() => expect(shop.made(person, 'customer.deleted')).toHaveLength(1), { withinMs: 20_000 });
  });
});
