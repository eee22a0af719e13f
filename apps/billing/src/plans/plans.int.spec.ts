import { DatabaseLine, eventually } from '@evenkeel/platform/testing';
import { Billing } from '../billing.fixture';
import { Shop } from '../checkout/shop.fixture';

const PREMIUM = ['unlimited_habits', 'unlimited_analyses', 'mood_correlation', 'habit_plans', 'full_insight_history'];
const MONTHLY = { code: 'premium_monthly', name: 'Premium (monthly)', tier: 'PREMIUM', interval: 'month' };
const YEARLY = { code: 'premium_yearly', name: 'Premium (yearly)', tier: 'PREMIUM', interval: 'year' };
const priceOf = (amount_cents: number, display: string) => {
  return { amount_cents, amount: (amount_cents / 100).toFixed(2), currency: 'USD', display };
};

afterAll(() => Shop.closeAll());

const catalogueOf = async (billing: Billing) => (await billing.send('/v1/billing/plans')).body;
const purchasableOf = async (billing: Billing) =>
  ((await catalogueOf(billing)).plans as { code: string; purchasable: boolean }[]).flatMap(({ code, purchasable }) =>
    purchasable ? code : [],
  );

it('lists every plan at the prices of the settings, without sign-in and without a provider', async () => {
  const { billing } = await Shop.start({ STRIPE_SECRET_KEY: undefined, BILLING_PRICE_YEARLY_CENTS: '100005' });
  const { status, body, headers } = await billing.send('/v1/billing/plans');
  const no = { purchasable: false };
  expect([status, body]).toEqual([
    200,
    {
      currency: 'USD',
      plans: [
        { code: 'free', name: 'Free', tier: 'FREE', interval: null, price: priceOf(0, 'Free'), ...no, features: [] },
        { ...MONTHLY, price: priceOf(799, '$7.99 / month'), ...no, features: PREMIUM },
        { ...YEARLY, price: priceOf(100_005, '$1000.05 / year'), ...no, features: PREMIUM },
      ],
      billing: { provider: 'none', configured: false },
    },
  ]);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  const known = headers.get('etag')!;
  expect((await billing.send('/v1/billing/plans', { headers: { 'if-none-match': known } })).status).toBe(304);
  expect((await billing.send('/v1/billing/plans', { method: 'HEAD' })).headers.get('etag')).toBe(known);
});

const NO_PRICES = { STRIPE_PRICE_MONTHLY: undefined, STRIPE_PRICE_YEARLY: undefined };

it.each([
  ['without a price', NO_PRICES, [], false],
  ['with one price', { STRIPE_PRICE_MONTHLY: undefined }, ['premium_yearly'], true],
])('%s says which plan can be bought', async (_, settings, plans, configured) => {
  const { billing } = await Shop.start(settings);
  expect(await purchasableOf(billing)).toEqual(plans);
  expect((await catalogueOf(billing)).billing).toEqual({ provider: 'stripe', configured });
});

it('tells all who ask for it first the same, however many ask at once', async () => {
  let line!: DatabaseLine;
  const { billing } = await Shop.start({}, { through: async (url) => (line = await DatabaseLine.to(url)).url });
  const came = line.hold('FROM compared_prices');
  const asked = [purchasableOf(billing)];
  const goOn = await came;
  asked.push(purchasableOf(billing));
  // The answer to one that needs nothing comes after theirs, if they wait for nothing.
  await billing.send('/v1/billing/nothing');
  goOn();
  const [first, second] = await Promise.all(asked);
  expect([first, second]).toEqual([['premium_monthly', 'premium_yearly'], first]);
});

it('does not wait for the database once it has answered: the catalogue stays as it was while the database hangs', async () => {
  let line!: DatabaseLine;
  const { billing, clock } = await Shop.start({}, { through: async (url) => (line = await DatabaseLine.to(url)).url });
  const before = await purchasableOf(billing);
  line.hang();
  clock.advanceMs(60_000);
  const begun = performance.now();
  expect(await purchasableOf(billing)).toEqual(before);
  // A caller who waits does so for the more than two seconds that a statement may take.
  expect(performance.now() - begun).toBeLessThan(1_000);
  await line.mend();
});

it('a price that was changed at a restart is not sold before it was compared and both say the same', async () => {
  const shop = await Shop.start();
  const { billing: first, clock, stripe } = shop;
  const buy = (billing: Billing) => {
    const options = { token: billing.person().token, body: { plan: 'premium_monthly' } };
    return billing.ask('POST', '/v1/billing/checkout', options);
  };
  const restarted = (settings: Record<string, string>) => {
    const changed = { BILLING_PRICE_MONTHLY_CENTS: '899', ...settings };
    return Billing.start({ ...stripe.settings(), DATABASE_URL: first.database.url, ...changed }, clock);
  };
  expect(await purchasableOf(first)).toEqual(['premium_monthly', 'premium_yearly']);
  const changed = await restarted({});
  expect(await buy(changed)).toMatchObject({ status: 501, body: { error: 'provider_not_configured' } });
  expect(await purchasableOf(changed)).toEqual(['premium_yearly']);
  const dearer = stripe.addPrice({ interval: 'month', amountCents: 899, isOfPlans: true });
  stripe.mode('error500');
  const mended = await restarted({ STRIPE_PRICE_MONTHLY: dearer });
  // While the provider cannot say what it costs nobody is told that they can buy.
  expect(await purchasableOf(mended)).toEqual(['premium_yearly']);
  expect(await buy(mended)).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
  stripe.mode('ok');
  clock.advanceMs(60_000);
  expect((await buy(mended)).status).toBe(201);
  await eventually(async () => expect(await purchasableOf(mended)).toHaveLength(2));
  // The one that still runs with the old settings sells what it shows.
  expect((await buy(first)).status).toBe(201);
  await changed.close();
  await mended.close();
});
