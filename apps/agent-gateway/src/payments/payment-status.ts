import { usdAmount } from '@evenkeel/kernel';
import { getAddress } from 'viem';
import type { PaymentState } from '../ledger/payment-state';
import type { PaymentRow } from '../ledger/ledger.entities';

const CHARGED: Readonly<Record<PaymentState, boolean | null>> = {
  settling: null,
  settlement_pending: null,
  needs_reconciliation: null,
  settled: true,
  settlement_failed: false,
};

/**
 * Was this payment charged, and what helps now (D-137). Nothing but what is on the chain, or known to its payer.
 * @param answerUntil when the identical request stops getting its stored answer; null when there is none
 */
export function paymentStatus(payment: PaymentRow, answerUntil: Date | null): object {
  const { nonce, payer, endpoint, priceMicros, state, transactionHash } = payment;
  return {
    nonce,
    payer: getAddress(payer),
    endpoint,
    amount: usdAmount(priceMicros),
    amount_atomic: String(priceMicros),
    state,
    charged: CHARGED[state],
    transaction: transactionHash,
    answer_available_until: answerUntil?.toISOString() ?? null,
    retry: retryOf(payment, answerUntil),
  };
}

function retryOf({ state, served }: PaymentRow, answerUntil: Date | null): string {
  if (state === 'settlement_failed') return 'pay_again';
  const isOpen = CHARGED[state] === null;
  // Settled and never answered: the identical request gets its answer at any time.
  return isOpen || answerUntil || !served ? 'retry_same' : 'do_not_retry';
}
