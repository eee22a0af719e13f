import type Stripe from 'stripe';
import { planChange } from '../billing/changing-plan';
import { withDiscounts } from '../billing/discounting';
import { balanced, periodLine, periodOf } from '../billing/invoicing';
import { periodAt } from '../billing/periods';
import { Refusal } from '../http/refusal';
import { anInvoice, subscriptionOf, type NewLine } from '../objects/invoices';
import { itemOf } from '../objects/subscriptions';
import { newId } from '../world/ids';
import type { World } from '../world/world';
import { found, isOrAny, listed, withinRange, type Call, type Calls } from './call';
import { planIn } from './subscriptions';

export const INVOICE_CALLS: Calls = {
  'GET /v1/invoices': ({ params, world }) => {
    const customer = params.text('customer');
    const status = params.text('status');
    const subscription = params.text('subscription');
    const created = withinRange(params, 'created');
    const wanted = (invoice: Stripe.Invoice) =>
      created(invoice.created) &&
      isOrAny(customer, invoice.customer) &&
      isOrAny(status, invoice.status) &&
      isOrAny(subscription, subscriptionOf(invoice));
    return listed(params, '/v1/invoices', world.invoices.values(), wanted);
  },
  'POST /v1/invoices/create_preview': previewInvoice,
  'GET /v1/invoices/:id': ({ params, world, id }) => {
    params.finish();
    return found(world.invoices, 'invoice', id);
  },
};

/** What an invoice would be: of a change now, or of the next period. Nothing is stored. */
function previewInvoice({ params, world }: Call): object {
  const subscription = found(world.subscriptions, 'subscription', params.required('subscription'), 'subscription');
  const customer = params.text('customer');
  const details = params.object('subscription_details');
  const wanted = details && planIn(details, world, subscription);
  params.finish();
  if (!isOrAny(customer, subscription.customer))
    throw Refusal.missing('subscription', subscription.id, 'customer', 400);
  if (!['active', 'trialing', 'past_due', 'unpaid'].includes(subscription.status)) {
    throw new Refusal(404, {
      type: 'invalid_request_error',
      code: 'invoice_upcoming_none',
      message: `No upcoming invoices for customer: ${subscription.customer as string}`,
    });
  }
  const change = wanted && planChange(world, subscription, wanted);
  const waiting = world.pendingLines.get(subscription.id) ?? [];
  if (change?.invoicedNow) {
    const lines = [...waiting, ...change.lines];
    return preview(world, subscription, { reason: 'subscription_update', lines, created: wanted!.at });
  }
  const price = wanted?.price ?? itemOf(subscription).price;
  const { end } = periodOf(subscription);
  const next = periodLine(price, 1, periodAt(subscription.billing_cycle_anchor, price, end));
  const lines = [...waiting, ...(change?.lines ?? []), next];
  return preview(world, subscription, { reason: 'upcoming', lines, created: end });
}

function preview(
  world: World,
  subscription: Stripe.Subscription,
  wanted: { reason: 'subscription_update' | 'upcoming'; lines: NewLine[]; created: number },
): Stripe.Invoice {
  const customer = world.customers.get(subscription.customer as string)!;
  const lines = wanted.lines.map((line) => withDiscounts(world, subscription, line));
  const invoice = anInvoice({ ...wanted, lines, subscription, customer, period: periodOf(subscription) });
  const { due, ending } = balanced(invoice.total, customer.balance);
  return {
    ...invoice,
    id: newId('upcoming_in'),
    amount_due: due,
    amount_remaining: due,
    ending_balance: ending,
    next_payment_attempt: wanted.created + 3_600,
  };
}
