import { randomUUID } from 'node:crypto';
import { UserDeleted, UserRegistered, UserVerified } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import type { Person } from '../billing.fixture';
import { StripeApi } from '../provider/stripe-api';
import { Shop } from './shop.fixture';

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start();
});
afterAll(() => Shop.closeAll());
afterEach(() => shop.stripe.mode('ok'));

const sessionsOf = (person: Person) => shop.checkouts(person).then((rows) => rows.map((row) => row.session_id));

describe('a checkout', () => {
  it('answers with a page of the provider, and grants nothing', async () => {
    const person = shop.billing.person();
    const { status, body } = await shop.open(person);
    expect([status, body]).toEqual([
      201,
      {
        provider: 'stripe',
        plan: 'premium_monthly',
        session_id: expect.stringMatching(/^cs_test_/),
        checkout_url: expect.stringContaining(shop.stripe.url),
      },
    ]);
    expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE', subscription: null });
  });

  it('names the user and the plan to the provider', async () => {
    const person = await shop.subscriber('premium_yearly');
    const [customer] = shop.made(person, 'customer.created') as [{ data: { object: { metadata: object } } }];
    expect(customer.data.object.metadata).toEqual({ user_id: person.id });
    const [completed] = shop.made(person, 'checkout.session.completed') as [{ data: { object: object } }];
    const metadata = { user_id: person.id, plan_code: 'premium_yearly' };
    expect(completed.data.object).toMatchObject({ client_reference_id: person.id, metadata });
    expect(shop.subscriptionsOf(person)).toMatchObject([{ metadata, status: 'active' }]);
    expect((await shop.me(person)).body).toMatchObject({ tier: 'PREMIUM', subscription: { provider: 'STRIPE' } });
  });

  it.each([
    ['no body', undefined, 'malformed_json'],
    ['no plan', {}, 'validation_failed'],
    ['no text', { plan: 7 }, 'validation_failed'],
    ['more than a plan', { plan: 'premium_monthly', price: 1 }, 'validation_failed'],
    ['an unknown plan', { plan: 'gold' }, 'unknown_plan'],
    ['the free plan', { plan: 'free' }, 'plan_not_purchasable'],
  ])('refuses %s', async (_, body, error) => {
    const refused = await shop.post(shop.billing.person(), 'checkout', body);
    expect([refused.status, refused.body.error]).toEqual([400, error]);
  });

  it('is refused to whom a subscription gives access, and not to whom a grant does', async () => {
    const subscriber = await shop.subscriber();
    const { status, body } = await shop.open(subscriber, 'premium_yearly');
    expect([status, body.error, body.details]).toEqual([
      400,
      'already_subscribed',
      { portal_path: '/v1/billing/portal', change_plan_path: '/v1/billing/change-plan' },
    ]);
    const granted = shop.billing.person();
    await shop.billing.database.dataSource.query(
      `INSERT INTO grants (id, user_id, note, granted_at) VALUES ($1, $2, 'thanks', now())`,
      [randomUUID(), granted.id],
    );
    expect((await shop.open(granted)).status).toBe(201);
  });

  it('answers a repeated Idempotency-Key with the stored answer', async () => {
    const person = shop.billing.person();
    const headers = { 'idempotency-key': 'first try' };
    const first = await shop.post(person, 'checkout', { plan: 'premium_monthly' }, { headers });
    const again = await shop.post(person, 'checkout', { plan: 'premium_monthly' }, { headers });
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    const other = await shop.post(person, 'checkout', { plan: 'premium_yearly' }, { headers });
    expect([other.status, other.body.error]).toEqual([409, 'idempotency_key_reused']);
  });
});

describe('a page', () => {
  it('that is open is answered again', async () => {
    const person = shop.billing.person();
    const first = await shop.open(person);
    expect((await shop.open(person)).body).toEqual(first.body);
    expect(await sessionsOf(person)).toEqual([first.body.session_id]);
  });

  it('is one, however many ask at once', async () => {
    for (let round = 0; round < 20; round++) {
      const person = shop.billing.person();
      const replies = await Promise.all([shop.open(person), shop.open(person), shop.open(person)]);
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(new Set(replies.map(({ body }) => body.session_id)).size).toBe(1);
      expect(shop.made(person, 'customer.created')).toHaveLength(1);
    }
  });

  it('of another plan ends it', async () => {
    const person = shop.billing.person();
    const monthly = await shop.open(person, 'premium_monthly');
    const yearly = await shop.open(person, 'premium_yearly');
    expect([yearly.status, yearly.body.plan]).toEqual([201, 'premium_yearly']);
    await expect(shop.stripe.pay(String(monthly.body.session_id))).rejects.toThrow('expired');
    await shop.stripe.pay(String(yearly.body.session_id));
    expect(shop.subscriptionsOf(person)).toHaveLength(1);
  });

  it('leaves one page of one plan open, when both plans are asked for at once', async () => {
    for (let round = 0; round < 20; round++) {
      const person = shop.billing.person();
      const answers = await Promise.all([shop.open(person, 'premium_monthly'), shop.open(person, 'premium_yearly')]);
      const ids = (await sessionsOf(person)).filter((id) => id !== null);
      const paid = await Promise.allSettled(ids.map((id) => shop.stripe.pay(id)));
      const [open, ...more] = ids.filter((_, place) => paid[place]!.status === 'fulfilled');
      expect(more).toEqual([]);
      expect(answers.map(({ body }) => body.session_id)).toContain(open);
    }
  });

  it('that another request has made and ended meanwhile is not answered', async () => {
    const person = shop.billing.person();
    const { body: ended } = await shop.open(person, 'premium_monthly');
    // As a request sees it that claimed the page before the other one had its session.
    await shop.billing.database.dataSource.query('UPDATE checkouts SET session_id = NULL WHERE user_id = $1', [
      person.id,
    ]);
    const provider = shop.billing.app.get(StripeApi, { strict: false });
    await provider.call((stripe) => stripe.checkout.sessions.expire(String(ended.session_id)));
    const { status, body } = await shop.open(person, 'premium_monthly');
    expect(status).toBe(201);
    expect(body.session_id).not.toBe(ended.session_id);
    await shop.stripe.pay(String(body.session_id));
    expect(shop.subscriptionsOf(person)).toHaveLength(1);
  });

  it('that nobody paid in a day is replaced', async () => {
    const person = shop.billing.person();
    const first = await shop.open(person);
    await shop.stripe.advance(new Date(shop.clock.now().getTime() + 25 * 3_600_000));
    const second = await shop.open({ ...person, token: shop.billing.tokens.token(person.id) });
    expect(second.status).toBe(201);
    expect(second.body.session_id).not.toBe(first.body.session_id);
  });

  it('that was paid is not paid twice, however late the news of it is', async () => {
    const person = shop.billing.person();
    const { body: page } = await shop.open(person);
    shop.stripe.mode('late');
    await shop.stripe.pay(String(page.session_id));
    await shop.settle();
    expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE' });
    const { status, body } = await shop.open(person);
    expect([status, body.error]).toEqual([400, 'already_subscribed']);
    const paid = await shop.me(person);
    expect(paid.body).toMatchObject({ tier: 'PREMIUM', subscription: { status: 'ACTIVE' } });
    // Then the news comes: all of it says what is known.
    await shop.stripe.deliverHeldBack();
    expect((await shop.me(person)).body).toEqual(paid.body);
    expect((await shop.checkouts(person)).map(({ closed_at: closed }) => closed !== null)).toEqual([true]);
  });

  it('is a new one for whom the subscription has ended', async () => {
    const person = await shop.subscriber();
    const { customer, id } = shop.subscriptionsOf(person)[0]!;
    await shop.stripe.deleteCustomer(customer as string);
    await shop.settle();
    const { status, body } = await shop.open(person);
    expect([status, body.plan]).toEqual([201, 'premium_monthly']);
    await shop.stripe.pay(String(body.session_id));
    const [again] = shop.subscriptionsOf(person).filter((one) => one.id !== id);
    expect(again!.customer).not.toBe(customer);
  });
});

describe('somebody who has left', () => {
  it('buys nothing any more', async () => {
    const person = shop.billing.person();
    const data = { userId: person.id, receiptId: randomUUID(), deletedAt: shop.clock.now().toISOString() };
    await shop.billing.accounts.publish({ event: UserDeleted, key: person.id, data, at: shop.clock.now() });
    await eventually(async () => expect((await shop.me(person)).status).toBe(401));
    expect((await shop.open(person)).status).toBe(401);
    expect(shop.made(person, 'customer.created')).toEqual([]);
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
    await holder.query('INSERT INTO departures (user_id, asked_at, due_at, done_at) VALUES ($1, now(), now(), now())', [
      person.id,
    ]);
    await holder.commitTransaction();
    await holder.release();
    expect((await opening).status).toBe(401);
    expect(pages()).toBe(before);
    await eventually(() => expect(shop.made(person, 'customer.deleted')).toHaveLength(1), { withinMs: 20_000 });
  });
});

describe('a verified address', () => {
  let careful: Shop;
  beforeAll(async () => {
    careful = await Shop.start({ REQUIRE_VERIFIED_EMAIL_FOR_CHECKOUT: 'on' });
  });

  it('is asked for, when the settings say so', async () => {
    const person = careful.billing.person();
    const at = careful.clock.now();
    await careful.billing.accounts.publish({
      event: UserRegistered,
      key: person.id,
      at,
      data: { userId: person.id, registeredAt: at.toISOString() },
    });
    const { status, body } = await careful.open(person);
    expect([status, body.error, body.details]).toEqual([
      400,
      'validation_failed',
      { issues: [{ path: '/email', code: 'conflict', message: expect.stringContaining('verified') }] },
    ]);
    await careful.billing.accounts.publish({
      event: UserVerified,
      key: person.id,
      at,
      data: { userId: person.id, verifiedAt: at.toISOString() },
    });
    await eventually(async () => expect((await careful.open(person)).status).toBe(201));
  });
});

describe('a trial', () => {
  let generous: Shop;
  beforeAll(async () => {
    generous = await Shop.start({ BILLING_TRIAL_DAYS: '14' });
  });

  it('is for whom never subscribed', async () => {
    const person = await generous.subscriber();
    expect((await generous.me(person)).body).toMatchObject({
      tier: 'PREMIUM',
      premium_until: '2026-02-17T12:00:00.000Z',
      subscription: { status: 'TRIALING', trial_end: '2026-02-14T12:00:00.000Z' },
    });
    const { customer } = generous.subscriptionsOf(person)[0]!;
    await generous.stripe.deleteCustomer(customer as string);
    await generous.settle();
    const { body } = await generous.open(person);
    await generous.stripe.pay(String(body.session_id));
    await generous.settle();
    expect((await generous.me(person)).body).toMatchObject({
      subscription: { status: 'ACTIVE', trial_end: null },
    });
  });
});
