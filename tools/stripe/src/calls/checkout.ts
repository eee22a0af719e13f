import type Stripe from 'stripe';
import { expireSession } from '../billing/ending';
import { DAY_SECONDS } from '../world/stripe-time';
import { call, type Call, type Calls, found, Refusal, retrieval } from './call';
import { anObject } from '../schema/published';
import { newId } from '../world/ids';

export const CHECKOUT_CALLS: Calls = {
  'POST /v1/checkout/sessions': call(
    [
      'mode',
      'customer',
      'client_reference_id',
      'metadata',
      'success_url',
      'cancel_url',
      'line_items.price',
      'line_items.quantity',
      'subscription_data.metadata',
      'subscription_data.trial_period_days',
    ],
    createSession,
  ),
  'GET /v1/checkout/sessions/:id': retrieval('checkout.session', ({ sessions }) => sessions),
  'POST /v1/checkout/sessions/:id/expire': call([], ({ world, id }) => {
    const session = found(world.sessions, 'checkout.session', id);
    if (session.status !== 'open') {
      throw Refusal.invalid('Only Checkout Sessions with a status in ["open"] can be expired.');
    }
    expireSession(world, session);
    return session;
  }),
  'POST /v1/billing_portal/sessions': call(
    [
      'customer',
      'return_url',
      'flow_data.type',
      'flow_data.after_completion.type',
      'flow_data.after_completion.redirect.return_url',
    ],
    createPortalSession,
  ),
};

function createSession({ params, world }: Call<Stripe.Checkout.SessionCreateParams>): object {
  const { mode, line_items: items = [], subscription_data: data = {}, success_url: success = null } = params;
  if (mode !== 'subscription') throw Refusal.invalid('The development Stripe knows mode subscription alone.', 'mode');
  const [item, ...more] = items;
  if (!item || more.length > 0 || (item.quantity ?? 1) !== 1) {
    throw Refusal.invalid('The development Stripe takes exactly one line item.', 'line_items');
  }
  const price = found(world.prices, 'price', item.price ?? '', 'line_items[0][price]');
  const { trial_period_days: trialDays = null, metadata = {} } = data;
  const { customer = null, cancel_url: cancel = null, client_reference_id: reference = null } = params;
  if (customer !== null) found(world.customers, 'customer', customer, 'customer');
  assertUrl(success?.replaceAll('{CHECKOUT_SESSION_ID}', 'id') ?? '', 'success_url');
  if (cancel !== null) assertUrl(cancel, 'cancel_url');
  const id = newId('cs_test', 58);
  const created = world.time.seconds;
  const amount = trialDays === null ? price.unit_amount : 0;
  const session = anObject<Stripe.Checkout.Session>('checkout.session', {
    id,
    amount_subtotal: amount,
    amount_total: amount,
    cancel_url: cancel,
    client_reference_id: reference,
    created,
    currency: price.currency,
    customer,
    expires_at: created + DAY_SECONDS,
    metadata: (params.metadata ?? {}) as Stripe.Metadata,
    mode,
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    status: 'open',
    success_url: success,
    url: `${world.address}/checkout/${id}`,
  });
  world.plannedSubscriptions.set(id, { price, trialDays, metadata: metadata as Stripe.Metadata });
  return world.add(world.sessions, session);
}

function createPortalSession({ params, world }: Call<Stripe.BillingPortal.SessionCreateParams>): object {
  const customer = found(world.customers, 'customer', params.customer ?? '', 'customer');
  const { return_url = null, flow_data: flow } = params;
  if (return_url !== null) assertUrl(return_url, 'return_url');
  if (flow && flow.type !== 'payment_method_update') {
    throw Refusal.invalid('The development Stripe knows the flow payment_method_update alone.', 'flow_data[type]');
  }
  const redirect = flow?.after_completion?.redirect ?? null;
  const id = newId('bps');
  const session = anObject<Stripe.BillingPortal.Session>('billing_portal.session', {
    id,
    configuration: newId('bpc'),
    created: world.time.seconds,
    customer: customer.id,
    return_url,
    url: `${world.address}/portal/${id}`,
    flow: flow
      ? anObject('portal_flows_flow', {
          type: flow.type,
          after_completion: anObject('portal_flows_flow_after_completion', {
            ...(redirect ? { redirect, type: 'redirect' } : { type: 'portal_homepage' }),
          }),
        })
      : null,
  });
  return world.add(world.portalSessions, session, 'billing_portal.session.created');
}

function assertUrl(address: string, param: string): void {
  if (!URL.canParse(address)) throw Refusal.invalid('Not a valid URL', param, 'url_invalid');
}
