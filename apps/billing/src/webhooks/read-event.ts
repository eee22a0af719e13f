import { readCharge, readDispute, readRefund, type Adjustment, type KnownCharge } from '../invoices/read-adjustments';
import { ownerOfInvoice, readPaidInvoice, readPlace, type PaidInvoiceRow } from '../invoices/read-invoice';
import { idAt, instantAt, objectAt, textAt, userIdAt, type ProviderObject } from '../provider/members';
import type { ProviderEvent } from '../subscriptions/apply-event';
import { readSubscription, type PlanOfPrice } from '../subscriptions/read-subscription';
import { readSession } from './read-session';

/** Everything that is taken from an event of the provider. */
export interface TakenEvent extends ProviderEvent {
  invoice?: PaidInvoiceRow;
  adjustments?: Adjustment[];
  charge?: KnownCharge;
}

interface Read {
  object: ProviderObject;
  type: string;
  at: Date;
  plans: PlanOfPrice;
}

/** What an object says; null for one that cannot be read. */
type Said = Partial<Omit<TakenEvent, 'id' | 'type' | 'created'>> | null;

const READERS: Readonly<Record<string, (read: Read) => Said>> = {
  'checkout.session.completed': ofSession,
  'checkout.session.async_payment_succeeded': ofSession,
  'checkout.session.async_payment_failed': ofSession,
  'checkout.session.expired': ofSession,
  'customer.subscription.created': ofSubscription,
  'customer.subscription.updated': ofSubscription,
  'customer.subscription.deleted': ofSubscription,
  'customer.subscription.paused': ofSubscription,
  'customer.subscription.resumed': ofSubscription,
  'customer.subscription.trial_will_end': ofSubscription,
  'customer.deleted': ofDeletedCustomer,
  'invoice.paid': ofPaidInvoice,
  'invoice.payment_succeeded': ofPaidInvoice,
  'invoice.payment_failed': ofUnpaidInvoice,
  'invoice.payment_action_required': ofUnpaidInvoice,
  'charge.refunded': ofCharge,
  'refund.created': ofRefund,
  'refund.updated': ofRefund,
  'refund.failed': ofRefund,
  'charge.dispute.created': ofDispute,
  'charge.dispute.funds_withdrawn': ofDispute,
  'charge.dispute.funds_reinstated': ofDispute,
  'charge.dispute.closed': ofDispute,
};

/** The types of events that mean something here: those to be enabled for the endpoint at the provider. */
export const HANDLED_TYPES: readonly string[] = Object.keys(READERS);

/**
 * Facts from an event of a handled type; all else of it is left behind.
 * @returns null for one that says nothing that can be understood
 */
export function readEvent(event: ProviderObject, plans: PlanOfPrice): TakenEvent | null {
  const [id, type, created] = [idAt(event, 'id'), textAt(event, 'type'), instantAt(event, 'created')];
  const object = objectAt(event, 'data', 'object');
  if (id === null || type === null || created === null || object === null) return null;
  const at = new Date(created);
  const said = Object.hasOwn(READERS, type) ? READERS[type]!({ object, type, at, plans }) : null;
  if (said === null) return null;
  return { id, type, created: at, customerId: null, subscriptionId: null, userId: null, fact: null, ...said };
}

function ofSession({ object, type, at }: Read): Said {
  const session = readSession(object, type, at);
  if (session === null) return null;
  const { sessionId, customerId, subscriptionId, userId, fact } = session;
  return { customerId, subscriptionId, userId, fact, sessionId };
}

function ofSubscription({ object, type, plans, at }: Read): Said {
  const [subscriptionId, fact] = [idAt(object, 'id'), readSubscription(object, plans, at)];
  if (subscriptionId === null || fact === null) return null;
  const isOver = type === 'customer.subscription.deleted';
  const end = fact.status === 'EXPIRED' ? 'EXPIRED' : 'CANCELED';
  return {
    ...{ subscriptionId, customerId: idAt(object, 'customer') },
    userId: userIdAt(object, 'metadata', 'user_id'),
    fact: isOver ? { ...fact, status: end, mayReturn: false } : fact,
  };
}

function ofDeletedCustomer({ object }: Read): Said {
  const customerId = idAt(object, 'id');
  return customerId === null
    ? null
    : { customerId, userId: userIdAt(object, 'metadata', 'user_id'), deletesCustomer: true };
}

function ofPaidInvoice({ object, plans, at }: Read): Said {
  const invoice = readPaidInvoice(object, plans, at);
  if (invoice === null) return null;
  const { invoiceId, periodEnd } = invoice;
  const fact = { kind: 'invoice_paid' as const, invoiceId, periodEnd, ...readPlace(object, plans, at) };
  return { ...ownerOfInvoice(object), isSale: invoice.planCode !== null, invoice, fact };
}

function ofUnpaidInvoice({ object, type, plans, at }: Read): Said {
  const invoiceId = idAt(object, 'id');
  if (invoiceId === null) return null;
  const kind = type === 'invoice.payment_failed' ? 'invoice_failed' : 'invoice_action';
  const paymentUrl = textAt(object, 'hosted_invoice_url');
  const place = readPlace(object, plans, at);
  const fact = { kind, invoiceId, paymentUrl, ...place } as const;
  return { ...ownerOfInvoice(object), isSale: place.planCode !== null, fact };
}

function ofCharge({ object }: Read): Said {
  const charge = readCharge(object);
  return charge && { customerId: charge.customerId, charge };
}

function ofRefund({ object, at }: Read): Said {
  const adjustments = readRefund(object, at);
  return adjustments && { adjustments, chargeId: idAt(object, 'charge'), customerId: idAt(object, 'customer') };
}

function ofDispute({ object, type, at }: Read): Said {
  const adjustments = readDispute(object, at, type);
  return adjustments && { adjustments, chargeId: idAt(object, 'charge'), customerId: idAt(object, 'customer') };
}
