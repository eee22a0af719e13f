import type Stripe from 'stripe';
import { aDispute, aDisputeTransaction } from '../objects/disputes';
import { aRefund } from '../objects/payments';
import type { World } from '../world/world';

/** Gives money of a charge back. Of the subscription nothing changes. */
export function refundCharge(
  world: World,
  charge: Stripe.Charge,
  wanted: { amountCents: number; reason: Stripe.Refund['reason']; metadata: Stripe.Metadata },
): Stripe.Refund {
  const refund = aRefund(world.time.seconds, charge, wanted);
  world.add(world.refunds, refund, 'refund.created');
  const refunded = charge.amount_refunded + wanted.amountCents;
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
  moveFunds(world, dispute, 'withdrawn');
  return dispute;
}

export function closeDispute(world: World, dispute: Stripe.Dispute, status: 'won' | 'lost'): void {
  Object.assign(dispute, { status });
  world.tell('charge.dispute.closed', dispute);
  if (status === 'won') moveFunds(world, dispute, 'reinstated');
}

function moveFunds(world: World, dispute: Stripe.Dispute, direction: 'withdrawn' | 'reinstated'): void {
  dispute.balance_transactions = [
    ...dispute.balance_transactions,
    aDisputeTransaction(world.time.seconds, dispute, direction),
  ];
  world.tell(`charge.dispute.funds_${direction}`, dispute);
}
