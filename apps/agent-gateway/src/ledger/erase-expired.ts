import type { Repository } from 'typeorm';

const SLICE_ROWS = 5_000;

/**
 * Erases answers whose time is over, in slices that each end within the time of a statement, however many have piled up.
 * @param isLate asked after each slice
 * @returns whether some are left
 */
export async function eraseExpired(
  answers: Repository<{ expiresAt: Date }>,
  now: Date,
  isLate: () => boolean,
): Promise<boolean> {
  for (;;) {
    const { tableName } = answers.metadata;
    const [, erased] = await answers.query<[unknown[], number]>(
      `DELETE FROM ${tableName} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${tableName} WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [now, SLICE_ROWS],
    );
    if (erased < SLICE_ROWS) return false;
    if (isLate()) return true;
  }
}
