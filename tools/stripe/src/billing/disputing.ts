import type Stripe from 'stripe';
import { aDispute, aDisputeTransaction } from '../objects/disputes';
import type { World } from '../world/world';

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
