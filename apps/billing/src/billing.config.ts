import { PAID_PLAN_CODES, type PaidPlanCode } from '@evenkeel/contracts';
import { IsCrashPoint, IsOutboundUrl, IsRate, IsSwitch, scaled, Secret, type Rate } from '@evenkeel/platform/config';
import {
  CONSUMER_CRASH_POINTS,
  RELAY_CRASH_POINTS,
  type ConsumerCrashPoint,
  type RelayCrashPoint,
} from '@evenkeel/platform/messaging';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min, ValidateBy } from 'class-validator';
import { RemoteSignInConfig } from './remote-sign-in/remote-sign-in.module';

/** The steps of billing's own at which tests let the process die. */
export const CRASH_POINTS = [
  'event_stored',
  'before_commit',
  'after_commit',
  // Of a checkout.
  ...(['page_claimed', 'customer_made', 'customer_stored', 'session_made', 'session_remembered'] as const),
  // Of a departure.
  ...(['page_closed', 'subscription_ended', 'customer_deleted', 'customer_forgotten'] as const),
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number] | RelayCrashPoint | ConsumerCrashPoint;

/** The limits of routes, by the names that `@LimitedBy` uses. */
export type LimitName = 'discovery' | 'user' | 'checkout' | 'billing';

const FORMER_PRICE = `\\s*[\\w-]+:(${PAID_PLAN_CODES.join('|')})\\s*`;

const LIVE_KEY = /^(sk|rk)_live_/;

/** Live money is moved in production alone. */
function NoLiveKeyInTrials(): PropertyDecorator {
  return ValidateBy({
    name: 'noLiveKeyInTrials',
    validator: {
      validate: (value, args) =>
        (args?.object as { NODE_ENV?: string }).NODE_ENV === 'production' || !LIVE_KEY.test(String(value)),
      defaultMessage: () => '$property must not be a live key unless NODE_ENV=production',
    },
  });
}

/** Everything billing reads from the environment. Names carry their unit. */
export class BillingConfig extends RemoteSignInConfig {
  override PORT = 3002;
  @IsRate() RATE_DISCOVERY: Rate = { limit: 600, windowSeconds: 60 };
  @IsRate() RATE_USER: Rate = { limit: 300, windowSeconds: 60 };
  @IsRate() RATE_CHECKOUT: Rate = { limit: 10, windowSeconds: 3_600 };
  @IsRate() RATE_BILLING: Rate = { limit: 30, windowSeconds: 3_600 };

  /** Checkout needs it and the price of the plan; the webhook needs only its own secret. */
  @Secret()
  @IsOptional()
  @Matches(/^(sk|rk)_(test|live)_\w+$/, { message: '$property must be a secret key of Stripe: sk_test_… or sk_live_…' })
  @NoLiveKeyInTrials()
  STRIPE_SECRET_KEY?: string;
  @Secret()
  @IsOptional()
  @Matches(/^whsec_\S{8,}$/, { message: '$property must be the signing secret of the endpoint: whsec_…' })
  STRIPE_WEBHOOK_SECRET?: string;
  /** Still accepted while the secret is changed. */
  @Secret()
  @IsOptional()
  @Matches(/^whsec_\S{8,}$/, { message: '$property must be the signing secret of the endpoint: whsec_…' })
  STRIPE_WEBHOOK_SECRET_PREVIOUS?: string;
  @IsOptional() @IsString() STRIPE_PRICE_MONTHLY?: string;
  @IsOptional() @IsString() STRIPE_PRICE_YEARLY?: string;
  /** `price id:plan code,…`: prices that were sold before and still give access. */
  @IsOptional()
  @Matches(new RegExp(`^(${FORMER_PRICE}(,${FORMER_PRICE})*)?$`), {
    message: `$property must be price ids with their plans: price_1:premium_monthly,price_2:premium_yearly`,
  })
  STRIPE_FORMER_PRICES?: string;
  /** A stand-in for Stripe, for tests and trials. */
  @IsOptional() @IsOutboundUrl() STRIPE_API_BASE?: string;

  @Type(() => Number) @IsInt() @Min(1) @Max(1_000_000) BILLING_PRICE_MONTHLY_CENTS = 799;
  @Type(() => Number) @IsInt() @Min(1) @Max(1_000_000) BILLING_PRICE_YEARLY_CENTS = 5_999;
  @Type(() => Number) @IsInt() @Min(0) @Max(730) BILLING_TRIAL_DAYS = 0;
  /** How long access goes on when a payment fails. */
  @Type(() => Number) @IsInt() @Min(0) @Max(90) BILLING_GRACE_DAYS = 7;
  /** How long it goes on after a period without news of its renewal. */
  @Type(() => Number) @IsInt() @Min(0) @Max(720) BILLING_RENEWAL_GRACE_HOURS = 72;
  @IsOptional() @IsUrl({ require_tld: false, protocols: ['http', 'https'] }) BILLING_SUCCESS_URL?: string;
  @IsOptional() @IsUrl({ require_tld: false, protocols: ['http', 'https'] }) BILLING_CANCEL_URL?: string;
  @IsOptional() @IsUrl({ require_tld: false, protocols: ['http', 'https'] }) BILLING_RETURN_URL?: string;
  @IsSwitch() REQUIRE_VERIFIED_EMAIL_FOR_CHECKOUT = false;

  /** For tests, as `billing:<step>`: the process kills itself at this step. */
  @IsCrashPoint('billing', [...CRASH_POINTS, ...RELAY_CRASH_POINTS, ...CONSUMER_CRASH_POINTS])
  CRASH_AT?: CrashPoint;

  get rates(): Record<LimitName, Rate> {
    const scale = (rate: Rate) => scaled(rate, this.RATE_LIMIT_SCALE);
    return {
      discovery: scale(this.RATE_DISCOVERY),
      user: scale(this.RATE_USER),
      checkout: scale(this.RATE_CHECKOUT),
      billing: scale(this.RATE_BILLING),
    };
  }

  /** The price at the provider of each plan that has one. */
  get prices(): Readonly<Partial<Record<PaidPlanCode, string>>> {
    return {
      ...(this.STRIPE_PRICE_MONTHLY !== undefined && { premium_monthly: this.STRIPE_PRICE_MONTHLY }),
      ...(this.STRIPE_PRICE_YEARLY !== undefined && { premium_yearly: this.STRIPE_PRICE_YEARLY }),
    };
  }

  /** Of every price that is ours, those that are not sold any more included. */
  get planOfPrice(): ReadonlyMap<string, PaidPlanCode> {
    const former = (this.STRIPE_FORMER_PRICES ?? '').split(',').filter((pair) => pair.trim() !== '');
    return new Map([
      ...former.map((pair) => pair.trim().split(':') as [string, PaidPlanCode]),
      ...Object.entries(this.prices).map(([plan, price]) => [price, plan as PaidPlanCode] as const),
    ]);
  }

  get priceCents(): Readonly<Record<PaidPlanCode, number>> {
    return {
      premium_monthly: this.BILLING_PRICE_MONTHLY_CENTS,
      premium_yearly: this.BILLING_PRICE_YEARLY_CENTS,
    };
  }

  /** The mode of events that are taken: that of the key; without a key production takes live ones only, others all. */
  get takesLive(): boolean | 'both' {
    if (this.STRIPE_SECRET_KEY !== undefined) return LIVE_KEY.test(this.STRIPE_SECRET_KEY);
    return this.NODE_ENV === 'production' ? true : 'both';
  }
}
