import type { AdjustmentKind, InvoiceReason, PaidPlanCode } from '@evenkeel/contracts';
import {
  centsAt,
  idAt,
  instantAt,
  integerAt,
  listAt,
  objectAt,
  textAt,
  userIdAt,
  type ProviderObject,
} from '../provider/members';

/** Whose an invoice of the provider is, of API versions before and after 2025-03-31. */
export interface InvoiceOwner {
  customerId: string | null;
  subscriptionId: string | null;
  userId: string | null;
}

/** A paid invoice as it is stored: nothing else of it is. */
export interface PaidInvoiceRow extends InvoiceOwner {
  invoiceId: string;
  planCode: PaidPlanCode | null;
  /** ISO 4217, lower case. */
  currency: string;
  /** The paid amount, tax included. */
  amountCents: number;
  taxCents: number;
  reason: InvoiceReason;
  periodStart: string | null;
  periodEnd: string | null;
  paidAt: Date;
}

const REASONS: ReadonlyMap<string, InvoiceReason> = new Map([
  ['subscription_create', 'first'],
  ['subscription_cycle', 'cycle'],
  ['subscription_update', 'change'],
]);

/** Those of a period of the subscription: not made by hand, and of no change. */
const OF_PERIODS: readonly string[] = ['subscription_create', 'subscription_cycle', 'subscription_threshold'];

/**
 * The role of an invoice for its subscription.
 * @param at of the event, in place of a time that the invoice does not have
 */
export function readRole(object: ProviderObject, plans: ReadonlyMap<string, PaidPlanCode>, at: Date) {
  return {
    reason: reasonOf(object),
    isOfPeriod: OF_PERIODS.includes(textAt(object, 'billing_reason') ?? ''),
    madeAt: instantAt(object, 'created') ?? at.toISOString(),
    planCode: planOf(object, plans),
  };
}

function reasonOf(object: ProviderObject): InvoiceReason {
  return REASONS.get(textAt(object, 'billing_reason') ?? '') ?? 'other';
}

export function ownerOfInvoice(object: ProviderObject): InvoiceOwner {
  const details = objectAt(object, 'parent', 'subscription_details') ?? objectAt(object, 'subscription_details');
  return {
    customerId: idAt(object, 'customer'),
    subscriptionId: idAt(details, 'subscription') ?? idAt(object, 'subscription'),
    userId: userIdAt(details, 'metadata', 'user_id') ?? userIdAt(object, 'metadata', 'user_id'),
  };
}

/**
 * @param plans by their prices at the provider
 * @param at of the event, in place of a time of payment that the invoice does not have
 * @returns null for an object without an id, a currency or an amount
 */
export function readPaidInvoice(
  object: ProviderObject,
  plans: ReadonlyMap<string, PaidPlanCode>,
  at: Date,
): PaidInvoiceRow | null {
  const [invoiceId, currency] = [idAt(object, 'id'), textAt(object, 'currency')];
  const amountCents = centsAt(object, 'amount_paid');
  if (invoiceId === null || currency === null || amountCents === null) return null;
  const line = lineOfPeriod(object, plans);
  const paidAt = instantAt(object, 'status_transitions', 'paid_at');
  return {
    ...ownerOfInvoice(object),
    invoiceId,
    currency: currency.toLowerCase(),
    amountCents,
    taxCents: taxOf(object),
    planCode: planOf(object, plans),
    reason: reasonOf(object),
    periodStart: instantAt(line, 'period', 'start'),
    periodEnd: instantAt(line, 'period', 'end'),
    paidAt: paidAt === null ? at : new Date(paidAt),
  };
}

/** Of the line of its period, or of any other one. */
function planOf(object: ProviderObject, plans: ReadonlyMap<string, PaidPlanCode>): PaidPlanCode | null {
  const lines = [lineOfPeriod(object, plans), ...listAt(object, 'lines')];
  return lines.map((line) => plans.get(priceOf(line) ?? '')).find((plan) => plan !== undefined) ?? null;
}

/**
 * The line of the subscription whose period ends last: one that is put on the invoice besides says nothing of it. Lines of
 * our prices come first.
 */
function lineOfPeriod(object: ProviderObject, plans: ReadonlyMap<string, PaidPlanCode>): ProviderObject | null {
  const all = listAt(object, 'lines').filter((line) => !isProration(line) && !isBesides(line));
  const ours = all.filter((line) => plans.has(priceOf(line) ?? ''));
  const lines = ours.length > 0 ? ours : all;
  const endOf = (line: ProviderObject) => integerAt(line, 'period', 'end') ?? -1;
  return lines.reduce<ProviderObject | null>((last, line) => (last && endOf(last) >= endOf(line) ? last : line), null);
}

function isProration(line: ProviderObject): boolean {
  const parent =
    objectAt(line, 'parent', 'subscription_item_details') ?? objectAt(line, 'parent', 'invoice_item_details');
  return (parent ?? line)['proration'] === true;
}

/** Not of an item of the subscription, but of an amount that somebody added. */
function isBesides(line: ProviderObject): boolean {
  return objectAt(line, 'parent', 'invoice_item_details') !== null || textAt(line, 'type') === 'invoiceitem';
}

function priceOf(line: ProviderObject | null): string | null {
  return idAt(line, 'pricing', 'price_details', 'price') ?? idAt(line, 'price') ?? idAt(line, 'plan');
}

function taxOf(object: ProviderObject): number {
  const taxes = listAt(object, object['total_taxes'] === undefined ? 'total_tax_amounts' : 'total_taxes');
  if (taxes.length === 0) return centsAt(object, 'tax') ?? 0;
  const cents = taxes.reduce((sum, tax) => sum + (centsAt(tax, 'amount') ?? 0), 0);
  return centsAt({ cents }, 'cents') ?? 0;
}

/** Money that went back, or came again. */
export interface Adjustment {
  /** Of the refund or the dispute; with its kind it is one adjustment, whatever events tell of it. */
  adjustmentId: string;
  kind: AdjustmentKind;
  currency: string;
  amountCents: number;
  occurredAt: Date;
}

/** Whose a charge is, as far as an event or a read tells. */
export interface KnownCharge {
  chargeId: string;
  customerId: string;
  /** Only API versions before 2025-03-31 tell it in an event. */
  invoiceId: string | null;
}

/** @returns null for a charge without a customer, such as a payment that is none of ours */
export function readCharge(object: ProviderObject): KnownCharge | null {
  const [chargeId, customerId] = [idAt(object, 'id'), idAt(object, 'customer')];
  return chargeId === null || customerId === null ? null : { chargeId, customerId, invoiceId: idAt(object, 'invoice') };
}

/**
 * Every event of a refund tells that it was made; one that failed or was cancelled, besides, that the money is back.
 * @param at of the event
 * @returns null for an object that is no refund
 */
export function readRefund(object: ProviderObject, at: Date): Adjustment[] | null {
  const made = readMoney(object, 'refund', at);
  if (made === null) return null;
  const isUndone = ['failed', 'canceled'].includes(textAt(object, 'status') ?? '');
  return isUndone ? [made, { ...made, kind: 'refund_failed', occurredAt: at }] : [made];
}

/**
 * The bank takes the money when a dispute is opened, and gives it back when it is won; one that is closed otherwise is
 * lost. An early warning (`warning_…`) takes none, and one that was prevented need not: it was stopped before, or the person
 * has a refund, which is told by itself. Where it takes the money, that is told too, and nothing follows.
 * @param type of the event
 */
export function readDispute(object: ProviderObject, at: Date, type: string): Adjustment[] | null {
  const read = readMoney(object, 'dispute', at);
  const status = textAt(object, 'status');
  if (read === null || status === null) return null;
  // A warning may have become a dispute long after it was made.
  const [taken] = listAt(object, 'balance_transactions')
    .flatMap((one) => instantAt(one, 'created') ?? [])
    .sort();
  const opened = taken === undefined ? read : { ...read, occurredAt: new Date(taken) };
  const isBack = type === 'charge.dispute.funds_reinstated' || status === 'won';
  const isPrevented = status === 'prevented';
  const isTaken =
    isBack || type === 'charge.dispute.funds_withdrawn' || !(isPrevented || status.startsWith('warning_'));
  if (!isTaken) return [];
  if (isBack) return [opened, { ...opened, kind: 'dispute_won', occurredAt: at }];
  const isOver = type === 'charge.dispute.closed' || status === 'lost' || isPrevented;
  return isOver ? [opened, { ...opened, kind: 'dispute_lost', occurredAt: at }] : [opened];
}

function readMoney(object: ProviderObject, kind: AdjustmentKind, at: Date): Adjustment | null {
  const [adjustmentId, currency] = [idAt(object, 'id'), textAt(object, 'currency')];
  const amountCents = centsAt(object, 'amount');
  if (adjustmentId === null || currency === null || amountCents === null) return null;
  const created = instantAt(object, 'created');
  const occurredAt = created === null ? at : new Date(created);
  return { adjustmentId, kind, currency: currency.toLowerCase(), amountCents, occurredAt };
}
