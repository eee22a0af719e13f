import { peopleClient } from '@evenkeel/client';
import { Shop } from '../checkout/shop.fixture';

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start();
});
afterAll(() => Shop.closeAll());

it('the typed client looks, buys and cancels', async () => {
  const { token } = shop.billing.person();
  const people = peopleClient({ baseUrl: shop.billing.running.url, accessToken: () => token });
  const { data: catalogue } = await people.GET('/v1/billing/plans');
  const { code } = catalogue!.plans.find(({ interval }) => interval === 'year')!;
  expect(code).toBe('premium_yearly');
  expect((await people.POST('/v1/billing/cancel')).error).toMatchObject({ error: 'no_subscription' });

  const { data: page } = await people.POST('/v1/billing/checkout', { body: { plan: 'premium_yearly' } });
  await shop.stripe.pay(page!.session_id);
  await shop.settle();
  const { data: state } = await people.GET('/v1/billing/me');
  expect([state!.tier, state!.subscription!.plan_code]).toEqual(['PREMIUM', 'premium_yearly']);
  const { data: cancelled } = await people.POST('/v1/billing/cancel');
  expect(cancelled!.subscription!.cancel_at_period_end).toBe(true);
});
