import { PLAN_CODES, type PaidPlanCode } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Unauthorized } from '@evenkeel/platform/http';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { PurchasablePlans } from '../plans/purchasable-plans';
import { ProviderNotConfigured, StripeApi, type WaitingTime } from '../provider/stripe-api';
import { ApplyEvent, type ProviderEvent } from '../subscriptions/apply-event';
import { eventOfAnswer, FetchSubscription } from '../subscriptions/fetch-subscription';
import { AlreadySubscribed, PlanNotPurchasable, UnknownPlan } from './checkout.errors';

/** Somebody who may buy a plan, as far as the provider needs to know. */
export interface Buyer {
  userId: string;
  /** Days of trial: only those who never subscribed get any. */
  trialDays: number;
  /** Subscriptions for which the provider may still collect as far as we know, though they give no access. */
  live: readonly string[];
}

interface BuyerRow {
  has_left: boolean;
  is_verified: boolean;
  has_subscribed: boolean;
  live: { id: string; hasAccess: boolean; paymentUrl: string | null }[] | null;
}

/** In SQL: four tables as they stand at one moment. */
const FIND = `
  SELECT
    EXISTS (SELECT FROM departures WHERE user_id = $1)
      OR EXISTS (SELECT FROM people WHERE user_id = $1 AND deleted_at IS NOT NULL) AS has_left,
    EXISTS (SELECT FROM people WHERE user_id = $1 AND verified_at IS NOT NULL) AS is_verified,
    EXISTS (SELECT FROM subscriptions WHERE user_id = $1) AS has_subscribed,
    (SELECT json_agg(json_build_object('id', subscription_id, 'hasAccess', access_until > $2,
        'paymentUrl', state->>'paymentUrl') ORDER BY access_until > $2 DESC NULLS LAST, subscription_id)
      FROM subscriptions WHERE user_id = $1 AND NOT (state->>'isFinal')::boolean) AS live`;

/** Who may buy what, in the order of the checks that callers see. */
@Injectable()
export class AdmitBuyer {
  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly plans: PurchasablePlans,
    private readonly provider: StripeApi,
  ) {}

  /**
   * @param isAsked whether the provider has just been asked what lives there: what we know is what it says
   * @throws UnknownPlan, PlanNotPurchasable, Unauthorized, AlreadySubscribed, ProviderNotConfigured, ValidationFailed
   */
  async execute(userId: string, code: string, isAsked = false): Promise<Buyer> {
    const plan = paidPlan(code);
    const [row] = await this.dataSource.query<[BuyerRow]>(FIND, [userId, this.clock.now()]);
    // Their sessions have ended: only the news of it may be a moment late.
    if (row.has_left) throw new Unauthorized();
    const live = row.live ?? [];
    const isCertain = isAsked || !this.provider.isConfigured;
    if (live.some(({ hasAccess }) => hasAccess) || (live.length > 0 && isCertain)) {
      throw new AlreadySubscribed(live.find(({ paymentUrl }) => paymentUrl !== null)?.paymentUrl ?? null);
    }
    if (!(await this.plans.find()).has(plan)) throw notPurchasable();
    if (this.config.REQUIRE_VERIFIED_EMAIL_FOR_CHECKOUT && !row.is_verified) throw unverified();
    const trialDays = row.has_subscribed ? 0 : this.config.BILLING_TRIAL_DAYS;
    return { userId, trialDays, live: live.map(({ id }) => id) };
  }

  /** @throws ProviderNotConfigured */
  async assertPurchasable(plan: PaidPlanCode): Promise<void> {
    if (!(await this.plans.find()).has(plan)) throw notPurchasable();
  }
}

/** @throws UnknownPlan, PlanNotPurchasable */
export function paidPlan(code: string): PaidPlanCode {
  const plan = PLAN_CODES.find((known) => known === code);
  if (plan === undefined) throw new UnknownPlan();
  if (plan === 'free') throw new PlanNotPurchasable();
  return plan;
}

function notPurchasable(): ProviderNotConfigured {
  return new ProviderNotConfigured('This plan cannot be bought here: no payment provider has a price for it.');
}

function unverified(): ValidationFailed {
  const message = 'must be verified first: open the link in the mail, or ask for another one';
  return new ValidationFailed([{ path: '/email', code: 'conflict', message }]);
}

/** Who tries again at once need not wait for the same answer again. */
const ANSWER_HOLDS_MS = 10_000;

/** As many as a list of the provider has on a page: nobody has more. */
const MOST = 100;

/** Asks the provider for what it may still collect from somebody: our news of it may be late. */
@Injectable()
export class AskWhatLives {
  /** When nothing lived there, by customer: elapsed milliseconds. */
  private readonly nothing = new Map<string, number>();

  constructor(
    private readonly config: BillingConfig,
    private readonly clock: Clock,
    private readonly dataSource: DataSource,
    private readonly provider: StripeApi,
    private readonly fetching: FetchSubscription,
    private readonly apply: ApplyEvent,
  ) {}

  /**
   * Applies what it answers.
   * @param customerId null for somebody whom the provider does not know yet
   * @param known subscriptions that live as far as we know
   * @returns whether it has said anything
   * @throws ProviderUnavailable, ProviderRefusal
   */
  async execute(customerId: string | null, known: readonly string[], waiting: WaitingTime): Promise<boolean> {
    if (customerId !== null && known.length === 0 && this.hasJustSaid(customerId)) return false;
    const listed = customerId === null ? [] : await this.list(customerId, waiting);
    const ids = new Set(listed.map(({ subscriptionId }) => subscriptionId));
    // A list leaves out what has ended.
    const others = known.filter((id) => !ids.has(id)).map((id) => this.fetching.execute(id, waiting));
    const events = [...listed, ...(await Promise.all(others))].filter((event) => event !== null);
    for (const event of events) await this.dataSource.transaction((tx) => this.apply.execute(tx, event));
    if (events.length === 0 && customerId !== null) this.nothing.set(customerId, this.clock.elapsedMs());
    return events.length > 0;
  }

  private hasJustSaid(customerId: string): boolean {
    const since = this.clock.elapsedMs() - ANSWER_HOLDS_MS;
    for (const [id, at] of this.nothing) if (at <= since) this.nothing.delete(id);
    return this.nothing.has(customerId);
  }

  /** A customer who was deleted there has nothing. */
  private async list(customer: string, waiting: WaitingTime): Promise<ProviderEvent[]> {
    const wanted = { customer, limit: MOST, expand: ['data.latest_invoice'] };
    const found = await this.provider.find((stripe) => stripe.subscriptions.list(wanted), waiting);
    if (found === null) return [];
    const events = found.result.data.map((result) => eventOfAnswer({ result, at: found.at }, this.config.planOfPrice));
    return events.filter((event) => event !== null);
  }
}
