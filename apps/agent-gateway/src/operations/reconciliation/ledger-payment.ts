import type { PaymentRow } from '../../ledger/ledger.entities';
import type { PaymentState } from '../../ledger/payment-state';
import type { Authorization } from '../../calls/payment';
import type { Difference } from './report';

/** What reconciliation reads of a row. */
export interface LedgerPayment {
  id: string;
  payer: string;
  nonce: string;
  chainId: number;
  asset: string;
  /** Whom the payer authorized: our address of that time. */
  payTo: string;
  amountMicros: number;
  state: PaymentState;
  transactionHash: string | null;
  createdAt: Date;
  settledAt: Date | null;
  validBefore: Date;
}

export function ledgerPayment({ priceMicros: amountMicros, authorization, ...row }: PaymentRow): LedgerPayment {
  const { to: payTo } = JSON.parse(authorization) as Authorization;
  return { ...row, payTo, amountMicros };
}

export function differenceOf(payment: LedgerPayment, remedy: string): Difference {
  const { payer, nonce, amountMicros, transactionHash, state } = payment;
  return { payer, nonce, amountMicros, transactionHash, state, remedy };
}

/** The command that closes it. */
export function closeCommand({ payer, nonce }: Pick<LedgerPayment, 'payer' | 'nonce'>, outcome: string): string {
  return `npm run payment:close -- ${payer} ${nonce} ${outcome}`;
}
