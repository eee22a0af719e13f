import type { PaidPlanCode } from '@evenkeel/contracts';
import { SystemClock } from '@evenkeel/kernel';
import { failureSentence, off, ok, wrong, type Finding, type Probe } from '@evenkeel/platform/service';
import { AppRegistry } from '@evenkeel/platform/observability';
import type { BillingConfig } from '../billing.config';
import { ComparePrices } from '../plans/purchasable-plans';
import { keySetProbe } from '../remote-sign-in/remote-access-keys';
import { ProviderRefusal, ProviderUnavailable, StripeApi } from '../provider/stripe-api';

/** Probes of billing, beside those of every service. */
export function probes(config: BillingConfig): Probe[] {
  const settings = 'STRIPE_SECRET_KEY and STRIPE_API_BASE';
  return [keySetProbe(config), { subject: 'stripe', settings, examine: () => examineProvider(config) }];
}

const PRICE_SETTINGS: Readonly<Record<PaidPlanCode, { price: string; cents: string }>> = {
  premium_monthly: { price: 'STRIPE_PRICE_MONTHLY', cents: 'BILLING_PRICE_MONTHLY_CENTS' },
  premium_yearly: { price: 'STRIPE_PRICE_YEARLY', cents: 'BILLING_PRICE_YEARLY_CENTS' },
};

async function examineProvider(config: BillingConfig): Promise<Finding[]> {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: webhook, prices } = config;
  const some = webhook !== undefined || Object.keys(prices).length > 0;
  if (key === undefined && !some) return [off('stripe', 'Nothing of Stripe is set: checkout answers 501.')];
  if (key === undefined)
    return [wrong('stripe', 'STRIPE_SECRET_KEY is not set: nobody can buy. Set it, or nothing of Stripe.')];
  const unheard =
    'STRIPE_WEBHOOK_SECRET is not set: no payment would reach billing. Set the secret of the endpoint at Stripe.';
  return [...(webhook === undefined ? [wrong('stripe', unheard)] : []), ...(await examinePrices(config))];
}

async function examinePrices(config: BillingConfig): Promise<Finding[]> {
  const plans = Object.keys(config.prices) as PaidPlanCode[];
  if (plans.length === 0) {
    const both = 'STRIPE_PRICE_MONTHLY and STRIPE_PRICE_YEARLY';
    return [wrong('stripe', `Neither of ${both} is set: nobody can buy. Set the ids of the prices at Stripe.`)];
  }
  try {
    const clock = new SystemClock();
    const prices = new ComparePrices(config, new StripeApi(config, clock, new AppRegistry()), clock);
    const compared = await Promise.all(plans.map(async (plan) => ({ plan, detail: await prices.compare(plan) })));
    const differences = compared.filter(({ detail }) => detail !== null);
    if (differences.length === 0) return [ok('stripe', `${plans.join(', ')} cost there what they cost here.`)];
    return differences.map(({ plan, detail }) => {
      const { price, cents } = PRICE_SETTINGS[plan];
      return wrong('stripe', `The price of ${plan} differs (${detail}): correct ${price}, or ${cents}.`);
    });
  } catch (error) {
    return [wrong('stripe', sentenceOf(error, config))];
  }
}

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

function sentenceOf(error: unknown, { STRIPE_API_BASE: base }: BillingConfig): string {
  if (error instanceof ProviderRefusal) {
    if (error.status === UNAUTHORIZED) return 'Stripe does not know the key: correct STRIPE_SECRET_KEY.';
    if (error.status === FORBIDDEN)
      return 'The key may not read prices: give it the right at Stripe, or change STRIPE_SECRET_KEY.';
  }
  const settings = base === undefined ? 'the way out to Stripe' : 'STRIPE_API_BASE';
  const cause = error instanceof ProviderUnavailable ? connectionOf(error) : error;
  return failureSentence(cause, { name: base === undefined ? 'Stripe' : `Stripe at ${new URL(base).host}`, settings });
}

/** Its client hides the error of the connection in `detail`. */
function connectionOf({ cause }: ProviderUnavailable): unknown {
  return (cause as { detail?: unknown } | undefined)?.detail ?? cause;
}
