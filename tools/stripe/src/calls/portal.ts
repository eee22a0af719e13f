import type Stripe from 'stripe';
import type { Params } from '../http/params';
import { Refusal } from '../http/refusal';
import { newId } from '../world/ids';
import { found, type Call, type Calls } from './call';

const CONFIGURATION = 'bpc_1EvenkeelDevelopment00000';

export const PORTAL_CALLS: Calls = {
  'POST /v1/billing_portal/sessions': createPortalSession,
};

function createPortalSession({ params, world }: Call): object {
  const customer = found(world.customers, 'customer', params.required('customer'), 'customer');
  const returnUrl = params.text('return_url') ?? null;
  const flow = flowIn(params.object('flow_data'));
  const locale = params.text('locale') ?? null;
  params.finish();
  if (returnUrl !== null && !URL.canParse(returnUrl)) throw Refusal.invalid('Not a valid URL', 'return_url');
  if (flow?.subscription_cancel) {
    found(world.subscriptions, 'subscription', flow.subscription_cancel.subscription, 'flow_data');
  }
  const id = newId('bps');
  const session: Stripe.BillingPortal.Session = {
    id,
    object: 'billing_portal.session',
    configuration: CONFIGURATION,
    created: world.time.seconds,
    customer: customer.id,
    customer_account: null,
    flow,
    livemode: false,
    locale,
    on_behalf_of: null,
    return_url: returnUrl,
    url: `${world.address}/portal/${id}`,
  };
  return world.add(world.portalSessions, session, 'billing_portal.session.created');
}

function flowIn(data: Params | undefined): Stripe.BillingPortal.Session.Flow | null {
  if (!data) return null;
  const type = data.oneOf('type', ['payment_method_update', 'subscription_cancel']);
  if (type === undefined) data.required('type');
  const subscription = type === 'subscription_cancel' ? data.object('subscription_cancel') : undefined;
  return {
    after_completion: afterCompletionIn(data.object('after_completion')),
    customer_update: null,
    subscription_cancel: subscription ? { retention: null, subscription: subscription.required('subscription') } : null,
    subscription_update: null,
    subscription_update_confirm: null,
    type: type!,
  };
}

function afterCompletionIn(data: Params | undefined): Stripe.BillingPortal.Session.Flow.AfterCompletion {
  const type = data?.oneOf('type', ['portal_homepage', 'redirect']) ?? 'portal_homepage';
  const returnUrl = data?.object('redirect')?.text('return_url');
  return {
    hosted_confirmation: null,
    redirect: type === 'redirect' ? { return_url: returnUrl ?? '' } : null,
    type,
  };
}
