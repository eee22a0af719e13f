import type Stripe from 'stripe';
import { expireSession } from '../billing/checkout';
import { DAY_SECONDS } from '../billing/periods';
import type { Params } from '../http/params';
import { Refusal } from '../http/refusal';
import { aCheckoutSession, aLineItem } from '../objects/checkout-sessions';
import { newId } from '../world/ids';
import type { World } from '../world/world';
import { found, type Call, type Calls } from './call';

const LIFE_SECONDS = DAY_SECONDS;
const SHORTEST_LIFE_SECONDS = 1_800;

export const CHECKOUT_CALLS: Calls = {
  'POST /v1/checkout/sessions': createSession,
  'GET /v1/checkout/sessions/:id': ({ params, world, id }) => {
    params.finish();
    return found(world.sessions, 'checkout.session', id);
  },
  'POST /v1/checkout/sessions/:id/expire': ({ params, world, id }) => {
    const session = found(world.sessions, 'checkout.session', id);
    params.finish();
    if (session.status !== 'open') {
      throw Refusal.invalid('Only Checkout Sessions with a status in ["open"] can be expired.');
    }
    expireSession(world, session);
    return session;
  },
};

function createSession({ params, world }: Call): object {
  if (params.required('mode') !== 'subscription') {
    throw Refusal.invalid('The development Stripe knows mode subscription alone.', 'mode');
  }
  const uiMode = params.oneOf('ui_mode', ['hosted_page']);
  if (uiMode === undefined && !params.has('success_url')) params.required('success_url');
  const lineItem = lineItemIn(params, world);
  const { trialDays, metadata } = subscriptionIn(params.object('subscription_data'));
  const id = newId('cs_test', 58);
  const session = aCheckoutSession({
    id,
    address: world.address,
    created: world.time.seconds,
    expiresAt: expiryIn(params, world),
    price: lineItem.price!,
    quantity: lineItem.quantity!,
    customer: customerIn(params, world),
    customerEmail: params.text('customer_email') ?? null,
    clientReferenceId: params.text('client_reference_id') ?? null,
    successUrl: addressIn(params, 'success_url'),
    cancelUrl: addressIn(params, 'cancel_url'),
    metadata: params.metadata(),
    trial: trialDays !== null,
  });
  acceptCardOptions(params);
  params.finish();
  world.lineItems.set(id, [lineItem]);
  world.plannedSubscriptions.set(id, { trialDays, metadata });
  return world.add(world.sessions, session);
}

function lineItemIn(params: Params, world: World): Stripe.LineItem {
  const items = params.list('line_items');
  if (items.length !== 1) throw Refusal.invalid('The development Stripe takes exactly one line item.', 'line_items');
  const price = items[0]!.required('price');
  return aLineItem(found(world.prices, 'price', price, 'line_items[0][price]'), items[0]!.integer('quantity') ?? 1);
}

function subscriptionIn(data: Params | undefined) {
  const trialDays = data?.integer('trial_period_days') ?? null;
  if (trialDays !== null && (trialDays < 1 || trialDays > 730)) {
    throw Refusal.invalid('The trial must have 1 to 730 days.', 'subscription_data[trial_period_days]');
  }
  return { trialDays, metadata: data?.metadata() ?? {} };
}

function customerIn(params: Params, world: World): string | null {
  const customer = params.text('customer');
  return customer === undefined ? null : found(world.customers, 'customer', customer, 'customer').id;
}

function expiryIn(params: Params, world: World): number {
  const now = world.time.seconds;
  const expiresAt = params.integer('expires_at') ?? now + LIFE_SECONDS;
  if (expiresAt >= now + SHORTEST_LIFE_SECONDS && expiresAt <= now + LIFE_SECONDS) return expiresAt;
  throw Refusal.invalid('`expires_at` must be from 30 minutes to 24 hours from now.', 'expires_at');
}

function addressIn(params: Params, name: string): string | null {
  const address = params.text(name);
  if (address === undefined) return null;
  if (URL.canParse(address.replaceAll('{CHECKOUT_SESSION_ID}', 'id'))) return address;
  throw Refusal.invalid('Not a valid URL', name, 'url_invalid');
}

/** What a session may say and the page does anyhow. */
function acceptCardOptions(params: Params): void {
  params.texts('payment_method_types');
  params.oneOf('payment_method_collection', ['always']);
  params.text('locale');
}
