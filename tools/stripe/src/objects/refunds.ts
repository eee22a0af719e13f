import type Stripe from 'stripe';
import { newId } from '../world/ids';

export function aRefund(
  created: number,
  charge: Stripe.Charge,
  wanted: { amountCents: number; reason: Stripe.Refund['reason']; metadata: Stripe.Metadata },
): Stripe.Refund {
  return {
    id: newId('re'),
    object: 'refund',
    amount: wanted.amountCents,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: wanted.metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: wanted.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}
