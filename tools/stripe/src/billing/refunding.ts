import type Stripe from 'stripe';
import { aRefund } from '../objects/refunds';
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
