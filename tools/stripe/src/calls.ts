import type Stripe from 'stripe';
import { changePlan, planChange } from './changes';
import { anInvoice, balanced, periodLine, subscriptionOf } from './invoices';
import { DAY_SECONDS, periodAt } from './periods';
import { anObject, newId } from './schema/published';
import { deleteCustomer, endAt, endSubscription, expireSession, isOver, periodOf } from './subscriptions';
import { Refusal, type Subscription, type World } from './world';

interface Call<Params> {
  params: Params;
  world: World;
  /** The parameter of the path: `/v1/customers/:id`. */
  id: string;
}

export interface Handler {
  /** Parameters that it reads: any other is refused, so that nothing is ignored silently. */
  reads: readonly string[];
  /** Answers a call with an object, or throws a Refusal. */
  answer: (call: Call<never>) => object;
}

/** A call with the parameters that Stripe's own client declares. */
function call<Params>(reads: readonly string[], answer: (call: Call<Params>) => object): Handler {
  return { reads, answer };
}

function retrieval(tableOf: (world: World) => { get(id: string): object }): Handler {
  return call([], ({ world, id }) => tableOf(world).get(id));
}

interface ListParams {
  limit?: number;
  starting_after?: string;
  created?: { gte?: number };
}

/** A list of objects, the newest first, by pages. @param isWanted by its own parameters */
function listing<Params, Kept extends { id: string; created: number }>(
  url: string,
  reads: readonly string[],
  all: (world: World, params: Params) => readonly Kept[],
  isWanted: (object: Kept, params: Params) => boolean = () => true,
): Record<string, Handler> {
  const list = call<Params & ListParams>([...reads, 'limit', 'starting_after', 'created'], ({ params, world }) => {
    const { limit = 10, starting_after: after, created: { gte: since = 0 } = {} } = params;
    const wanted = all(world, params).filter((one) => one.created >= since && isWanted(one, params));
    wanted.reverse();
    const start = after === undefined ? 0 : wanted.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && start === 0)
      throw new Refusal(`No such object: '${after}'`, { code: 'resource_missing', param: 'starting_after' });
    return { object: 'list', data: wanted.slice(start, start + limit), has_more: wanted.length > start + limit, url };
  });
  return { [`GET ${url}`]: list };
}

/** A filter that is not given takes everything. */
function isOrAny(wanted: unknown, value: unknown): boolean {
  return wanted === undefined || wanted === value;
}

const SESSION = ['mode', 'customer', 'client_reference_id', 'metadata', 'success_url', 'cancel_url', 'line_items'];
const UPDATE = ['items', 'proration_behavior', 'payment_behavior', 'metadata', 'cancel_at_period_end', 'cancel_at'];

/** By method and path. */
export const CALLS: Record<string, Handler> = {
  'POST /v1/checkout/sessions': call([...SESSION, 'subscription_data'], createSession),
  'GET /v1/checkout/sessions/:id': retrieval(({ sessions }) => sessions),
  'POST /v1/checkout/sessions/:id/expire': call([], ({ world, id }) => {
    const session = world.sessions.get(id);
    if (session.status !== 'open') throw new Refusal('Only open Checkout Sessions can be expired.');
    expireSession(world, session);
    return session;
  }),
  'POST /v1/billing_portal/sessions': call(['customer', 'return_url', 'flow_data'], createPortalSession),

  'GET /v1/subscriptions/:id': retrieval(({ subscriptions }) => subscriptions),
  ...listing<Stripe.SubscriptionListParams, Subscription>(
    '/v1/subscriptions',
    ['customer'],
    ({ subscriptions }) => subscriptions.all,
    (subscription, { customer }) => isOrAny(customer, subscription.customer) && !isOver(subscription),
  ),
  ...listing<Stripe.SubscriptionItemListParams, Stripe.SubscriptionItem>(
    '/v1/subscription_items',
    ['subscription'],
    ({ subscriptions }, { subscription }) => subscriptions.get(subscription, 'subscription').items.data,
  ),
  'POST /v1/subscriptions/:id': call(UPDATE, updateSubscription),
  'DELETE /v1/subscriptions/:id': call<Stripe.SubscriptionCancelParams>(
    ['invoice_now', 'prorate'],
    ({ params, world, id }) => {
      if (params.invoice_now || params.prorate) throw new Refusal('This Stripe ends without a last invoice.');
      const subscription = world.subscriptions.get(id);
      if (isOver(subscription)) throw new Refusal(`No such subscription: '${id}'`, { code: 'resource_missing' }, 404);
      endSubscription(world, subscription);
      return subscription;
    },
  ),

  'POST /v1/customers': call<Stripe.CustomerCreateParams>(['metadata'], ({ params, world }) => {
    const metadata = { ...(params.metadata as Stripe.Metadata | undefined) };
    return world.customers.add({ balance: 0, metadata }, 'customer.created');
  }),
  'POST /v1/customers/:id': call<Stripe.CustomerUpdateParams>(['metadata'], ({ params, world, id }) => {
    const customer = world.customers.get(id);
    const metadata = { ...customer.metadata, ...(params.metadata as Stripe.Metadata | undefined) };
    world.change(customer, 'customer.updated', { metadata });
    return customer;
  }),
  'GET /v1/customers/:id': call([], ({ world, id }) =>
    world.deletedCustomers.has(id) ? { id, object: 'customer', deleted: true } : world.customers.get(id),
  ),
  'DELETE /v1/customers/:id': call([], ({ world, id }) => {
    deleteCustomer(world, world.customers.get(id));
    return { id, object: 'customer', deleted: true };
  }),
  ...listing('/v1/customers', [], ({ customers }) => customers.all),

  'GET /v1/invoices/:id': retrieval(({ invoices }) => invoices),
  ...listing<Stripe.InvoiceListParams, Stripe.Invoice>(
    '/v1/invoices',
    ['status', 'subscription'],
    ({ invoices }) => invoices.all,
    (invoice, { status, subscription }) =>
      isOrAny(status, invoice.status) && isOrAny(subscription, subscriptionOf(invoice)),
  ),
  'POST /v1/invoices/create_preview': call(['subscription', 'subscription_details'], previewInvoice),
  ...listing<Stripe.InvoicePaymentListParams, Stripe.InvoicePayment>(
    '/v1/invoice_payments',
    ['payment'],
    ({ payments }) => payments.all,
    (paying, { payment }) => isOrAny(payment?.payment_intent, paying.payment.payment_intent),
  ),

  'GET /v1/prices/:id': retrieval(({ prices }) => prices),
  'GET /v1/charges/:id': retrieval(({ charges }) => charges),
  'GET /v1/events/:id': retrieval(({ events }) => events),
  ...listing('/v1/events', [], ({ events }) => events.all),
};

function createSession({ params, world }: Call<Stripe.Checkout.SessionCreateParams>): object {
  const { mode, line_items: [item, ...more] = [], subscription_data: data = {}, success_url, cancel_url } = params;
  if (mode !== 'subscription' || !item || more.length > 0 || (item.quantity ?? 1) !== 1) {
    throw new Refusal('The development Stripe sells one subscription at a time.', { param: 'line_items' });
  }
  const price = world.prices.get(item.price, 'line_items[0][price]');
  if (params.customer !== undefined) world.customers.get(params.customer, 'customer');
  const id = newId('cs_test');
  const { trial_period_days: trialDays = null, metadata = {} } = data;
  const amount = trialDays === null ? price.unit_amount : 0;
  world.offers.set(id, { price, trialDays, metadata: metadata as Stripe.Metadata });
  return world.sessions.add({
    id,
    amount_subtotal: amount,
    amount_total: amount,
    cancel_url: cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    currency: price.currency,
    customer: params.customer ?? null,
    expires_at: world.seconds + DAY_SECONDS,
    metadata: (params.metadata ?? {}) as Stripe.Metadata,
    mode,
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    status: 'open',
    success_url: success_url ?? null,
    url: `${world.address}/checkout/${id}`,
  });
}

function createPortalSession({ params, world }: Call<Stripe.BillingPortal.SessionCreateParams>): object {
  const { return_url = null, flow_data: flow } = params;
  const { id: customer } = world.customers.get(params.customer, 'customer');
  if (flow && flow.type !== 'payment_method_update') {
    throw new Refusal('The development Stripe knows the flow payment_method_update alone.');
  }
  const id = newId('bps');
  const session = {
    id,
    configuration: newId('bpc'),
    customer,
    return_url,
    url: `${world.address}/portal/${id}`,
    flow: flow ? anObject<Stripe.BillingPortal.Session.Flow>('portal_flows_flow', { type: flow.type }) : null,
  };
  return world.portalSessions.add(session, 'billing_portal.session.created');
}

function updateSubscription({ params, world, id }: Call<Stripe.SubscriptionUpdateParams>): object {
  const subscription = world.subscriptions.get(id);
  const end = endIn(params, world, subscription);
  const price = priceIn(params, world, subscription);
  if (isOver(subscription) && (end ?? price) !== undefined) {
    throw new Refusal('A canceled subscription can only update its cancellation_details and metadata.');
  }
  if (price) changePlan(world, subscription, price, params.payment_behavior !== 'error_if_incomplete');
  const metadata = { ...subscription.metadata, ...(params.metadata as Stripe.Metadata | undefined) };
  const changes = { ...end, metadata };
  const isSame = JSON.stringify({ ...subscription, ...changes }) === JSON.stringify(subscription);
  if (!isSame) world.change(subscription, 'customer.subscription.updated', changes);
  return subscription;
}

/** An end with the period, or none any more; repeating what holds already changes nothing. */
function endIn(
  { cancel_at_period_end: atPeriodEnd, cancel_at: cancelAt }: Stripe.SubscriptionUpdateParams,
  world: World,
  subscription: Subscription,
): Partial<Subscription> | undefined {
  if (atPeriodEnd === undefined && cancelAt === undefined) return undefined;
  if (cancelAt !== undefined && ((cancelAt as unknown) !== '' || atPeriodEnd !== undefined)) {
    throw new Refusal('The development Stripe only takes an end back by cancel_at, and by nothing besides.');
  }
  if (atPeriodEnd === subscription.cancel_at_period_end) return {};
  const end = endAt(world, atPeriodEnd ? periodOf(subscription).end : null);
  return { ...end, cancel_at_period_end: atPeriodEnd ?? false };
}

type PlanParams = Pick<Stripe.SubscriptionUpdateParams, 'items' | 'proration_behavior'>;

function priceIn(params: PlanParams, world: World, { items }: Subscription): Stripe.Price | undefined {
  const [item, ...more] = params.items ?? [];
  if (!item) return undefined;
  // Another interval is always invoiced at once; in the same one this Stripe does so too.
  if (item.id !== items.data[0]!.id || more.length > 0 || params.proration_behavior === 'none') {
    throw new Refusal('The development Stripe changes one item, by its id, and gives unused time back.');
  }
  return world.prices.get(item.price, 'items[0][price]');
}

/** An invoice of a change now, or of the next period. Nothing is stored. */
function previewInvoice({ params, world }: Call<Stripe.InvoiceCreatePreviewParams>): object {
  const subscription = world.subscriptions.get(params.subscription, 'subscription');
  if (isOver(subscription)) {
    throw new Refusal('No upcoming invoices for customer', { code: 'invoice_upcoming_none' }, 404);
  }
  const price = priceIn(params.subscription_details ?? {}, world, subscription) ?? subscription.items.data[0]!.price;
  const change = planChange(world, subscription, price);
  const period = periodOf(subscription);
  const next = periodAt(subscription.billing_cycle_anchor, price, period.end);
  const invoice = anInvoice(world, subscription, {
    reason: change ? 'subscription_update' : 'upcoming',
    lines: change?.lines ?? [periodLine(world, subscription, price, next)],
    period,
  });
  const { due, ending } = balanced(invoice.total, invoice.starting_balance);
  const amounts = { amount_due: due, amount_remaining: due, ending_balance: ending };
  return { ...invoice, id: newId('upcoming_in'), created: change ? world.seconds : period.end, ...amounts };
}
