import type Stripe from 'stripe';
import { planChange, type ProrationBehavior } from '../billing/changing-plan';
import { endAt, endSubscription } from '../billing/ending';
import { periodOf } from '../billing/invoicing';
import { applyPlanChange, PAYMENT_BEHAVIORS } from '../billing/updating';
import type { Params } from '../http/params';
import { Refusal } from '../http/refusal';
import { isOver, itemOf } from '../objects/subscriptions';
import type { World } from '../world/world';
import { found, isOrAny, listed, withinRange, type Call, type Calls } from './call';

export const PRORATIONS: readonly ProrationBehavior[] = ['always_invoice', 'create_prorations', 'none'];

export const SUBSCRIPTION_CALLS: Calls = {
  'GET /v1/subscriptions': ({ params, world }) => {
    const customer = params.text('customer');
    const price = params.text('price');
    const status = params.text('status');
    const created = withinRange(params, 'created');
    const wanted = (subscription: Stripe.Subscription) =>
      created(subscription.created) &&
      isOrAny(customer, subscription.customer) &&
      isOrAny(price, itemOf(subscription).price.id) &&
      hasStatus(subscription, status);
    return listed(params, '/v1/subscriptions', world.subscriptions.values(), wanted);
  },
  'GET /v1/subscriptions/:id': ({ params, world, id }) => {
    params.finish();
    return found(world.subscriptions, 'subscription', id);
  },
  'GET /v1/subscription_items': ({ params, world }) => {
    const subscription = found(world.subscriptions, 'subscription', params.required('subscription'), 'subscription');
    return listed(params, '/v1/subscription_items', subscription.items.data);
  },
  'POST /v1/subscriptions/:id': updateSubscription,
  'DELETE /v1/subscriptions/:id': ({ params, world, id }) => {
    const subscription = found(world.subscriptions, 'subscription', id);
    const details = detailsIn(params);
    for (const name of ['invoice_now', 'prorate']) {
      if (params.boolean(name)) throw Refusal.invalid('The development Stripe ends without a last invoice.', name);
    }
    params.finish();
    if (isOver(subscription)) throw Refusal.missing('subscription', id);
    subscription.cancellation_details = { ...subscription.cancellation_details!, ...details };
    endSubscription(world, subscription, 'cancellation_requested');
    return subscription;
  },
};

/** Without a status all but the ended ones. */
function hasStatus(subscription: Stripe.Subscription, status: string | undefined): boolean {
  const { status: has } = subscription;
  if (status === undefined) return has !== 'canceled';
  if (status === 'ended') return isOver(subscription);
  return status === 'all' || status === has;
}

function updateSubscription({ params, world, id }: Call): object {
  const subscription = found(world.subscriptions, 'subscription', id);
  const metadata = params.metadata(subscription.metadata);
  const details = detailsIn(params);
  const end = endIn(params, world, subscription);
  const pause = pauseIn(params);
  const plan = planIn(params, world, subscription);
  const behavior = params.oneOf('payment_behavior', PAYMENT_BEHAVIORS) ?? 'allow_incomplete';
  params.finish();
  if (isOver(subscription) && (end ?? pause ?? plan) !== undefined) {
    throw Refusal.invalid('A canceled subscription can only update its cancellation_details and metadata.');
  }
  if (behavior === 'pending_if_incomplete' && (end ?? pause)) {
    throw Refusal.invalid('A change that waits for its payment can be of items alone.', 'payment_behavior');
  }
  if (plan) applyPlanChange(world, subscription, planChange(world, subscription, plan), behavior);
  const cancellation_details = { ...subscription.cancellation_details!, ...end?.cancellation_details, ...details };
  const changes = { ...end, ...pause, cancellation_details, metadata };
  if (differs(subscription, changes)) world.change(subscription, 'customer.subscription.updated', changes);
  return subscription;
}

function differs(subscription: Stripe.Subscription, changes: Partial<Stripe.Subscription>): boolean {
  return JSON.stringify({ ...subscription, ...changes }) !== JSON.stringify(subscription);
}

function detailsIn(params: Params): Partial<Stripe.Subscription.CancellationDetails> {
  const given = params.object('cancellation_details');
  const comment = given?.text('comment');
  const feedback = given?.text('feedback');
  return { ...(comment !== undefined && { comment }), ...(feedback !== undefined && { feedback }) };
}

/** A scheduled end, or none any more; repeating what holds already changes nothing. */
function endIn(
  params: Params,
  world: World,
  subscription: Stripe.Subscription,
): Partial<Stripe.Subscription> | undefined {
  const atPeriodEnd = params.boolean('cancel_at_period_end');
  const cancelAt = params.isText('cancel_at') ? params.text('cancel_at') : undefined;
  if (atPeriodEnd !== undefined && cancelAt !== undefined) {
    throw Refusal.invalid('You may only specify one of these parameters: cancel_at, cancel_at_period_end.');
  }
  if (atPeriodEnd !== undefined) {
    if (atPeriodEnd === subscription.cancel_at_period_end) return {};
    const at = atPeriodEnd ? periodOf(subscription).end : null;
    return { ...endAt(world, subscription, at), cancel_at_period_end: atPeriodEnd };
  }
  if (cancelAt === undefined) return undefined;
  if (cancelAt === '') return endAt(world, subscription, null);
  const named = cancelAt === 'min_period_end' || cancelAt === 'max_period_end';
  const at = named ? periodOf(subscription).end : params.integer('cancel_at')!;
  if (at <= world.time.seconds) throw Refusal.invalid('`cancel_at` must be in the future.', 'cancel_at');
  return endAt(world, subscription, at);
}

function pauseIn(params: Params): Partial<Stripe.Subscription> | undefined {
  if (!params.has('pause_collection')) return undefined;
  const pause = params.object('pause_collection');
  if (!pause) return { pause_collection: null };
  const behavior = pause.oneOf('behavior', ['keep_as_draft', 'mark_uncollectible', 'void']);
  if (behavior === undefined) pause.required('behavior');
  return { pause_collection: { behavior: behavior!, resumes_at: pause.integer('resumes_at') ?? null } };
}

export function planIn(params: Params, world: World, subscription: Stripe.Subscription) {
  const [item, ...more] = params.list('items');
  const behavior = params.oneOf('proration_behavior', PRORATIONS) ?? 'create_prorations';
  const at = params.integer('proration_date') ?? world.time.seconds;
  if (!item) return undefined;
  const id = item.text('id');
  if (id !== itemOf(subscription).id || more.length > 0) {
    throw Refusal.invalid('The development Stripe changes the one item of a subscription, by its id.', 'items[0][id]');
  }
  const price = found(world.prices, 'price', item.required('price'), 'items[0][price]');
  const quantity = item.integer('quantity') ?? 1;
  if (quantity !== 1) throw Refusal.invalid('The development Stripe knows quantity 1 alone.', 'items[0][quantity]');
  return { price, behavior, at };
}
