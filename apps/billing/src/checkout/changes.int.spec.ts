import { SubscriptionChanged } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import type { Person } from '../billing.fixture';
import { DAY_MS, Shop } from './shop.fixture';

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start();
});
afterAll(() => Shop.closeAll());
afterEach(() => shop.stripe.mode('ok'));

const customerOf = (person: Person) => shop.subscriptionsOf(person)[0]!.customer as string;

describe('somebody without a subscription', () => {
  it.each([
    ['portal', undefined],
    ['cancel', undefined],
    ['resume', undefined],
    ['change-plan', { plan: 'premium_yearly' }],
    ['change-plan', { plan: 'premium_yearly', preview: true }],
  ])('has nothing to %s', async (route, body) => {
    const refused = await shop.post(shop.billing.person(), route, body);
    expect([refused.status, refused.body.error, refused.body.details]).toEqual([
      400,
      'no_subscription',
      { upgrade_path: '/v1/billing/checkout', plans_path: '/v1/billing/plans' },
    ]);
  });
});

describe('the portal', () => {
  it('opens at its first page, or where the card is changed', async () => {
    const person = await shop.subscriber();
    for (const body of [undefined, {}, { flow: 'payment_method' }]) {
      const { status, body: page } = await shop.post(person, 'portal', body);
      expect([status, page]).toEqual([200, { portal_url: expect.stringContaining(`${shop.stripe.url}/portal/`) }]);
    }
    const opened = shop.stripe.events.filter(({ type }) => type === 'billing_portal.session.created');
    expect(opened.at(-1)!.data.object).toMatchObject({
      customer: customerOf(person),
      return_url: 'http://localhost:8080',
      flow: { type: 'payment_method_update' },
    });
  });

  it('has no other flow', async () => {
    const { status, body } = await shop.post(await shop.subscriber(), 'portal', { flow: 'refund' });
    expect([status, body.error]).toEqual([400, 'validation_failed']);
  });

  it('is not there for a customer whom the provider has deleted', async () => {
    const person = await shop.subscriber();
    await shop.stripe.deleteCustomer(customerOf(person));
    const { status, body } = await shop.post(person, 'portal');
    expect([status, body.error]).toEqual([400, 'no_subscription']);
  });
});

describe('a cancelled subscription', () => {
  const scheduled = {
    tier: 'PREMIUM',
    premium_until: '2026-02-28T12:00:00.000Z',
    subscription: { status: 'ACTIVE', cancel_at_period_end: true, cancel_at: '2026-02-28T12:00:00.000Z' },
  };
  const renewing = {
    tier: 'PREMIUM',
    premium_until: '2026-03-03T12:00:00.000Z',
    subscription: { status: 'ACTIVE', cancel_at_period_end: false, cancel_at: null },
  };

  it('gives access until its period ends, and can be resumed until then', async () => {
    const own = await Shop.start();
    const person = await own.subscriber();
    // Repeated, and several at once.
    for (const [route, state] of [
      ['cancel', scheduled],
      ['resume', renewing],
      ['cancel', scheduled],
    ] as const) {
      for (let times = 0; times < 2; times++) {
        const replies = await Promise.all([own.post(person, route), own.post(person, route)]);
        for (const { status, body } of replies) expect([status, body]).toEqual([200, expect.objectContaining({})]);
        for (const { body } of replies) expect(body).toMatchObject(state);
      }
      await own.settle();
      expect((await own.post(person, route)).body).toMatchObject(state);
      expect((await own.me(person)).body).toMatchObject(state);
      await own.settle();
    }
    const events = (await own.billing.events(person.id)).filter(({ type }) => type === SubscriptionChanged.type);
    const ends = events.map(({ data }) => (data.subscriptions as { cancelAt: string | null }[])[0]!.cancelAt);
    expect(ends.filter((end, index) => index === 0 || end !== ends[index - 1])).toEqual([
      null,
      '2026-02-28T12:00:00.000Z',
      null,
      '2026-02-28T12:00:00.000Z',
    ]);
    // Without any news: by the clock alone.
    own.clock.advanceMs(28 * DAY_MS);
    const after = { ...person, token: own.billing.tokens.token(person.id) };
    expect((await own.me(after)).body).toMatchObject({ tier: 'FREE', premium_until: null });
  });

  it('says what was done in this very second, and looks again later', async () => {
    const person = await shop.subscriber();
    for (const route of ['cancel', 'resume', 'cancel']) {
      const { body } = await shop.post(person, route);
      expect(body).toMatchObject({ subscription: { cancel_at_period_end: route === 'cancel' } });
    }
    const { id } = shop.subscriptionsOf(person)[0]!;
    const waiting = await shop.billing.database.dataSource.query(
      `SELECT reason FROM provider_reads WHERE kind = 'subscription' AND id = $1`,
      [id],
    );
    expect(waiting).toEqual([{ reason: 'equal_second' }]);
  });

  it('is resumed also when the news of its end is late', async () => {
    const person = await shop.subscriber();
    const { id } = shop.subscriptionsOf(person)[0]!;
    shop.stripe.mode('late');
    await shop.stripe.scheduleEnd(id, new Date('2026-06-01T00:00:00Z'));
    const { status, body } = await shop.post(person, 'resume');
    expect([status, body.subscription]).toMatchObject([200, { cancel_at: null, cancel_at_period_end: false }]);
    expect(shop.subscriptionsOf(person)[0]).toMatchObject({ cancel_at: null });
  });

  it('with an end in the middle of its period shows that end, and cancelling moves it to no later one', async () => {
    const person = await shop.subscriber();
    const { id } = shop.subscriptionsOf(person)[0]!;
    await shop.stripe.scheduleEnd(id, new Date('2026-02-15T00:00:00Z'));
    await shop.settle();
    const end = '2026-02-15T00:00:00.000Z';
    const shown = {
      tier: 'PREMIUM',
      premium_until: end,
      subscription: { current_period_end: end, cancel_at: end, cancel_at_period_end: true },
    };
    expect((await shop.me(person)).body).toMatchObject(shown);
    expect((await shop.post(person, 'cancel')).body).toMatchObject(shown);
    // Of a later period: it renews before.
    await shop.stripe.scheduleEnd(id, new Date('2026-03-10T00:00:00Z'));
    await shop.settle();
    expect((await shop.me(person)).body).toMatchObject({
      subscription: { cancel_at: '2026-03-10T00:00:00.000Z', cancel_at_period_end: false },
    });
  });

  it('cannot be resumed after its end, also without an event of it', async () => {
    const person = await shop.subscriber();
    await shop.post(person, 'cancel');
    await shop.settle();
    shop.stripe.mode('lost');
    await shop.stripe.advance(new Date(shop.clock.now().getTime() + 40 * DAY_MS));
    const later = { ...person, token: shop.billing.tokens.token(person.id) };
    const { status, body } = await shop.post(later, 'resume');
    expect([status, body.error]).toEqual([400, 'no_subscription']);
    expect((await shop.me(later)).body).toMatchObject({ tier: 'FREE', subscription: { status: 'CANCELED' } });
  });
});

describe('another plan', () => {
  it('costs what the preview says: upward now, downward as credit', async () => {
    const person = await shop.daysLater(await shop.subscriber(), 14);
    const upward = await shop.post(person, 'change-plan', { plan: 'premium_yearly', preview: true });
    expect([upward.status, upward.body]).toEqual([
      200,
      {
        due_now: {
          cents: expect.any(Number),
          amount: expect.stringMatching(/^5\d\.\d\d$/),
          currency: 'USD',
          display: expect.stringMatching(/^\$5\d\.\d\d$/),
        },
        next: {
          cents: 5_999,
          amount: '59.99',
          currency: 'USD',
          display: '$59.99',
          at: expect.stringMatching(/^2027-/),
        },
      },
    ]);
    expect((await shop.me(person)).body).toMatchObject({ subscription: { plan_code: 'premium_monthly' } });

    const changed = await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
    const yearly = { tier: 'PREMIUM', subscription: { plan_code: 'premium_yearly', status: 'ACTIVE' } };
    expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ tier: 'PREMIUM' })]);
    expect(changed.body).toMatchObject(yearly);
    const { cents } = upward.body.due_now as { cents: number };
    const customer = customerOf(person);
    const invoices = () => shop.stripe.invoices.filter((invoice) => invoice.customer === customer);
    expect(invoices().at(-1)).toMatchObject({ status: 'paid', amount_paid: cents });
    expect((await shop.post(person, 'change-plan', { plan: 'premium_yearly' })).body).toMatchObject(yearly);
    expect(invoices()).toHaveLength(2);

    shop.clock.advanceMs(60_000);
    const downward = await shop.post(person, 'change-plan', { plan: 'premium_monthly', preview: true });
    expect(downward.body).toMatchObject({ due_now: { cents: 0, display: '$0.00' }, next: { cents: 0 } });
    const back = await shop.post(person, 'change-plan', { plan: 'premium_monthly' });
    expect(back.body).toMatchObject({ tier: 'PREMIUM', subscription: { plan_code: 'premium_monthly' } });
    expect(invoices().at(-1)).toMatchObject({ amount_paid: 0 });
  });

  it('costs less with a discount, now and later', async () => {
    const person = await shop.subscriber();
    await shop.stripe.discount(shop.subscriptionsOf(person)[0]!.id, { percentOff: 50 });
    await shop.settle();
    const { body } = await shop.post(person, 'change-plan', { plan: 'premium_yearly', preview: true });
    // Half of 59.99, less what is left of half of 7.99.
    expect(body).toMatchObject({ due_now: { amount: expect.stringMatching(/^2[56]\.\d\d$/) }, next: { cents: 2_999 } });
    await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
    const { cents } = body.due_now as { cents: number };
    const invoices = shop.stripe.invoices.filter(({ customer }) => customer === customerOf(person));
    expect(invoices.at(-1)).toMatchObject({ status: 'paid', amount_paid: cents });
  });

  it('changes nothing when the card is refused', async () => {
    const person = await shop.subscriber();
    await shop.stripe.setCard(customerOf(person), 'declines');
    const { status, body } = await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
    expect([status, body.error, body.details]).toEqual([
      402,
      'payment_declined',
      { portal_path: '/v1/billing/portal' },
    ]);
    expect((await shop.me(person)).body).toMatchObject({
      subscription: { plan_code: 'premium_monthly', status: 'ACTIVE' },
    });
  });

  it.each([
    [{ plan: 'gold' }, 'unknown_plan'],
    [{ plan: 'free' }, 'plan_not_purchasable'],
    [{ plan: 'premium_yearly', preview: 'yes' }, 'validation_failed'],
  ])('is refused for %j', async (wanted, error) => {
    const { status, body } = await shop.post(await shop.subscriber(), 'change-plan', wanted);
    expect([status, body.error]).toEqual([400, error]);
  });

  it('costs nothing within a trial', async () => {
    const generous = await Shop.start({ BILLING_TRIAL_DAYS: '14' });
    const person = await generous.subscriber();
    const preview = await generous.post(person, 'change-plan', { plan: 'premium_yearly', preview: true });
    expect(preview.body).toMatchObject({
      due_now: { cents: 0 },
      next: { cents: 5_999, at: '2026-02-14T12:00:00.000Z' },
    });
    const { body } = await generous.post(person, 'change-plan', { plan: 'premium_yearly' });
    expect(body).toMatchObject({ subscription: { plan_code: 'premium_yearly', status: 'TRIALING' } });
  });
});

describe('while a payment fails', () => {
  it('access goes on for a week, and the state has the page to pay', async () => {
    const person = await shop.daysLater(await shop.subscriber('premium_monthly', 'good_then_declines'), 33);
    const { body } = await shop.post(person, 'resume');
    expect(body).toMatchObject({
      tier: 'PREMIUM',
      subscription: { status: 'PAST_DUE', payment_url: expect.stringMatching(/^http/) },
    });
    const { subscription, premium_until: until } = (await shop.me(person)).body as {
      subscription: Record<string, string>;
      premium_until: string;
    };
    expect(Date.parse(until) - Date.parse(subscription['past_due_since']!)).toBe(7 * DAY_MS);
    expect(subscription['in_grace_until']).toBe(until);
    shop.clock.advanceMs(8 * DAY_MS);
    const later = { ...person, token: shop.billing.tokens.token(person.id) };
    await eventually(async () => expect((await shop.me(later)).body).toMatchObject({ tier: 'FREE' }));
  });
});
