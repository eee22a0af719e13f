import type { TokenChain } from '../chain/token-chain';
import { isAuthorization, type Submitter } from '../chain/token';
import type { CallLog, PaymentCalls } from './call-log';
import type { Target } from './control-command';

/** One authorization that was used, by any sender. */
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
  return chain.allTransactions().flatMap(({ hash, submittedBy, sentAt, transfers, inclusion }) => {
    if (!inclusion || inclusion.reverted) return [];
    const authorized = transfers.filter(isAuthorization);
    return authorized
      .filter((transfer) => nonce === undefined || transfer.nonce === nonce)
      .map((transfer) => ({
        payer: transfer.from.toLowerCase(),
        nonce: transfer.nonce,
        to: transfer.to.toLowerCase(),
        value: transfer.value.toString(),
        transaction: hash,
        submittedBy,
        sentAt: sentAt.toISOString(),
        settledAt: inclusion.at.toISOString(),
        block: inclusion.block,
      }));
  });
}
