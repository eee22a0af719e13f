import type Stripe from 'stripe';
import { applyPlanChange, planChange } from '../billing/changing-plan';
import { withDiscounts } from '../billing/discounting';
import { endAt, endSubscription } from '../billing/ending';
import { balanced, periodLine, periodOf } from '../billing/invoicing';
import { periodAt } from '../world/stripe-time';
import { call, type Call, type Calls, found, isOrAny, listing, Refusal, retrieval } from './call';
import { anInvoice, type NewLine } from '../objects/money';
import { isOver, itemOf } from '../objects/sales';
import { newId } from '../world/ids';
import type { World } from '../world/world';

const PLAN = ['items.id', 'items.price', 'proration_behavior'];

export const SUBSCRIPTION_CALLS: Calls = {
  'GET /v1/subscriptions/:id': retrieval('subscription', ({ subscriptions }) => subscriptions),
  ...listing<Stripe.SubscriptionListParams, Stripe.Subscription>(
    '/v1/subscriptions',
    ['customer', 'status'],
    ({ world }) => world.subscriptions.values(),
    (subscription, { customer, status }) =>
      isOrAny(customer, subscription.customer) && (status === 'all' || !isOver(subscription)),
  ),
  ...listing(
    '/v1/subscription_items',
    ['subscription'],
    ({ params, world }: Call<Stripe.SubscriptionItemListParams>) =>
      found(world.subscriptions, 'subscription', params.subscription, 'subscription').items.data,
  ),
  'POST /v1/subscriptions/:id': call(
    [...PLAN, 'payment_behavior', 'metadata', 'cancel_at_period_end', 'cancel_at'],
    updateSubscription,
  ),
  'DELETE /v1/subscriptions/:id': call<Stripe.SubscriptionCancelParams>(
    ['invoice_now', 'prorate'],
    ({ params, world, id }) => {
      const subscription = found(world.subscriptions, 'subscription', id);
      if (params.invoice_now || params.prorate) {
        throw Refusal.invalid('The development Stripe ends without a last invoice.', 'invoice_now');
      }
      if (isOver(subscription)) throw Refusal.missing('subscription', id);
      endSubscription(world, subscription, 'cancellation_requested');
      return subscription;
    },
  ),
  'POST /v1/invoices/create_preview': call(
    ['subscription', ...PLAN.map((name) => `subscription_details.${name}`)],
    previewInvoice,
  ),
};

function updateSubscription({ params, world, id }: Call<Stripe.SubscriptionUpdateParams>): object {
  const subscription = found(world.subscriptions, 'subscription', id);
  const { payment_behavior: behavior = 'allow_incomplete' } = params;
  const metadata = { ...subscription.metadata, ...(params.metadata as Stripe.Metadata | undefined) };
  const end = endIn(params, world, subscription);
  const price = priceIn(params, world, subscription);
  if (isOver(subscription) && (end ?? price) !== undefined) {
    throw Refusal.invalid('A canceled subscription can only update its cancellation_details and metadata.');
  }
  if (behavior === 'pending_if_incomplete' && end) {
    throw Refusal.invalid('A change that waits for its payment can be of items alone.', 'payment_behavior');
  }
  if (price) applyPlanChange(world, subscription, planChange(world, subscription, price), behavior);
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
  if (atPeriodEnd !== undefined) {
    if (atPeriodEnd === subscription.cancel_at_period_end) return {};
    const at = atPeriodEnd ? periodOf(subscription).end : null;
    return { ...endAt(world, subscription, at), cancel_at_period_end: atPeriodEnd };
  }
  if (cancelAt === undefined) return undefined;
  if (typeof cancelAt === 'number' && cancelAt <= world.time.seconds) {
    throw Refusal.invalid('`cancel_at` must be in the future.', 'cancel_at');
  }
  return endAt(world, subscription, typeof cancelAt === 'number' ? cancelAt : null);
}

type PlanParams = Pick<Stripe.SubscriptionUpdateParams, 'items' | 'proration_behavior'>;

function priceIn(params: PlanParams, world: World, subscription: Stripe.Subscription): Stripe.Price | undefined {
  const [item, ...more] = params.items ?? [];
  if (!item) return undefined;
  if (item.id !== itemOf(subscription).id || more.length > 0) {
    throw Refusal.invalid('The development Stripe changes the one item of a subscription, by its id.', 'items[0][id]');
  }
  // Another interval is always invoiced at once; in the same one this Stripe does so too.
  if (params.proration_behavior === 'none') {
    throw Refusal.invalid('The development Stripe gives unused time back.', 'proration_behavior');
  }
  return found(world.prices, 'price', item.price ?? '', 'items[0][price]');
}

/** An invoice of a change now, or of the next period. Nothing is stored. */
function previewInvoice({ params, world }: Call<Stripe.InvoiceCreatePreviewParams>): object {
  const id = params.subscription ?? '';
  const subscription = found(world.subscriptions, 'subscription', id, 'subscription');
  if (!['active', 'trialing', 'past_due', 'unpaid'].includes(subscription.status)) {
    const message = `No upcoming invoices for customer: ${subscription.customer as string}`;
    throw new Refusal(404, { type: 'invalid_request_error', code: 'invoice_upcoming_none', message });
  }
  const wanted = priceIn(params.subscription_details ?? {}, world, subscription);
  const { lines } = wanted ? planChange(world, subscription, wanted) : { lines: [] };
  const waiting = world.pendingLines.get(id) ?? [];
  if (lines.length > 0) return preview(world, subscription, [...waiting, ...lines], world.time.seconds);
  const { end } = periodOf(subscription);
  const price = wanted ?? itemOf(subscription).price;
  const next = periodLine(price, periodAt(subscription.billing_cycle_anchor, price, end));
  return preview(world, subscription, [...waiting, next], end);
}

function preview(world: World, subscription: Stripe.Subscription, wanted: NewLine[], created: number): Stripe.Invoice {
  const customer = world.customers.get(subscription.customer as string)!;
  const lines = wanted.map((line) => withDiscounts(world, subscription, line));
  const reason = created === world.time.seconds ? 'subscription_update' : 'upcoming';
  const invoice = anInvoice({ reason, lines, subscription, customer, created, period: periodOf(subscription) });
  const { due, ending } = balanced(invoice.total, customer.balance);
  const amounts = { amount_due: due, amount_remaining: due, ending_balance: ending };
  return { ...invoice, id: newId('upcoming_in'), ...amounts, next_payment_attempt: created + 3_600 };
}
