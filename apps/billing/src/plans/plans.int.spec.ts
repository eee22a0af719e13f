import { ManualClock } from '@evenkeel/kernel';
import { DatabaseLine } from '@evenkeel/platform/testing';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { Billing } from '../billing.fixture';

const PREMIUM = ['unlimited_habits', 'unlimited_analyses', 'mood_correlation', 'habit_plans', 'full_insight_history'];
const KEY = { STRIPE_SECRET_KEY: 'sk_test_catalogue' };
const CATALOGUE = {
  currency: 'USD',
  plans: [
    {
      code: 'free',
      name: 'Free',
      tier: 'FREE',
      interval: null,
      price: { amount_cents: 0, amount: '0.00', currency: 'USD', display: 'Free' },
      purchasable: false,
      features: [],
    },
    {
      code: 'premium_monthly',
      name: 'Premium (monthly)',
      tier: 'PREMIUM',
      interval: 'month',
      price: { amount_cents: 799, amount: '7.99', currency: 'USD', display: '$7.99 / month' },
      purchasable: false,
      features: PREMIUM,
    },
    {
      code: 'premium_yearly',
      name: 'Premium (yearly)',
      tier: 'PREMIUM',
      interval: 'year',
      price: { amount_cents: 5_999, amount: '59.99', currency: 'USD', display: '$59.99 / year' },
      purchasable: false,
      features: PREMIUM,
    },
  ],
  billing: { provider: 'none', configured: false },
};

const started: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const one of started.reverse()) await one.close();
});

async function withSettings(settings: Record<string, string | undefined> = {}, clock?: ManualClock): Promise<Billing> {
  const billing = await Billing.start(settings, clock);
  started.push(billing);
  return billing;
}

async function aStripe(clock: ManualClock): Promise<DevelopmentStripe> {
  const stripe = await DevelopmentStripe.start({ clock });
  started.push(stripe);
  return stripe;
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

it.each<[string, Record<string, string>, object]>([
  ['a price without a key', { STRIPE_PRICE_MONTHLY: 'price_1' }, { provider: 'none', configured: false }],
  ['a key without a price', KEY, { provider: 'stripe', configured: false }],
])('with %s says that no plan can be bought', async (_, settings, provider) => {
  const billing = await withSettings(settings);
  expect(await purchasableOf(billing)).toEqual([]);
  expect((await catalogueOf(billing)).billing).toEqual(provider);
});

it('with a key and one price says which plan can be bought', async () => {
  const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  const stripe = await aStripe(clock);
  const billing = await withSettings({ ...stripe.settings(), STRIPE_PRICE_MONTHLY: undefined }, clock);
  expect(await purchasableOf(billing)).toEqual(['premium_yearly']);
  expect((await catalogueOf(billing)).billing).toEqual({ provider: 'stripe', configured: true });
});

it('does not wait for the database once it has answered: the catalogue stays as it was while the database hangs', async () => {
  const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  const stripe = await aStripe(clock);
  let line!: DatabaseLine;
  const through = async (url: string) => (line = await DatabaseLine.to(url)).url;
  const billing = await Billing.start({ ...stripe.settings() }, clock, through);
  started.push(billing, { close: () => Promise.resolve(line.cut()) });
  const before = await purchasableOf(billing);
  line.hang();
  clock.advanceMs(60_000);
  const begun = performance.now();
  expect(await purchasableOf(billing)).toEqual(before);
  // A caller who waits does so for the more than two seconds that a statement may take.
  expect(performance.now() - begun).toBeLessThan(1_000);
  await line.mend();
});

describe('a price that was changed at a restart', () => {
  const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  const buy = (billing: Billing) =>
    billing.ask('POST', '/v1/billing/checkout', {
      token: billing.person().token,
      body: { plan: 'premium_monthly' },
    });

  it('is not sold before it was compared, and sold again when both say the same', async () => {
    const stripe = await aStripe(clock);
    const first = await withSettings({ ...stripe.settings() }, clock);
    expect(await purchasableOf(first)).toEqual(['premium_monthly', 'premium_yearly']);
    const same = { ...stripe.settings(), DATABASE_URL: first.database.url };
    const changed = await withSettings({ ...same, BILLING_PRICE_MONTHLY_CENTS: '899' }, clock);
    const refused = await buy(changed);
    expect([refused.status, refused.body.error]).toEqual([501, 'provider_not_configured']);
    expect(await purchasableOf(changed)).toEqual(['premium_yearly']);
    const dearer = stripe.addPrice({ interval: 'month', amountCents: 899, isOfPlans: true });
    const moved = { ...same, BILLING_PRICE_MONTHLY_CENTS: '899', STRIPE_PRICE_MONTHLY: dearer };
    const mended = await withSettings(moved, clock);
    expect((await buy(mended)).status).toBe(201);
    expect(await purchasableOf(mended)).toHaveLength(2);
    // The one that still runs with the old settings sells what it shows.
    expect((await buy(first)).status).toBe(201);
  });

  it('is not sold while the provider cannot say what it costs', async () => {
    const stripe = await aStripe(clock);
    stripe.mode('error500');
    const billing = await withSettings({ ...stripe.settings() }, clock);
    expect(await purchasableOf(billing)).toEqual([]);
    const refused = await buy(billing);
    expect([refused.status, refused.body.error]).toEqual([503, 'service_unavailable']);
  });
});
