import type { EntityManager } from 'typeorm';

/** Remembers that a page to pay is open no longer: it was paid, or its time is over. Unknown ones are nothing to us. */
export async function closeCheckout(tx: EntityManager, sessionId: string, at: Date): Promise<void> {
  await tx.query('UPDATE checkouts SET closed_at = $2 WHERE session_id = $1 AND closed_at IS NULL', [sessionId, at]);
}
