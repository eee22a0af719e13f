import { Injectable } from '@nestjs/common';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import { ProviderRefusal, StripeApi, type Answered } from '../provider/stripe-api';
import { WaitingTime } from '../provider/waiting-time';
import type { BillingStateView } from '../state/billing-state.view';
import { ReadBillingState } from '../state/read-billing-state';
import type { StoredSubscription } from '../subscriptions/publish-access';
import { WHOLE_SUBSCRIPTION } from '../subscriptions/event-of-answer';
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
    private readonly reading: ReadBillingState,
    private readonly provider: StripeApi,
    private readonly applying: ApplyAnswer,
  ) {}

  /** Lets it end with the period that is paid. Repeating it changes nothing. */
  cancel(userId: string): Promise<BillingStateView> {
    return this.execute(userId, () => ({ cancel_at_period_end: true }));
  }

  /** Takes a scheduled end back. Repeating it changes nothing. */
  resume(userId: string): Promise<BillingStateView> {
    // The provider takes one of the two, and an end that somebody set by hand is of the other kind.
    return this.execute(userId, ({ state: { cancelAt, cancelAtPeriodEnd } }) =>
      cancelAt !== null && !cancelAtPeriodEnd ? { cancel_at: '' } : { cancel_at_period_end: false },
    );
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

  private async execute(userId: string, changeOf: (found: StoredSubscription) => Change): Promise<BillingStateView> {
    const found = await this.find(userId);
    const { id } = found;
    const wanted = { ...changeOf(found), ...WHOLE_SUBSCRIPTION };
    const asked: Asked = { userId, id, waiting: new WaitingTime() };
    const answered = await this.ask(asked, (stripe) => stripe.subscriptions.update(id, wanted));
    return this.applying.execute(userId, answered);
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
