import { Injectable } from '@nestjs/common';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import { BillingConfig } from '../billing.config';
import type { ProviderObject } from '../provider/members';
import { ProviderRefusal, StripeApi, type Answered } from '../provider/stripe-api';
import { WaitingTime } from '../provider/waiting-time';
import type { BillingStateView } from '../state/billing-state.view';
import { ReadBillingState } from '../state/read-billing-state';
import type { StoredSubscription } from '../subscriptions/publish-access';
import { scheduledEnd } from '../subscriptions/access';
import { WHOLE_SUBSCRIPTION } from '../subscriptions/event-of-answer';
import type { WholeSubscription } from '../subscriptions/facts';
import { readSubscription } from '../subscriptions/read-subscription';
import { ApplyAnswer } from './apply-answer';
import { misconfigured, NoSubscription } from './checkout.errors';

type Change = Stripe.SubscriptionUpdateParams;

/** What calls are about, and how long the request waits for all of them. */
export interface Asked {
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
   * The subscription that people mean: one that lives, with the latest access.
   * @throws NoSubscription
   */
  async find(userId: string): Promise<StoredSubscription> {
    const { subscriptions } = await this.reading.stored(userId);
    const [found] = subscriptions.filter(isAlive).sort((a, b) => endOf(b) - endOf(a));
    if (!found) throw new NoSubscription();
    return found;
  }

  /** One call about the subscription. @throws NoSubscription when it is over at the provider */
  async ask(asked: Asked, call: (stripe: Stripe) => Promise<object>): Promise<Answered<object>> {
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
    const asked: Asked = { userId, id, waiting: new WaitingTime() };
    const found = await this.ask(asked, (stripe) => stripe.subscriptions.retrieve(id, WHOLE_SUBSCRIPTION));
    const fact = readSubscription(found.result as ProviderObject, this.config.planOfPrice, found.at);
    const isOver = fact === null || (['CANCELED', 'EXPIRED'].includes(fact.status) && !fact.mayReturn);
    const change = isOver ? null : changeOf(fact);
    if (change === null) {
      const state = await this.applying.execute(userId, found);
      await this.find(userId);
      return state;
    }
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
    await this.applying.execute(userId, answered);
    await this.find(userId);
  }
}

/** The provider collects for it, or would when the person pays what is open. */
function isAlive({ state: { status, isFinal } }: StoredSubscription): boolean {
  return !isFinal && status !== 'INCOMPLETE';
}

function endOf({ accessUntil }: StoredSubscription): number {
  return accessUntil?.getTime() ?? 0;
}
