import type { EntityManager } from 'typeorm';
import type { KnownCharge } from './read-adjustments';

/**
 * Waits until no other transaction is at work on the same charge. To be called before the customer is locked, so that two
 * transactions never wait for each other.
 */
export async function lockCharge(tx: EntityManager, chargeId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [chargeId]);
}

export async function customerOfCharge(tx: EntityManager, chargeId: string): Promise<string | null> {
  const [row] = await tx.query<{ customer_id: string }[]>('SELECT customer_id FROM charges WHERE charge_id = $1', [
    chargeId,
  ]);
  return row?.customer_id ?? null;
}

/** Remembers whose a charge is: refunds and disputes of it that have come, and that will, are linked by it. */
export async function rememberCharge(
  tx: EntityManager,
  { chargeId, customerId, invoiceId }: KnownCharge,
): Promise<void> {
  await tx.query(
    `INSERT INTO charges AS c (charge_id, customer_id, invoice_id) VALUES ($1, $2, $3)
     ON CONFLICT (charge_id) DO UPDATE SET invoice_id = coalesce(c.invoice_id, excluded.invoice_id)`,
    [chargeId, customerId, invoiceId],
  );
  await tx.query(
    `UPDATE adjustments SET customer_id = $2, invoice_id = coalesce(invoice_id, $3)
     WHERE charge_id = $1 AND (customer_id IS NULL OR invoice_id IS NULL)`,
    [chargeId, customerId, invoiceId],
  );
  await tx.query('UPDATE provider_events SET customer_id = $2 WHERE charge_id = $1 AND customer_id IS NULL', [
    chargeId,
    customerId,
  ]);
}
