import type { AdjustmentKind } from '@evenkeel/contracts';
import { centsAt, idAt, instantAt, textAt, type ProviderObject } from '../provider/members';

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
 * The bank takes the money when a dispute is opened, and gives it back when it is won. An early warning (`warning_…`)
 * takes none.
 * @param type of the event
 */
export function readDispute(object: ProviderObject, at: Date, type: string): Adjustment[] | null {
  const opened = readMoney(object, 'dispute', at);
  const status = textAt(object, 'status');
  if (opened === null || status === null) return null;
  const isBack = type === 'charge.dispute.funds_reinstated' || status === 'won';
  const isTaken = isBack || type === 'charge.dispute.funds_withdrawn' || !status.startsWith('warning_');
  return [
    ...(isTaken ? [opened] : []),
    ...(isBack ? [{ ...opened, kind: 'dispute_won' as const, occurredAt: at }] : []),
  ];
}

function readMoney(object: ProviderObject, kind: AdjustmentKind, at: Date): Adjustment | null {
  const [adjustmentId, currency] = [idAt(object, 'id'), textAt(object, 'currency')];
  const amountCents = centsAt(object, 'amount');
  if (adjustmentId === null || currency === null || amountCents === null) return null;
  const created = instantAt(object, 'created');
  const occurredAt = created === null ? at : new Date(created);
  return { adjustmentId, kind, currency: currency.toLowerCase(), amountCents, occurredAt };
}
