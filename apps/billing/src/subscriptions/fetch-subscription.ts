import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { idAt, userIdAt, type ProviderObject } from '../provider/members';
import { StripeApi, WaitingTime, type Answered } from '../provider/stripe-api';
import { READ_PREFIX, type ProviderEvent } from './apply-event';
import { readSubscription, type PlanOfPrice } from './read-subscription';

const SECOND_MS = 1_000;

/** The members that a read of a subscription has to expand. Discounts of its items are a step too far for one call. */
export const WHOLE_SUBSCRIPTION = { expand: ['latest_invoice', 'discounts.source.coupon.applies_to'] };

/**
 * A subscription as the provider answered it, as an event one second older than the answer: it comes after all events of
 * that second, and those that the provider makes in the second of its answer come after it.
 * @param invoices the latest ones where a payment fails: an older one than the latest may be owed too
 * @returns null for an object that is no subscription of a known status
 */
export function eventOfAnswer(
  { result, at }: Answered<object>,
  plans: PlanOfPrice,
  invoices: readonly object[] = [],
): ProviderEvent | null {
  const object = result as ProviderObject;
  const created = new Date(at.getTime() - SECOND_MS);
  const [id, fact] = [idAt(object, 'id'), readSubscription(object, plans, created, invoices as ProviderObject[])];
  if (id === null || fact === null) return null;
  return {
    id: `${READ_PREFIX}${id}:${created.toISOString()}:${randomUUID()}`,
    type: 'subscription.read',
    created,
    customerId: idAt(object, 'customer'),
    subscriptionId: id,
    userId: userIdAt(object, 'metadata', 'user_id'),
    fact,
  };
}

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
    const found = await this.provider.find((stripe) => stripe.subscriptions.retrieve(id, WHOLE_SUBSCRIPTION), waiting);
    if (found === null) return null;
    const { result, at } = found;
    const invoices = result.status === 'past_due' ? await this.invoicesOf(id, waiting) : [];
    const hasDiscounts = result.items.data.some(({ discounts }) => discounts.length > 0);
    const items = hasDiscounts ? await this.itemsOf(id, waiting) : result.items;
    return eventOfAnswer({ result: { ...result, items }, at }, this.config.planOfPrice, invoices);
  }

  private async itemsOf(subscription: string, waiting?: WaitingTime): Promise<object> {
    const wanted = { subscription, limit: MOST_ITEMS, expand: ['data.discounts.source.coupon'] };
    return (await this.provider.call((stripe) => stripe.subscriptionItems.list(wanted), waiting)).result;
  }

  private async invoicesOf(subscription: string, waiting?: WaitingTime): Promise<object[]> {
    const wanted = { subscription, limit: LAST_INVOICES };
    return (await this.provider.call((stripe) => stripe.invoices.list(wanted), waiting)).result.data;
  }
}
