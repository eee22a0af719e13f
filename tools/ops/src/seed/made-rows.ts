import type { RebateTierName } from '@evenkeel/contracts';

export type MadeStatus = 'settled' | 'settlement_pending' | 'needs_reconciliation' | 'settlement_failed';

export interface MadePayment {
  id: string;
  /** Number of the wallet, from 0; the lowest pay most. */
  wallet: number;
  /** Place in the price list. */
  endpoint: number;
  amountMicros: number;
  status: MadeStatus;
  verifiedMs: number;
  /** Null unless final. */
  endedMs: number | null;
  served: boolean;
  transactionHash: string | null;
  tier: RebateTierName | null;
  rebateMicros: number;
  costMicros: number;
}

export interface MadeCredit {
  id: string;
  wallet: number;
  paymentId: string;
  tier: RebateTierName;
  issuedMs: number;
  redemption: MadeRedemption | null;
}

export interface MadeRedemption {
  endpoint: number;
  priceMicros: number;
  changeMicros: number;
  costMicros: number;
  atMs: number;
}
