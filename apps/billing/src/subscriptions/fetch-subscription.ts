import { Injectable } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { ProviderRefusal, StripeApi } from '../provider/stripe-api';
import { WaitingTime } from '../provider/waiting-time';
import type { ProviderEvent } from './apply-event';
import { eventOfAnswer, WHOLE_ITEMS, WHOLE_SUBSCRIPTION } from './event-of-answer';

/** More than the provider tries to collect before a subscription ends. */
const LAST_INVOICES = 24;

/** As many as a subscription may have. */
const MOST_ITEMS = 20;

/** Asks the provider for a subscription with everything that decides: its discounts, and invoices that wait to be paid. */
@Injectable()
export class FetchSubscription {
  constructor(
    private readonly config: BillingConfig,
    private readonly provider: StripeApi,
  ) {}

  /**
   * @param waiting of a request that waits for it; without one each call has its own time
   * @returns null for what is not there any more, or says nothing
   * @throws ProviderUnavailable, ProviderRefusal
   */
  async execute(id: string, waiting?: WaitingTime): Promise<ProviderEvent | null> {
    try {
      return await this.fetch(id, waiting);
    } catch (error) {
      if (error instanceof ProviderRefusal && error.isMissing) return null;
      throw error;
    }
  }

  private async fetch(id: string, waiting?: WaitingTime): Promise<ProviderEvent | null> {
    const { provider } = this;
    const { result, at } = await provider.call(
      (stripe) => stripe.subscriptions.retrieve(id, WHOLE_SUBSCRIPTION),
      waiting,
    );
    const invoices = result.status === 'past_due' ? await this.invoicesOf(id, waiting) : [];
    const hasDiscounts = result.items.data.some(({ discounts }) => discounts.length > 0);
    const items = hasDiscounts ? await this.itemsOf(id, waiting) : result.items;
    return eventOfAnswer({ result: { ...result, items }, at, invoices }, this.config.planOfPrice);
  }

  private async itemsOf(subscription: string, waiting?: WaitingTime): Promise<object> {
    const wanted = { subscription, limit: MOST_ITEMS, ...WHOLE_ITEMS };
    return (await this.provider.call((stripe) => stripe.subscriptionItems.list(wanted), waiting)).result;
  }

  private async invoicesOf(subscription: string, waiting?: WaitingTime): Promise<object[]> {
    const wanted = { subscription, limit: LAST_INVOICES };
    return (await this.provider.call((stripe) => stripe.invoices.list(wanted), waiting)).result.data;
  }
}
