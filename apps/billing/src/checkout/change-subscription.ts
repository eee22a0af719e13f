import { PLANS, type PaidPlanCode } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import { BillingConfig } from '../billing.config';
import { instantAt, integerAt, listAt, textAt, type ProviderObject } from '../provider/members';
import { ProviderRefusal, StripeApi, WaitingTime, type Answered } from '../provider/stripe-api';
import type { BillingStateView } from '../state/billing-state';
import { ReadBillingState } from '../state/read-billing-state';
import { scheduledEnd } from '../subscriptions/access';
import type { WholeSubscription } from '../subscriptions/facts';
import { WHOLE_SUBSCRIPTION } from '../subscriptions/fetch-subscription';
import type { StoredSubscription } from '../subscriptions/publish-access';
import { readSubscription } from '../subscriptions/read-subscription';
import { AdmitBuyer, paidPlan } from './admit-buyer';
import { ApplyAnswer } from './apply-answer';
import { AmountView, type PlanPreviewView } from './checkout.dto';
import { misconfigured, NoSubscription } from './checkout.errors';

type Change = Stripe.SubscriptionUpdateParams;

/** The subject of calls, and how long the request waits for all of them. */
interface Asked {
  userId: string;
  /** Of the subscription. */
  id: string;
  waiting: WaitingTime;
}

/** Changes the one subscription of a user that can be changed, at the provider first. */
@Injectable()
export class ChangeSubscription {
  constructor(
    private readonly config: BillingConfig,
    private readonly admitting: AdmitBuyer,
    private readonly reading: ReadBillingState,
    private readonly provider: StripeApi,
    private readonly applying: ApplyAnswer,
  ) {}

  /** Lets it end with the period that is paid. Repeating it changes nothing, nor where it ends sooner. */
  cancel(userId: string): Promise<BillingStateView> {
    return this.execute(userId, (found) => (scheduledEnd(found) === null ? { cancel_at_period_end: true } : null));
  }

  /** Takes a scheduled end back. Repeating it changes nothing. */
  resume(userId: string): Promise<BillingStateView> {
    return this.execute(userId, ({ cancelAt, cancelAtPeriodEnd }) => {
      // The provider takes one of the two, and an end that somebody set by hand is of the other kind.
      if (cancelAtPeriodEnd) return { cancel_at_period_end: false };
      return cancelAt === null ? null : { cancel_at: '' };
    });
  }

  /**
   * Another plan at once: the rest of the old one is credited; upward the difference is paid now, downward it is credit.
   * @throws UnknownPlan, PlanNotPurchasable, NoSubscription, ProviderNotConfigured, PaymentDeclined, ProviderUnavailable
   */
  async changePlan(userId: string, code: string): Promise<BillingStateView> {
    const { asked, answered, plan, items } = await this.presentItem(userId, code);
    if (this.hasPlan(answered.result, plan)) return this.unchanged(userId, answered);
    const wanted = {
      items,
      proration_behavior: this.prorationOf(plan),
      // Declined: nothing has changed.
      payment_behavior: 'error_if_incomplete' as const,
      metadata: { plan_code: plan },
      ...WHOLE_SUBSCRIPTION,
    };
    const changed = await this.ask(asked, (stripe) => stripe.subscriptions.update(asked.id, wanted));
    return this.applying.execute(userId, changed);
  }

  /** The cost of that. @throws as changePlan, but PaymentDeclined */
  async preview(userId: string, code: string): Promise<PlanPreviewView> {
    const { asked, answered, plan, items } = await this.presentItem(userId, code);
    const details = { items, proration_behavior: this.prorationOf(plan) };
    const wanted = { subscription: asked.id, subscription_details: details };
    const { result } = await this.ask(asked, (stripe) => stripe.invoices.createPreview(wanted));
    const isLater = textAt(answered.result, 'status') === 'trialing' || this.hasPlan(answered.result, plan);
    const preview = previewOf(result as ProviderObject, isLater);
    const { at } = preview.next;
    return isOverBy(at, answered.result as ProviderObject)
      ? { ...preview, next: { ...AmountView.of(0), at } }
      : preview;
  }

  private async presentItem(userId: string, code: string) {
    const plan = paidPlan(code);
    const { id } = await this.find(userId);
    await this.admitting.assertPurchasable(plan);
    const { asked, answered } = await this.present(userId, id);
    const itemId = textAt(listAt(answered.result, 'items')[0], 'id') ?? '';
    return { asked, answered, plan, items: [{ id: itemId, price: this.config.prices[plan]! }] };
  }

  private hasPlan(subscription: object, plan: PaidPlanCode): boolean {
    return textAt(listAt(subscription, 'items')[0], 'price', 'id') === this.config.prices[plan];
  }

  private prorationOf(plan: PaidPlanCode): 'always_invoice' | 'create_prorations' {
    return PLANS[plan].interval === 'year' ? 'always_invoice' : 'create_prorations';
  }

  /**
   * The subscription that people mean: one that lives, with the latest access.
   * @throws NoSubscription
   */
  private async find(userId: string): Promise<StoredSubscription> {
    const { subscriptions } = await this.reading.stored(userId);
    const [found] = subscriptions.filter(isAlive).sort((a, b) => endOf(b) - endOf(a));
    if (!found) throw new NoSubscription();
    return found;
  }

  /** As the provider has it now. */
  private async present(userId: string, id: string): Promise<{ asked: Asked; answered: Answered<object> }> {
    const asked: Asked = { userId, id, waiting: new WaitingTime() };
    const answered = await this.ask(asked, (stripe) => stripe.subscriptions.retrieve(id, WHOLE_SUBSCRIPTION));
    return { asked, answered };
  }

  /** One call about the subscription. @throws NoSubscription when it is over at the provider */
  private async ask(asked: Asked, call: (stripe: Stripe) => Promise<object>): Promise<Answered<object>> {
    try {
      return await this.provider.call(call, asked.waiting);
    } catch (error) {
      if (!(error instanceof ProviderRefusal)) throw error;
      await this.learn(asked, error);
      throw misconfigured(error);
    }
  }

  /** @param changeOf what to change of the subscription as the provider has it now: our news of it may be late */
  private async execute(
    userId: string,
    changeOf: (found: WholeSubscription) => Change | null,
  ): Promise<BillingStateView> {
    const { id } = await this.find(userId);
    const { asked, answered: found } = await this.present(userId, id);
    const fact = readSubscription(found.result as ProviderObject, this.config.planOfPrice, found.at);
    const isOver = fact === null || (['CANCELED', 'EXPIRED'].includes(fact.status) && !fact.mayReturn);
    const change = isOver ? null : changeOf(fact);
    if (change === null) return this.unchanged(userId, found);
    const wanted = { ...change, ...WHOLE_SUBSCRIPTION };
    return this.applying.execute(userId, await this.ask(asked, (stripe) => stripe.subscriptions.update(id, wanted)));
  }

  /** A refusal may mean that it ended and the news is late: then that is applied, and there is nothing to change. */
  private async learn({ userId, id, waiting }: Asked, refusal: ProviderRefusal): Promise<void> {
    const answered = await this.provider
      .call((stripe) => stripe.subscriptions.retrieve(id, WHOLE_SUBSCRIPTION), waiting)
      .catch((error: unknown) => {
        throw error instanceof ProviderRefusal ? misconfigured(refusal) : error;
      });
    await this.unchanged(userId, answered);
  }

  /** Where there is nothing to change. @throws NoSubscription when it is over by what the provider has just said */
  private async unchanged(userId: string, answered: Answered<object>): Promise<BillingStateView> {
    const state = await this.applying.execute(userId, answered);
    await this.find(userId);
    return state;
  }
}

/** The provider collects for it, or would when the person pays what is open. */
function isAlive({ state: { status, isFinal } }: StoredSubscription): boolean {
  return !isFinal && status !== 'INCOMPLETE';
}

function endOf({ accessUntil }: StoredSubscription): number {
  return accessUntil?.getTime() ?? 0;
}

/** Whether it has a scheduled end, which another plan does not take back, and is not paid again at that time. */
function isOverBy(at: string, subscription: ProviderObject): boolean {
  const cancelAt = instantAt(subscription, 'cancel_at');
  return subscription['cancel_at_period_end'] === true || (cancelAt !== null && Date.parse(cancelAt) <= Date.parse(at));
}

/** @param isLater nothing is due before the next period: on trial, or when nothing changes */
function previewOf(invoice: ProviderObject, isLater: boolean): PlanPreviewView {
  const [line] = listAt(invoice, 'lines').filter((one) => (integerAt(one, 'amount') ?? 0) > 0);
  const discounts = listAt(line, 'discount_amounts').reduce((sum, one) => sum + (integerAt(one, 'amount') ?? 0), 0);
  const period = (integerAt(line, 'amount') ?? 0) - discounts;
  const at = (instantAt(line, 'period', isLater ? 'start' : 'end') ?? instantAt(invoice, 'period_end'))!;
  const balance = (integerAt(invoice, 'starting_balance') ?? 0) + (integerAt(invoice, 'total') ?? 0);
  if (isLater) return { due_now: AmountView.of(0), next: { ...AmountView.of(Math.max(0, balance)), at } };
  const credit = Math.min(0, balance);
  return {
    due_now: AmountView.of(Math.max(0, balance)),
    next: { ...AmountView.of(Math.max(0, period + credit)), at },
  };
}
