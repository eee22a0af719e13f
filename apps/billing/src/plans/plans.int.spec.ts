import { eventually } from '@evenkeel/platform/testing';
import { Billing } from '../billing.fixture';

const PREMIUM = [
  ...['unlimited_habits', 'unlimited_analyses', 'mood_correlation', 'habit_plans', 'full_insight_history'],
];
const KEY = { STRIPE_SECRET_KEY: 'sk_test_catalogue' };
const CATALOGUE = {
  currency: 'USD',
  plans: [
    {
      ...{ code: 'free', name: 'Free', tier: 'FREE', interval: null },
      price: { amount_cents: 0, amount: '0.00', currency: 'USD', display: 'Free' },
      ...{ purchasable: false, features: [] },
    },
    {
      ...{ code: 'premium_monthly', name: 'Premium (monthly)', tier: 'PREMIUM', interval: 'month' },
      price: { amount_cents: 799, amount: '7.99', currency: 'USD', display: '$7.99 / month' },
      ...{ purchasable: false, features: PREMIUM },
    },
    {
      ...{ code: 'premium_yearly', name: 'Premium (yearly)', tier: 'PREMIUM', interval: 'year' },
      price: { amount_cents: 5_999, amount: '59.99', currency: 'USD', display: '$59.99 / year' },
      ...{ purchasable: false, features: PREMIUM },
    },
  ],
  billing: { provider: 'none', configured: false },
};

const started: Billing[] = [];
afterAll(() => Promise.all(started.map((one) => one.close())));

async function withSettings(settings: Record<string, string> = {}): Promise<Billing> {
  const billing = await Billing.start(settings);
  started.push(billing);
  return billing;
}

const catalogueOf = async (billing: Billing) => (await billing.send('/v1/billing/plans')).body;
const purchasableOf = async (billing: Billing) =>
  ((await catalogueOf(billing)).plans as { code: string; purchasable: boolean }[])
    .filter(({ purchasable }) => purchasable)
    .map(({ code }) => code);

it('lists every plan, without sign-in and without a provider', async () => {
  const billing = await withSettings();
  const { status, body, headers } = await billing.send('/v1/billing/plans');
  expect([status, body]).toEqual([200, CATALOGUE]);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  const known = headers.get('etag')!;
  expect((await billing.send('/v1/billing/plans', { headers: { 'if-none-match': known } })).status).toBe(304);
  expect((await billing.send('/v1/billing/plans', { method: 'HEAD' })).headers.get('etag')).toBe(known);
});

it('takes prices from the settings', async () => {
  const billing = await withSettings({ BILLING_PRICE_MONTHLY_CENTS: '1000', BILLING_PRICE_YEARLY_CENTS: '100005' });
  const [, monthly, yearly] = (await catalogueOf(billing)).plans as { price: object }[];
  expect([monthly!.price, yearly!.price]).toEqual([
    { amount_cents: 1_000, amount: '10.00', currency: 'USD', display: '$10.00 / month' },
    { amount_cents: 100_005, amount: '1000.05', currency: 'USD', display: '$1000.05 / year' },
  ]);
});

it.each<[string, Record<string, string>, string[], object]>([
  ['a price without a key', { STRIPE_PRICE_MONTHLY: 'price_1' }, [], { provider: 'none', configured: false }],
  ['a key without a price', KEY, [], { provider: 'stripe', configured: false }],
  [
    'a key and one price',
    { ...KEY, STRIPE_PRICE_YEARLY: 'price_1' },
    ['premium_yearly'],
    { provider: 'stripe', configured: true },
  ],
])('with %s says which plans can be bought', async (_, settings, purchasable, provider) => {
  const billing = await withSettings(settings);
  expect(await purchasableOf(billing)).toEqual(purchasable);
  expect((await catalogueOf(billing)).billing).toEqual(provider);
});

it('sells no plan whose price at the provider is another', async () => {
  const settings = { ...KEY, STRIPE_PRICE_MONTHLY: 'price_1', STRIPE_PRICE_YEARLY: 'price_2' };
  const billing = await withSettings(settings);
  const both = await billing.send('/v1/billing/plans');
  expect(await purchasableOf(billing)).toEqual(['premium_monthly', 'premium_yearly']);
  const { dataSource } = billing.database;
  await dataSource.query(
    `INSERT INTO provider_differences (kind, subject, detail, found_at) VALUES ('price', 'premium_monthly', 'other', now())`,
  );
  billing.clock.advanceMs(10_000);
  await eventually(async () => expect(await purchasableOf(billing)).toEqual(['premium_yearly']));
  const one = await billing.send('/v1/billing/plans');
  expect(one.headers.get('etag')).not.toBe(both.headers.get('etag'));
  const person = billing.person();
  const refused = await billing.ask('POST', '/v1/billing/checkout', {
    ...{ token: person.token, body: { plan: 'premium_monthly' } },
  });
  expect([refused.status, refused.body.error]).toEqual([501, 'provider_not_configured']);
  await dataSource.query('DELETE FROM provider_differences');
  billing.clock.advanceMs(10_000);
  await eventually(async () => expect(await purchasableOf(billing)).toHaveLength(2));
});
