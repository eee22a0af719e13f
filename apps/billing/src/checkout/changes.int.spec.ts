import { SubscriptionChanged } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import type { Person } from '../billing.fixture';
import { DAY_MS, Shop } from './shop.fixture';

const shop = Shop.forSuite();

const NOTHING = {
  status: 400,
  body: {
    error: 'no_subscription',
    details: { upgrade_path: '/v1/billing/checkout', plans_path: '/v1/billing/plans' },
  },
};
const invoicesOf = (person: Person) =>
  shop.stripe.invoices.filter(({ customer }) => customer === shop.subscriptionOf(person).customer);

it.each([
  ['portal', { flow: 'refund' }, 'validation_failed'],
  ['change-plan', { plan: 'gold' }, 'unknown_plan'],
  ['change-plan', { plan: 'free' }, 'plan_not_purchasable'],
  ['change-plan', { plan: 'premium_yearly', preview: 'yes' }, 'validation_failed'],
])('%s refuses %j', async (route, body, error) => {
  expect(await shop.post(await shop.subscriber(), route, body)).toMatchObject({ status: 400, body: { error } });
});

it('the portal opens at its first page, or where the card is changed, unless the customer is gone', async () => {
  const person = await shop.subscriber();
  const { customer } = shop.subscriptionOf(person);
  for (const body of [undefined, {}, { flow: 'payment_method' }]) {
    const { status, body: page } = await shop.post(person, 'portal', body);
    expect([status, page]).toEqual([200, { portal_url: expect.stringContaining(`${shop.stripe.url}/portal/`) }]);
  }
  const opened = shop.stripe.events.findLast(({ type }) => type === 'billing_portal.session.created')!;
  const flow = { type: 'payment_method_update' };
  expect(opened.data.object).toMatchObject({ customer, return_url: 'http://localhost:8080', flow });
  shop.stripe.mode('lost');
  await shop.stripe.deleteCustomer(customer);
  expect(await shop.post(person, 'portal')).toMatchObject(NOTHING);
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
    for (const [route, state] of [
      ['cancel', scheduled],
      ['resume', renewing],
      ['cancel', scheduled],
    ] as const) {
      // Repeated, and several at once.
      for (let times = 0; times < 2; times++) {
        const replies = await Promise.all([own.post(person, route), own.post(person, route)]);
        for (const reply of replies) expect(reply).toMatchObject({ status: 200, body: state });
      }
      await own.settle();
      expect((await own.post(person, route)).body).toMatchObject(state);
      expect((await own.me(person)).body).toMatchObject(state);
      await own.settle();
    }
    const events = (await own.billing.events(person.id)).filter(({ type }) => type === SubscriptionChanged.type);
    const ends = events.map(({ data }) => (data.subscriptions as { cancelAt: string | null }[])[0]!.cancelAt);
    const end = scheduled.premium_until;
    expect(ends.filter((one, index) => index === 0 || one !== ends[index - 1])).toEqual([null, end, null, end]);
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
    const { id } = shop.subscriptionOf(person);
    const waiting = await shop.query('SELECT reason FROM provider_reads WHERE id = $1', [id]);
    expect(waiting).toEqual([{ reason: 'equal_second' }]);
  });

  it('is resumed also when the news of its end is late', async () => {
    const person = await shop.subscriber();
    shop.stripe.mode('late');
    await shop.stripe.scheduleEnd(shop.subscriptionOf(person).id, new Date(shop.clock.now().getTime() + 99 * DAY_MS));
    const resumed = { status: 200, body: { subscription: { cancel_at: null, cancel_at_period_end: false } } };
    expect(await shop.post(person, 'resume')).toMatchObject(resumed);
    expect(shop.subscriptionOf(person)).toMatchObject({ cancel_at: null });
  });

  it('with an end in the middle of its period shows that end, and cancelling moves it to no later one', async () => {
    const person = await shop.subscriber();
    const { id } = shop.subscriptionOf(person);
    const endIn = async (days: number) => {
      const end = new Date(Math.floor(shop.clock.now().getTime() / 1_000 + days * 86_400) * 1_000);
      await shop.stripe.scheduleEnd(id, end);
      await shop.settle();
      return end.toISOString();
    };
    const end = await endIn(15);
    const subscription = { current_period_end: end, cancel_at: end, cancel_at_period_end: true };
    const shown = { tier: 'PREMIUM', premium_until: end, subscription };
    expect((await shop.me(person)).body).toMatchObject(shown);
    expect((await shop.post(person, 'cancel')).body).toMatchObject(shown);
    // Of a later period: it renews before.
    const later = await endIn(38);
    expect((await shop.me(person)).body).toMatchObject({
      subscription: { cancel_at: later, cancel_at_period_end: false },
    });
  });

  it('cannot be resumed after its end, also without an event of it', async () => {
    const subscriber = await shop.subscriber();
    await shop.post(subscriber, 'cancel');
    await shop.settle();
    shop.stripe.mode('lost');
    const person = await shop.daysLater(subscriber, 40);
    expect(await shop.post(person, 'resume')).toMatchObject(NOTHING);
    expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE', subscription: { status: 'CANCELED' } });
  });
});

describe('another plan', () => {
  const yearly = { tier: 'PREMIUM', subscription: { plan_code: 'premium_yearly', status: 'ACTIVE' } };

  it('costs what the preview says: upward now, downward as credit', async () => {
    const person = await shop.daysLater(await shop.subscriber(), 14);
    const { status, body: upward } = await shop.post(person, 'change-plan', { plan: 'premium_yearly', preview: true });
    expect([status, upward]).toEqual([
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
    for (let times = 0; times < 2; times++) {
      const changed = await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
      expect(changed).toMatchObject({ status: 200, body: yearly });
    }
    const { cents } = upward.due_now as { cents: number };
    expect(invoicesOf(person)).toMatchObject([{}, { status: 'paid', amount_paid: cents }]);

    shop.clock.advanceMs(60_000);
    const downward = await shop.post(person, 'change-plan', { plan: 'premium_monthly', preview: true });
    expect(downward.body).toMatchObject({ due_now: { cents: 0, display: '$0.00' }, next: { cents: 0 } });
    const back = await shop.post(person, 'change-plan', { plan: 'premium_monthly' });
    expect(back.body).toMatchObject({ tier: 'PREMIUM', subscription: { plan_code: 'premium_monthly' } });
    expect(invoicesOf(person).at(-1)).toMatchObject({ amount_paid: 0 });
  });

  it('costs less with a discount, now and later', async () => {
    const person = await shop.subscriber();
    await shop.stripe.discount(shop.subscriptionOf(person).id, { percentOff: 50 });
    await shop.settle();
    const { body } = await shop.post(person, 'change-plan', { plan: 'premium_yearly', preview: true });
    // Half of 59.99, less what is left of half of 7.99.
    expect(body).toMatchObject({ due_now: { amount: expect.stringMatching(/^2[56]\.\d\d$/) }, next: { cents: 2_999 } });
    await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
    const { cents } = body.due_now as { cents: number };
    expect(invoicesOf(person).at(-1)).toMatchObject({ status: 'paid', amount_paid: cents });
  });

  it('is not paid again where an end is scheduled, and where the end comes later it is', async () => {
    const person = await shop.subscriber();
    const nextOf = async (plan: string) =>
      (await shop.post(person, 'change-plan', { plan, preview: true })).body.next as { cents: number };
    await shop.post(person, 'cancel');
    for (const plan of ['premium_monthly', 'premium_yearly']) expect(await nextOf(plan)).toMatchObject({ cents: 0 });
    await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
    expect(shop.subscriptionOf(person)).toMatchObject({ cancel_at_period_end: true });
    await shop.post(person, 'resume');
    const end = (days: number) => new Date(shop.clock.now().getTime() + days * DAY_MS);
    for (const [days, cents] of [
      [300, 0],
      [400, 5_999],
    ] as const) {
      await shop.stripe.scheduleEnd(shop.subscriptionOf(person).id, end(days));
      await shop.settle();
      expect(await nextOf('premium_yearly')).toMatchObject({ cents });
    }
  });

  it('changes nothing when the card is refused', async () => {
    const person = await shop.subscriber();
    await shop.stripe.setCard(shop.subscriptionOf(person).customer, 'declines');
    const declined = { error: 'payment_declined', details: { portal_path: '/v1/billing/portal' } };
    const refused = await shop.post(person, 'change-plan', { plan: 'premium_yearly' });
    expect(refused).toMatchObject({ status: 402, body: declined });
    const same = { subscription: { plan_code: 'premium_monthly', status: 'ACTIVE' } };
    expect((await shop.me(person)).body).toMatchObject(same);
  });

  it('is none once the subscription is over at the provider, whichever is asked for', async () => {
    for (const plan of ['premium_monthly', 'premium_yearly']) {
      const subscriber = await shop.subscriber();
      await shop.post(subscriber, 'cancel');
      await shop.settle();
      shop.stripe.mode('lost');
      const person = await shop.daysLater(subscriber, 40);
      expect(await shop.post(person, 'change-plan', { plan })).toMatchObject(NOTHING);
      expect((await shop.me(person)).body).toMatchObject({ tier: 'FREE', subscription: { status: 'CANCELED' } });
      shop.stripe.mode('ok');
    }
  });

  it('costs nothing within a trial', async () => {
    const generous = await Shop.start({ BILLING_TRIAL_DAYS: '14' });
    const person = await generous.subscriber();
    const preview = await generous.post(person, 'change-plan', { plan: 'premium_yearly', preview: true });
    const next = { cents: 5_999, at: '2026-02-14T12:00:00.000Z' };
    expect(preview.body).toMatchObject({ due_now: { cents: 0 }, next });
    const { body } = await generous.post(person, 'change-plan', { plan: 'premium_yearly' });
    expect(body).toMatchObject({ subscription: { plan_code: 'premium_yearly', status: 'TRIALING' } });
  });
});

it('while a payment fails access goes on for a week, and the state has the page to pay', async () => {
  const person = await shop.daysLater(await shop.subscriber('premium_monthly', 'good_then_declines'), 33);
  const { body } = await shop.post(person, 'resume');
  const owing = { status: 'PAST_DUE', payment_url: expect.stringMatching(/^http/) };
  expect(body).toMatchObject({ tier: 'PREMIUM', subscription: owing });
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
