import type Stripe from 'stripe';
import { isOver } from '../objects/subscriptions';
import type { World } from '../world/world';
import { expireSession } from './checkout';
import { endSubscription } from './ending';

/** Ends all that a customer has, then the customer. What was invoiced stays. */
export function deleteCustomer(world: World, customer: Stripe.Customer): void {
  for (const subscription of world.subscriptions.values()) {
    if (subscription.customer !== customer.id || isOver(subscription)) continue;
    endSubscription(world, subscription, 'cancellation_requested');
  }
  for (const session of world.sessions.values()) {
    if (session.customer === customer.id && session.status === 'open') expireSession(world, session);
  }
  world.customers.delete(customer.id);
  world.deletedCustomers.add(customer.id);
  world.tell('customer.deleted', customer);
}
