import { loadConfig } from '@evenkeel/platform/config';
import type { Finding } from '@evenkeel/platform/service';
import { freePort } from '@evenkeel/services/free-port';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { BillingConfig } from '../billing.config';
import { probes } from './probes';

let stripe: DevelopmentStripe;
beforeAll(async () => {
  stripe = await DevelopmentStripe.start();
});
afterAll(() => stripe.close());

/** The findings about Stripe. */
async function found(changed: Record<string, string>): Promise<Finding[]> {
  const settings = { DATABASE_URL: 'postgres://localhost/billing', ...stripe.settings(), ...changed };
  const [, ofStripe] = probes(loadConfig(BillingConfig, settings));
  return ofStripe!.examine(5_000);
}

it('finds both prices as the catalogue has them', async () => {
  const says = 'premium_monthly, premium_yearly cost there what they cost here.';
  expect(await found({})).toEqual([{ subject: 'stripe', outcome: 'ok', says }]);
});

it('says that nothing of Stripe is set', async () => {
  const none = Object.fromEntries(Object.keys(stripe.settings()).map((name) => [name, '']));
  expect(await found(none)).toMatchObject([{ outcome: 'off' }]);
});

const YEARLY_AS_MONTHLY = {
  STRIPE_PRICE_YEARLY: '',
  STRIPE_PRICE_MONTHLY: 'price_1EvenkeelPremiumYearly',
  BILLING_PRICE_MONTHLY_CENTS: '5999',
};

it.each<[string, Record<string, string>, RegExp]>([
  ['no key', { STRIPE_SECRET_KEY: '' }, /^STRIPE_SECRET_KEY is not set/],
  ['an unknown key', { STRIPE_SECRET_KEY: 'sk_test_another' }, /does not know the key: correct STRIPE_SECRET_KEY/],
  ['no prices', { STRIPE_PRICE_MONTHLY: '', STRIPE_PRICE_YEARLY: '' }, /STRIPE_PRICE_MONTHLY and STRIPE_PRICE_YEARLY/],
  ['an unknown price', { STRIPE_PRICE_MONTHLY: 'price_none' }, /not known there\): correct STRIPE_PRICE_MONTHLY/],
  ['another amount', { BILLING_PRICE_YEARLY_CENTS: '4999' }, /4999 here, 5999 there\): .*BILLING_PRICE_YEARLY_CENTS/],
  ['another interval', YEARLY_AS_MONTHLY, /interval: month here, year there\): correct STRIPE_PRICE_MONTHLY/],
  ['no secret of the webhook', { STRIPE_WEBHOOK_SECRET: '' }, /^STRIPE_WEBHOOK_SECRET is not set/],
  ['a Stripe that is not there', { STRIPE_API_BASE: '' }, /is not there.*STRIPE_API_BASE/],
])('names %s', async (what, changed, says) => {
  const nowhere = what === 'a Stripe that is not there' && { STRIPE_API_BASE: `http://127.0.0.1:${await freePort()}` };
  const wrong = (await found({ ...changed, ...nowhere })).filter(({ outcome }) => outcome === 'wrong');
  expect(wrong).toEqual([{ subject: 'stripe', outcome: 'wrong', says: expect.stringMatching(says) }]);
  expect(wrong[0]!.says).not.toMatch(/sk_test_|whsec_/);
});
