import { loadConfig } from '@evenkeel/platform/config';
import type { Finding } from '@evenkeel/platform/service';
import { freePort } from '@evenkeel/services/free-port';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { BillingConfig } from '../billing.config';
import { probes } from './probes';

let stripe: DevelopmentStripe;
let settings: Record<string, string>;
beforeAll(async () => {
  stripe = await DevelopmentStripe.start();
  settings = { ...stripe.settings() };
});
afterAll(() => stripe.close());

/** The findings about Stripe. */
async function found(changed: Record<string, string>): Promise<Finding[]> {
  const config = loadConfig(BillingConfig, { DATABASE_URL: 'postgres://localhost/billing', ...settings, ...changed });
  return probes(config)
    .find(({ subject }) => subject === 'stripe')!
    .examine(5_000);
}

it('finds both prices as the catalogue has them', async () => {
  const says = 'premium_monthly, premium_yearly cost there what they cost here.';
  expect(await found({})).toEqual([{ subject: 'stripe', outcome: 'ok', says }]);
});

it('says that nothing of Stripe is set', async () => {
  const none = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));
  expect(await found(none)).toEqual([expect.objectContaining({ outcome: 'off' })]);
});

it.each<[string, (all: Record<string, string>) => Promise<Record<string, string>> | Record<string, string>, RegExp]>([
  ['no key', () => ({ STRIPE_SECRET_KEY: '' }), /^STRIPE_SECRET_KEY is not set/],
  [
    'a key that is not known',
    () => ({ STRIPE_SECRET_KEY: 'sk_test_another' }),
    /does not know the key: correct STRIPE_SECRET_KEY/,
  ],
  [
    'no prices',
    () => ({ STRIPE_PRICE_MONTHLY: '', STRIPE_PRICE_YEARLY: '' }),
    /STRIPE_PRICE_MONTHLY and STRIPE_PRICE_YEARLY/,
  ],
  [
    'a price that is not there',
    () => ({ STRIPE_PRICE_MONTHLY: 'price_none' }),
    /not known there\): correct STRIPE_PRICE_MONTHLY/,
  ],
  [
    'another amount',
    () => ({ BILLING_PRICE_YEARLY_CENTS: '4999' }),
    /cents: 4999 here, 5999 there\): correct .*BILLING_PRICE_YEARLY_CENTS/,
  ],
  [
    'another interval',
    (all) => ({
      STRIPE_PRICE_YEARLY: '',
      STRIPE_PRICE_MONTHLY: all.STRIPE_PRICE_YEARLY!,
      BILLING_PRICE_MONTHLY_CENTS: '5999',
    }),
    /interval: month here, year there\): correct STRIPE_PRICE_MONTHLY/,
  ],
  ['no secret of the webhook', () => ({ STRIPE_WEBHOOK_SECRET: '' }), /^STRIPE_WEBHOOK_SECRET is not set/],
  [
    'a Stripe that is not there',
    async () => ({ STRIPE_API_BASE: `http://127.0.0.1:${await freePort()}` }),
    /is not there.*STRIPE_API_BASE/,
  ],
])('names %s', async (_what, change, text) => {
  const wrong = (await found(await change(settings))).filter(({ outcome }) => outcome === 'wrong');
  expect(wrong).toEqual([{ subject: 'stripe', outcome: 'wrong', says: expect.stringMatching(text) }]);
  expect(wrong[0]!.says).not.toMatch(/sk_test_|whsec_/);
});
