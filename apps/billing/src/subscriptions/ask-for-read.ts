import { queryPrepared } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';

/** What the worker is to read at the provider, and why. */
export interface ProviderRead {
  kind: 'subscription' | 'charge';
  id: string;
  reason: 'out_of_order' | 'equal_second' | 'gap' | 'discount' | 'discount_end' | 'invoice' | 'link' | 'unknown_user';
  /** Of the event that asks: an answer that is not newer decides nothing. */
  answerAfter?: Date | null;
}

/** What is read is older than events of its own second, so it is read when that second is over. */
const READ_AFTER_MS = 3_000;

/**
 * Queues a read of the provider for the worker; one that waits already stays, and comes no later.
 * @param from from when on the answer is wanted
 */
export async function askForRead(
  tx: EntityManager,
  { kind, id, reason, answerAfter = null }: ProviderRead,
  from: Date,
): Promise<void> {
  await queryPrepared(
    tx,
    `INSERT INTO provider_reads AS r (kind, id, reason, answer_after, asked_at, due_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (kind, id) DO UPDATE SET due_at = least(r.due_at, excluded.due_at),
       answer_after = greatest(r.answer_after, excluded.answer_after)`,
    [kind, id, reason, answerAfter, from, new Date(from.getTime() + READ_AFTER_MS)],
  );
}
