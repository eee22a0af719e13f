import { randomUUID } from 'node:crypto';
import { idAt, userIdAt, type ProviderObject } from '../provider/members';
import type { Answered } from '../provider/stripe-api';
import { READ_PREFIX, type ProviderEvent } from './apply-event';
import { readSubscription, type PlanOfPrice } from './read-subscription';

const SECOND_MS = 1_000;

/** What a read of a subscription has to ask for, beside the id. Discounts of its items are a step too far for one call. */
export const WHOLE_SUBSCRIPTION = { expand: ['latest_invoice', 'discounts.source.coupon.applies_to'] };

/** What a read of items has to ask for, when they have discounts. */
export const WHOLE_ITEMS = { expand: ['data.discounts.source.coupon'] };

/** An answer, with the latest invoices where a payment fails: an older one than the latest may be owed too. */
export interface SubscriptionAnswer extends Answered<object> {
  invoices?: readonly object[];
}

/**
 * A subscription as the provider answered it, as an event one second older than the answer: it comes after all events of
 * that second, and those that the provider makes in the second of its answer come after it.
 * @param cause of the change, for readers of the event; default that it was read
 * @returns null for an object that is no subscription of a known status
 */
export function eventOfAnswer(
  { result, at, invoices }: SubscriptionAnswer,
  plans: PlanOfPrice,
  cause = 'subscription.read',
): ProviderEvent | null {
  const object = result as ProviderObject;
  const created = new Date(at.getTime() - SECOND_MS);
  const [id, fact] = [idAt(object, 'id'), readSubscription(object, plans, created, invoices as ProviderObject[])];
  if (id === null || fact === null) return null;
  return {
    ...{ id: `${READ_PREFIX}${id}:${created.toISOString()}:${randomUUID()}`, type: cause, created },
    customerId: idAt(object, 'customer'),
    subscriptionId: id,
    userId: userIdAt(object, 'metadata', 'user_id'),
    fact,
  };
}
