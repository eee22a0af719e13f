import { InvalidConfig, loadConfig, type Environment } from '@evenkeel/platform/config';
import { BillingConfig } from './billing.config';

const load = (settings: Environment) =>
  loadConfig(BillingConfig, { DATABASE_URL: 'postgres://localhost/billing', ...settings });

it.each(['sk_live_51Abc', 'rk_live_51Abc'])('takes the live key %s in production alone, and says so', (key) => {
  for (const NODE_ENV of [undefined, 'development', 'test']) {
    const start = () => load({ NODE_ENV, STRIPE_SECRET_KEY: key });
    expect(start).toThrow('STRIPE_SECRET_KEY must not be a live key unless NODE_ENV=production');
    expect(start).not.toThrow(key);
  }
  expect(load({ NODE_ENV: 'production', STRIPE_SECRET_KEY: key }).takesLive).toBe(true);
});

it('takes events of the mode of its key; without one production takes live ones, and trials all', () => {
  expect(load({}).takesLive).toBe('both');
  expect(load({ NODE_ENV: 'production' }).takesLive).toBe(true);
  for (const NODE_ENV of [undefined, 'production']) {
    expect(load({ NODE_ENV, STRIPE_SECRET_KEY: 'sk_test_1' }).takesLive).toBe(false);
  }
});

it.each([
  ['STRIPE_SECRET_KEY', 'pk_test_1'],
  ['STRIPE_SECRET_KEY', 'sk_test_'],
  ['STRIPE_WEBHOOK_SECRET', 'secret'],
  ['STRIPE_WEBHOOK_SECRET_PREVIOUS', 'whsec_'],
  ['STRIPE_API_BASE', 'stripe'],
  ['BILLING_PRICE_MONTHLY_CENTS', '0'],
  ['BILLING_PRICE_YEARLY_CENTS', '7.99'],
  ['BILLING_TRIAL_DAYS', '-1'],
  ['BILLING_SUCCESS_URL', 'app://paid'],
  ['REQUIRE_VERIFIED_EMAIL_FOR_CHECKOUT', 'yes'],
  ['RATE_CHECKOUT', '10'],
])('refuses %s=%s', (name, value) => {
  expect(() => load({ [name]: value })).toThrow(InvalidConfig);
});

it('reads keys of tokens below the base URL, unless the settings say where, and from https alone', () => {
  const { jwksUrl } = load({ PUBLIC_BASE_URL: 'https://shop.example' });
  expect(jwksUrl).toBe('https://shop.example/.well-known/jwks.json');
  expect(load({ JWKS_URL: 'http://accounts:3001/keys' }).jwksUrl).toBe('http://accounts:3001/keys');
  for (const JWKS_URL of ['http://accounts.example/keys', 'accounts']) {
    expect(() => load({ JWKS_URL, NODE_ENV: 'production' })).toThrow('JWKS_URL must be an https address');
  }
});
