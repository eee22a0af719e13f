import { PLANS, type PaidPlanCode } from '@evenkeel/contracts';
import { Injectable } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { instantAt, integerAt, listAt, textAt, type ProviderObject } from '../provider/members';
import type { Answered } from '../provider/stripe-api';
import { WaitingTime } from '../provider/waiting-time';
import type { BillingStateView } from '../state/billing-state.view';
import { WHOLE_SUBSCRIPTION } from '../subscriptions/event-of-answer';
import { AdmitBuyer, paidPlan } from './admit-buyer';
import { ApplyAnswer } from './apply-answer';
import { ChangeSubscription, type Asked } from './change-subscription';
import { AmountView, type PlanPreviewView } from './checkout.view';

/** What a change is about, as the provider has it now. */
interface Present {
  asked: Asked;
  itemId: string;
  plan: PaidPlanCode;
  answered: Answered<object>;
}

/** Another plan at once: what is left of the old one counts; upward the difference is paid now, downward it is credit. */
@Injectable()
export class ChangePlan {
  constructor(
    private readonly config: BillingConfig,
    private readonly admitting: AdmitBuyer,
    private readonly subscriptions: ChangeSubscription,
    private readonly applying: ApplyAnswer,
  ) {}

  /** @throws UnknownPlan, PlanNotPurchasable, NoSubscription, ProviderNotConfigured, PaymentDeclined, ProviderUnavailable */
  async execute(userId: string, code: string): Promise<BillingStateView> {
    const { asked, itemId, plan, answered } = await this.present(userId, code);
    if (this.hasPlan(answered.result, plan)) return this.applying.execute(userId, answered);
    const wanted = {
      items: [{ id: itemId, price: this.config.prices[plan]! }],
      proration_behavior: this.prorationOf(plan),
      // Declined: nothing has changed.
      payment_behavior: 'error_if_incomplete' as const,
      metadata: { plan_code: plan },
      ...WHOLE_SUBSCRIPTION,
    };
    const changed = await this.subscriptions.ask(asked, (stripe) => stripe.subscriptions.update(asked.id, wanted));
    return this.applying.execute(userId, changed);
  }

  /** What it would cost. @throws as execute, but PaymentDeclined */
  async preview(userId: string, code: string): Promise<PlanPreviewView> {
    const { asked, itemId, plan, answered } = await this.present(userId, code);
    const items = [{ id: itemId, price: this.config.prices[plan]! }];
    const details = { items, proration_behavior: this.prorationOf(plan) };
    const wanted = { subscription: asked.id, subscription_details: details };
    const { result } = await this.subscriptions.ask(asked, (stripe) => stripe.invoices.createPreview(wanted));
    const isLater = textAt(answered.result, 'status') === 'trialing' || this.hasPlan(answered.result, plan);
    return previewOf(result as ProviderObject, isLater);
  }

  private async present(userId: string, code: string): Promise<Present> {
    const plan = paidPlan(code);
    const { id } = await this.subscriptions.find(userId);
    await this.admitting.assertPurchasable(plan);
    const asked: Asked = { userId, id, waiting: new WaitingTime() };
    const answered = await this.subscriptions.ask(asked, (stripe) =>
      stripe.subscriptions.retrieve(id, WHOLE_SUBSCRIPTION),
    );
    const itemId = textAt(listAt(answered.result, 'items')[0], 'id') ?? '';
    return { asked, itemId, plan, answered };
  }

  private hasPlan(subscription: object, plan: PaidPlanCode): boolean {
    return textAt(listAt(subscription, 'items')[0], 'price', 'id') === this.config.prices[plan];
  }

  private prorationOf(plan: PaidPlanCode): 'always_invoice' | 'create_prorations' {
    return PLANS[plan].interval === 'year' ? 'always_invoice' : 'create_prorations';
  }
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
