import { PAID_PLAN_CODES, PLANS, type PaidPlanCode } from '@evenkeel/contracts';
import {
  ownerOfInvoice,
  readCharge,
  readDispute,
  readPaidInvoice,
  readRole,
  readRefund,
  type Adjustment,
  type KnownCharge,
  type PaidInvoiceRow,
} from '../invoices/read-money';
import { idAt, instantAt, integerAt, objectAt, textAt, userIdAt, type ProviderObject } from '../provider/members';
import type { ProviderEvent } from '../subscriptions/apply-event';
import type { EndedSession } from '../subscriptions/facts';
import { readSubscription, type PlanOfPrice } from '../subscriptions/read-subscription';

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

/** The members of an object that are taken; null for one that cannot be read. */
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

/** Null for a page that sells no subscription, or has no id. */
function ofSession({ object, type, at }: Read): Said {
  const sessionId = idAt(object, 'id');
  if (sessionId === null || textAt(object, 'mode') !== 'subscription') return null;
  const outcome = outcomeOf(object, type);
  const givesAccess = outcome === 'ACTIVE' || outcome === 'TRIALING';
  const stated = textAt(object, 'metadata', 'plan_code');
  const planCode = PAID_PLAN_CODES.find((code) => code === stated) ?? null;
  const provisionalEnd = givesAccess && planCode !== null ? oneIntervalAfter(at, planCode) : null;
  return {
    sessionId,
    customerId: idAt(object, 'customer'),
    subscriptionId: idAt(object, 'subscription'),
    userId: userIdAt(object, 'client_reference_id') ?? userIdAt(object, 'metadata', 'user_id'),
    // Whether we opened it, only what is stored tells.
    fact: { kind: 'session', outcome, planCode, isOurs: false, provisionalEnd },
  };
}

function outcomeOf(object: ProviderObject, type: string): EndedSession['outcome'] {
  if (type === 'checkout.session.expired' || type === 'checkout.session.async_payment_failed') return 'EXPIRED';
  if (type === 'checkout.session.async_payment_succeeded') return 'ACTIVE';
  const payment = textAt(object, 'payment_status');
  if (payment === 'paid') return 'ACTIVE';
  if (payment !== 'no_payment_required') return 'INCOMPLETE';
  // Before discounts nothing is due either: the first interval is a trial.
  return integerAt(object, 'amount_subtotal') === 0 ? 'TRIALING' : 'ACTIVE';
}

/** The last day of a month that has no such day. */
function oneIntervalAfter(at: Date, planCode: PaidPlanCode): string {
  const end = new Date(at);
  end.setUTCMonth(at.getUTCMonth() + (PLANS[planCode].interval === 'year' ? 12 : 1));
  if (end.getUTCDate() !== at.getUTCDate()) end.setUTCDate(0);
  return end.toISOString();
}

function ofSubscription({ object, type, plans, at }: Read): Said {
  const [subscriptionId, fact] = [idAt(object, 'id'), readSubscription(object, plans, at)];
  if (subscriptionId === null || fact === null) return null;
  const isOver = type === 'customer.subscription.deleted';
  const end = fact.status === 'EXPIRED' ? 'EXPIRED' : 'CANCELED';
  return {
    subscriptionId,
    customerId: idAt(object, 'customer'),
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
  const fact = { kind: 'invoice_paid' as const, invoiceId, periodEnd, ...readRole(object, plans, at) };
  return { ...ownerOfInvoice(object), isSale: invoice.planCode !== null, invoice, fact };
}

function ofUnpaidInvoice({ object, type, plans, at }: Read): Said {
  const invoiceId = idAt(object, 'id');
  if (invoiceId === null) return null;
  const kind = type === 'invoice.payment_failed' ? 'invoice_failed' : 'invoice_action';
  const paymentUrl = textAt(object, 'hosted_invoice_url');
  const fact = { kind, invoiceId, paymentUrl, ...readRole(object, plans, at) } as const;
  return { ...ownerOfInvoice(object), isSale: fact.planCode !== null, fact };
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
