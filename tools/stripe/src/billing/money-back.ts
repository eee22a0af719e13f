import type Stripe from 'stripe';
import { aDispute, aRefund } from '../objects/money';
import type { World } from '../world/world';

/** Gives money of a charge back. Of the subscription nothing changes. */
export function refundCharge(world: World, charge: Stripe.Charge, amount: number): Stripe.Refund {
  const refund = world.add(world.refunds, aRefund(world.time.seconds, charge, amount), 'refund.created');
  const refunded = charge.amount_refunded + amount;
  world.change(charge, 'charge.refunded', { amount_refunded: refunded, refunded: refunded === charge.amount });
  world.tell('refund.updated', refund);
  return refund;
}

/** The bank of the customer did not take it: the money is back at the account. */
export function failRefund(world: World, refund: Stripe.Refund): void {
  const charge = world.charges.get(refund.charge as string)!;
  Object.assign(charge, { amount_refunded: charge.amount_refunded - refund.amount, refunded: false });
  Object.assign(refund, { failure_reason: 'unknown', status: 'failed' });
  world.tell('refund.failed', refund);
  world.tell('refund.updated', refund);
}

/** The bank takes the money of a charge back until the dispute is decided. */
export function openDispute(world: World, charge: Stripe.Charge): Stripe.Dispute {
  const dispute = world.add(world.disputes, aDispute(world.time.seconds, charge), 'charge.dispute.created');
  world.change(charge, 'charge.updated', { disputed: true });
  world.tell('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

export function closeDispute(world: World, dispute: Stripe.Dispute, status: 'won' | 'lost'): void {
  Object.assign(dispute, { status });
  world.tell('charge.dispute.closed', dispute);
  if (status === 'won') world.tell('charge.dispute.funds_reinstated', dispute);
}
