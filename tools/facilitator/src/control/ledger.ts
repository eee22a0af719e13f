import type { TokenChain } from '../chain/token-chain';
import type { Submitter } from '../chain/token';
import type { CallLog, PaymentCalls } from './call-log';
import type { Target } from './control-command';

/** One transfer that moved money, of any sender. */
export interface Settlement {
  payer: string;
  nonce: string;
  to: string;
  /** Atomic units, decimal. */
  value: string;
  transaction: string;
  submittedBy: Submitter;
  sentAt: string;
  settledAt: string;
  block: number;
}

export interface Ledger {
  /** Calls that came in, whatever they were answered. */
  calls: Record<Target, number>;
  /** The same per payment. */
  payments: PaymentCalls[];
  settlements: Settlement[];
}

/** @param nonce leaves only what is about this one */
export function readLedger(chain: TokenChain, calls: CallLog, nonce?: string): Ledger {
  const wanted = nonce?.toLowerCase();
  return {
    calls: calls.totals,
    payments: calls.payments(wanted),
    settlements: settlements(chain, wanted),
  };
}

function settlements(chain: TokenChain, nonce?: string): Settlement[] {
  return chain.allTransactions().flatMap(({ hash, submittedBy, sentAt, transfer, inclusion }) => {
    if (!transfer || !inclusion || inclusion.reverted) return [];
    if (nonce !== undefined && transfer.nonce !== nonce) return [];
    return {
      payer: transfer.from.toLowerCase(),
      nonce: transfer.nonce,
      to: transfer.to.toLowerCase(),
      value: transfer.value.toString(),
      transaction: hash,
      submittedBy,
      sentAt: sentAt.toISOString(),
      settledAt: inclusion.at.toISOString(),
      block: inclusion.block,
    };
  });
}
