import type Stripe from 'stripe';
import { newId } from '../world/ids';

const ANSWER_SECONDS = 9 * 86_400;
const FEE_CENTS = 1_500;

export function aDispute(created: number, charge: Stripe.Charge): Stripe.Dispute {
  return {
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence(),
    evidence_details: {
      due_by: created + ANSWER_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: 'needs_response',
  };
}

/** The money that goes when a dispute begins, or comes back when it is won. */
export function aDisputeTransaction(
  created: number,
  dispute: Stripe.Dispute,
  direction: 'withdrawn' | 'reinstated',
): Stripe.BalanceTransaction {
  const sign = direction === 'withdrawn' ? -1 : 1;
  const fee = direction === 'withdrawn' ? FEE_CENTS : 0;
  const amount = sign * dispute.amount;
  return {
    id: newId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: created,
    balance_type: 'payments',
    created,
    currency: dispute.currency,
    description: `Chargeback ${direction} for ${dispute.charge as string}`,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [
            {
              amount: fee,
              application: null,
              currency: dispute.currency,
              description: 'Dispute fee',
              type: 'stripe_fee',
            },
          ],
    net: amount - fee,
    reporting_category: direction === 'withdrawn' ? 'dispute' : 'dispute_reversal',
    source: dispute.id,
    status: 'available',
    type: 'adjustment',
  };
}

function noEvidence(): Stripe.Dispute.Evidence {
  return {
    access_activity_log: null,
    billing_address: null,
    cancellation_policy: null,
    cancellation_policy_disclosure: null,
    cancellation_rebuttal: null,
    customer_communication: null,
    customer_email_address: null,
    customer_name: null,
    customer_purchase_ip: null,
    customer_signature: null,
    duplicate_charge_documentation: null,
    duplicate_charge_explanation: null,
    duplicate_charge_id: null,
    enhanced_evidence: {},
    product_description: null,
    receipt: null,
    refund_policy: null,
    refund_policy_disclosure: null,
    refund_refusal_explanation: null,
    service_date: null,
    service_documentation: null,
    shipping_address: null,
    shipping_carrier: null,
    shipping_date: null,
    shipping_documentation: null,
    shipping_tracking_number: null,
    uncategorized_file: null,
    uncategorized_text: null,
  };
}
