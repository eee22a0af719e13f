import type Stripe from 'stripe';
import { expireSession } from '../billing/ending';
import { anObject, newId } from '../schema/published';
import { DAY_SECONDS } from '../world/stripe-time';
import { call, type Call, type Calls, found, Refusal, retrieval } from './call';

const SESSION = ['mode', 'customer', 'client_reference_id', 'metadata', 'success_url', 'cancel_url', 'line_items'];

/** Pages where people pay, and change what they have. */
export const CHECKOUT_CALLS: Calls = {
  'POST /v1/checkout/sessions': call([...SESSION, 'subscription_data'], createSession),
  'GET /v1/checkout/sessions/:id': retrieval('checkout.session', ({ sessions }) => sessions),
  'POST /v1/checkout/sessions/:id/expire': call([], ({ world, id }) => {
    const session = found(world.sessions, 'checkout.session', id);
    if (session.status !== 'open') throw Refusal.invalid('Only open Checkout Sessions can be expired.');
    expireSession(world, session);
    return session;
  }),
  'POST /v1/billing_portal/sessions': call(['customer', 'return_url', 'flow_data'], createPortalSession),
};

function createSession({ params, world }: Call<Stripe.Checkout.SessionCreateParams>): object {
  const { mode, line_items: [item, ...more] = [], subscription_data: data = {}, success_url, cancel_url } = params;
  if (mode !== 'subscription') throw Refusal.invalid('The development Stripe knows mode subscription alone.');
  if (!item || more.length > 0 || (item.quantity ?? 1) !== 1) {
    throw Refusal.invalid('The development Stripe takes exactly one line item.', { param: 'line_items' });
  }
  const price = found(world.prices, 'price', item.price, 'line_items[0][price]');
  if (params.customer !== undefined) found(world.customers, 'customer', params.customer, 'customer');
  assertUrl(success_url ?? '', 'success_url');
  if (cancel_url !== undefined) assertUrl(cancel_url, 'cancel_url');
  const id = newId('cs_test', 58);
  const created = world.time.seconds;
  const { trial_period_days: trialDays = null, metadata = {} } = data;
  const amount = trialDays === null ? price.unit_amount : 0;
  world.plannedSubscriptions.set(id, { price, trialDays, metadata: metadata as Stripe.Metadata });
  const session = anObject<Stripe.Checkout.Session>('checkout.session', {
    id,
    amount_subtotal: amount,
    amount_total: amount,
    cancel_url: cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    created,
    currency: price.currency,
    customer: params.customer ?? null,
    expires_at: created + DAY_SECONDS,
    metadata: (params.metadata ?? {}) as Stripe.Metadata,
    mode,
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    status: 'open',
    success_url: success_url ?? null,
    url: `${world.address}/checkout/${id}`,
  });
  return world.add(world.sessions, session);
}

function createPortalSession({ params, world }: Call<Stripe.BillingPortal.SessionCreateParams>): object {
  const customer = found(world.customers, 'customer', params.customer, 'customer');
  const { return_url = null, flow_data: flow } = params;
  if (return_url !== null) assertUrl(return_url, 'return_url');
  if (flow && flow.type !== 'payment_method_update') {
    throw Refusal.invalid('The development Stripe knows the flow payment_method_update alone.');
  }
  const id = newId('bps');
  const session = anObject<Stripe.BillingPortal.Session>('billing_portal.session', {
    id,
    configuration: newId('bpc'),
    created: world.time.seconds,
    customer: customer.id,
    return_url,
    url: `${world.address}/portal/${id}`,
    flow: flow ? anObject('portal_flows_flow', { type: flow.type }) : null,
  });
  return world.add(world.portalSessions, session, 'billing_portal.session.created');
}

function assertUrl(address: string, param: string): void {
  const example = address.replaceAll('{CHECKOUT_SESSION_ID}', 'id');
  if (!URL.canParse(example)) throw Refusal.invalid('Not a valid URL', { param, code: 'url_invalid' });
}
