import type { EntityManager } from 'typeorm';

/**
 * Remembers whose a customer is: the first user whom an object of the customer names keeps it, and all of its
 * subscriptions.
 * @param at of the event that names the user
 * @returns whether a subscription has waited
 */
export async function linkCustomer(tx: EntityManager, customerId: string, userId: string, at: Date): Promise<boolean> {
  await tx.query(
    `INSERT INTO customers (customer_id, user_id, created_at, deleted_at)
     VALUES ($1, $2, $3, (SELECT min(created) FROM provider_events WHERE customer_id = $1 AND type = 'customer.deleted'))`,
    [customerId, userId, at],
  );
  const [, waiting] = await tx.query<[unknown[], number]>(
    `UPDATE subscriptions SET user_id = $2
     WHERE customer_id = $1 AND user_id IS NULL AND state->>'planCode' IS NOT NULL`,
    [customerId, userId],
  );
  return waiting > 0;
}
