import type Stripe from 'stripe';
import { applyPlanChange, planChange } from '../billing/changing';
import { endAt, endSubscription } from '../billing/ending';
import { balanced, linesOf } from '../billing/invoicing';
import { newId } from '../schema/published';
import { anInvoice, isOver, itemOf, periodLine, periodOf } from '../world/objects';
import { periodAt } from '../world/stripe-time';
import type { World } from '../world/world';
import { call, type Call, type Calls, found, isOrAny, listing, Refusal, retrieval } from './call';

const UPDATE = ['items', 'proration_behavior', 'payment_behavior', 'metadata', 'cancel_at_period_end', 'cancel_at'];

export const SUBSCRIPTION_CALLS: Calls = {
  'GET /v1/subscriptions/:id': retrieval('subscription', ({ subscriptions }) => subscriptions),
  ...listing<Stripe.SubscriptionListParams, Stripe.Subscription>(
    '/v1/subscriptions',
    ['customer'],
    ({ world }) => world.subscriptions.values(),
    (subscription, { customer }) => isOrAny(customer, subscription.customer) && !isOver(subscription),
  ),
  ...listing(
    '/v1/subscription_items',
    ['subscription'],
    ({ params, world }: Call<Stripe.SubscriptionItemListParams>) =>
      found(world.subscriptions, 'subscription', params.subscription, 'subscription').items.data,
  ),
  'POST /v1/subscriptions/:id': call(UPDATE, updateSubscription),
  'DELETE /v1/subscriptions/:id': call<Stripe.SubscriptionCancelParams>(['invoice_now', 'prorate'], endNow),
  'POST /v1/invoices/create_preview': call(['subscription', 'subscription_details'], previewInvoice),
};

function endNow({ params, world, id }: Call<Stripe.SubscriptionCancelParams>): object {
  const subscription = found(world.subscriptions, 'subscription', id);
  if (params.invoice_now || params.prorate) {
    throw Refusal.invalid('The development Stripe ends without a last invoice.', { param: 'invoice_now' });
  }
  if (isOver(subscription)) throw Refusal.missing('subscription', id);
  endSubscription(world, subscription, 'cancellation_requested');
  return subscription;
}

function updateSubscription({ params, world, id }: Call<Stripe.SubscriptionUpdateParams>): object {
  const subscription = found(world.subscriptions, 'subscription', id);
  const { payment_behavior: behavior = 'allow_incomplete' } = params;
  if (behavior !== 'allow_incomplete' && behavior !== 'error_if_incomplete') {
    throw Refusal.invalid(`The development Stripe does not know ${behavior}.`, { param: 'payment_behavior' });
  }
  const end = endIn(params, world, subscription);
  const price = priceIn(params, world, subscription);
  if (isOver(subscription) && (end ?? price) !== undefined) {
    throw Refusal.invalid('A canceled subscription can only update its cancellation_details and metadata.');
  }
  if (price) {
    applyPlanChange(world, subscription, planChange(world, subscription, price), behavior === 'allow_incomplete');
  }
  const metadata = { ...subscription.metadata, ...(params.metadata as Stripe.Metadata | undefined) };
  const changes = { ...end, metadata };
  const isSame = JSON.stringify({ ...subscription, ...changes }) === JSON.stringify(subscription);
  if (!isSame) world.change(subscription, 'customer.subscription.updated', changes);
  return subscription;
}

/** A scheduled end, or none any more; repeating what holds already changes nothing. */
function endIn(
  { cancel_at_period_end: atPeriodEnd, cancel_at: cancelAt }: Stripe.SubscriptionUpdateParams,
  world: World,
  subscription: Stripe.Subscription,
): Partial<Stripe.Subscription> | undefined {
  if (atPeriodEnd !== undefined && cancelAt !== undefined) {
    throw Refusal.invalid('You may only specify one of these parameters: cancel_at, cancel_at_period_end.');
  }
  if (cancelAt !== undefined) return endAt(world, typeof cancelAt === 'number' ? cancelAt : null);
  if (atPeriodEnd === undefined) return undefined;
  if (atPeriodEnd === subscription.cancel_at_period_end) return {};
  const at = atPeriodEnd ? periodOf(subscription).end : null;
  return { ...endAt(world, at), cancel_at_period_end: atPeriodEnd };
}

type PlanParams = Pick<Stripe.SubscriptionUpdateParams, 'items' | 'proration_behavior'>;

function priceIn(params: PlanParams, world: World, subscription: Stripe.Subscription): Stripe.Price | undefined {
  const [item, ...more] = params.items ?? [];
  if (!item) return undefined;
  if (item.id !== itemOf(subscription).id || more.length > 0) {
    throw Refusal.invalid('The development Stripe changes the one item of a subscription, by its id.');
  }
  // Another interval is always invoiced at once; in the same one this Stripe does so too.
  if (params.proration_behavior === 'none') throw Refusal.invalid('The development Stripe gives unused time back.');
  return found(world.prices, 'price', item.price, 'items[0][price]');
}

/** An invoice of a change now, or of the next period. Nothing is stored. */
function previewInvoice({ params, world }: Call<Stripe.InvoiceCreatePreviewParams>): object {
  const subscription = found(world.subscriptions, 'subscription', params.subscription, 'subscription');
  if (isOver(subscription)) {
    const message = `No upcoming invoices for customer: ${subscription.customer as string}`;
    throw new Refusal(404, { type: 'invalid_request_error', code: 'invoice_upcoming_none', message });
  }
  const price = priceIn(params.subscription_details ?? {}, world, subscription) ?? itemOf(subscription).price;
  const changing = planChange(world, subscription, price).lines;
  const period = periodOf(subscription);
  const upcoming = periodLine(price, periodAt(subscription.billing_cycle_anchor, price, period.end));
  const isNow = changing.length > 0;
  const lines = linesOf(world, subscription, isNow ? changing : [upcoming]);
  const customer = world.customerOf(subscription);
  const created = isNow ? world.time.seconds : period.end;
  const reason = isNow ? 'subscription_update' : 'upcoming';
  const invoice = anInvoice({ reason, lines, subscription, customer, created, period });
  const { due, ending } = balanced(invoice.total, customer.balance);
  const amounts = { amount_due: due, amount_remaining: due, ending_balance: ending };
  return { ...invoice, id: newId('upcoming_in'), ...amounts };
}
