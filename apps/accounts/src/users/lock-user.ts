import type { SignedIn } from '@evenkeel/platform/auth';
import { Unauthorized } from '@evenkeel/platform/http';
import { IsNull, type EntityManager } from 'typeorm';
import { Session, User, type LiveUser } from './users.entities';

/**
 * Locks the row of a user until the end of the transaction: whatever changes their sign-in or their sessions comes one after
 * the other, and begins with this. What changes habits or logs begins with `takeChangeNumbers`.
 * @returns null when there is no such user any more
 */
export async function lockUser(tx: EntityManager, userId: string): Promise<LiveUser | null> {
  const where = { id: userId, deletedAt: IsNull() };
  return (await tx.findOne(User, { where, lock: { mode: 'for_no_key_update' } })) as LiveUser | null;
}

/**
 * The same for a signed-in person. Their session may have ended since the request was let in: it is looked at again behind the
 * lock, which whatever ends a session holds too.
 * @throws Unauthorized when the session or the user is gone
 */
export async function lockSignedIn(tx: EntityManager, { userId, sessionId }: SignedIn): Promise<LiveUser> {
  const user = await lockUser(tx, userId);
  if (!user) throw new Unauthorized();
  await assertLive(tx, sessionId);
  return user;
}

/** @throws Unauthorized */
async function assertLive(tx: EntityManager, sessionId: string): Promise<void> {
  if (!(await tx.existsBy(Session, { id: sessionId, revokedAt: IsNull() }))) throw new Unauthorized();
}

/**
 * Locks the row of a user until the transaction ends, and takes numbers for the rows that it changes. A transaction that
 * changes anything of a user begins with this: then their changes commit in the order of the numbers, and what it reads
 * afterwards stays true until it ends. The session is looked at again behind the lock, as `lockSignedIn` does.
 * One statement locks the row, counts up and reads.
 * @param count rows that will change, each with a number of its own
 * @returns the first of the numbers
 * @throws Unauthorized when the session or the user is gone
 */
export async function takeChangeNumbers(
  tx: EntityManager,
  { userId, sessionId }: SignedIn,
  count = 1,
): Promise<number> {
  const [rows] = await tx.query<[{ last: string }[], number]>(
    `UPDATE users SET change_number = change_number + $2 WHERE id = $1 AND deleted_at IS NULL
     RETURNING change_number AS last`,
    [userId, count],
  );
  if (!rows[0]) throw new Unauthorized();
  await assertLive(tx, sessionId);
  return Number(rows[0].last) - count + 1;
}
