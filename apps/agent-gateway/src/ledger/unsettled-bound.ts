import type { EntityManager } from 'typeorm';
import type { PaymentRow } from './payment.entity';
import { UNRESOLVED_STATES } from './payment-state';

/** Any constant: it makes the count of open answers exact over all replicas. */
const COUNT_LOCK = 730_402;

/**
 * May a call be served before its payment settled? One per wallet, once: otherwise cancelling in time buys free calls.
 * Locks the wallet's row first, then reads its other payments in a statement of their own.
 * @param max open answers over all wallets
 */
export async function mayServeUnsettled(tx: EntityManager, payment: PaymentRow, max: number): Promise<boolean> {
  if (!payment.v2Grade) return false;
  await tx.query(`INSERT INTO wallets (address) VALUES ($1) ON CONFLICT DO NOTHING`, [payment.payer]);
  const [wallet] = await tx.query<[{ unpaid_calls: number }]>(
    `SELECT unpaid_calls FROM wallets WHERE address = $1 FOR UPDATE`,
    [payment.payer],
  );
  if (wallet.unpaid_calls > 0) return false;

  const others = await tx.query<unknown[]>(
    `SELECT 1 FROM payment_checks c JOIN payments p ON p.id = c.payment_id
     WHERE c.payer = $1 AND p.id <> $2 AND p.state = ANY($3) LIMIT 1`,
    [payment.payer, payment.id, UNRESOLVED_STATES],
  );
  if (others.length > 0) return false;

  await tx.query(`SELECT pg_advisory_xact_lock($1)`, [COUNT_LOCK]);
  const [{ open }] = await tx.query<[{ open: number }]>(
    `SELECT count(*)::integer AS open FROM payment_checks c JOIN payments p ON p.id = c.payment_id
     WHERE p.served AND p.state = ANY($1)`,
    [UNRESOLVED_STATES],
  );
  return open < max;
}
