import type { TestDatabase } from '@evenkeel/platform/testing';
import type { PaidRequest } from './paid-request.fixture';

/** The rows about the one payment of a wallet. */
export interface LedgerRow {
  state: string;
  served: boolean;
  /** Calls that were answered for it. */
  calls: number;
  /** `payment.settled` announcements. */
  announced: number;
  /** Lifetime spend of the wallet, micro-USD. */
  spent: number;
}

export async function ledgerRows({ dataSource }: TestDatabase, { nonce }: PaidRequest): Promise<LedgerRow[]> {
  return dataSource.query(
    `SELECT p.state, p.served,
       (SELECT count(*)::integer FROM calls c WHERE c.payment_id = p.id) AS calls,
       (SELECT count(*)::integer FROM outbox o WHERE o.subject = p.id::text AND o.type = 'payment.settled') AS announced,
       coalesce((SELECT w.settled_micros::integer FROM wallets w WHERE w.address = p.payer), 0) AS spent
     FROM payments p WHERE p.nonce = $1`,
    [nonce],
  );
}
