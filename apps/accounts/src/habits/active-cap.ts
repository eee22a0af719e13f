import { ValidationFailed } from '@evenkeel/platform/validation';
import type { EntityManager } from 'typeorm';
import { limitsAt } from '../entitlements/plan-refusals';
import { ACCESS_UNTIL } from '../users/account-user';
import { ActiveHabitsExceeded } from './habit.errors';

/** Archived ones included, on every plan. */
const MAX_HABITS = 500;

export interface HabitCounts {
  active: number;
  all: number;
  /** End of the access to Premium, as it is behind the lock; null without any. */
  accessUntil: Date | null;
}

/** @param tx has locked the row of the user */
export async function countHabits(tx: EntityManager, userId: string): Promise<HabitCounts> {
  const [counts] = await tx.query<[HabitCounts]>(
    `SELECT count(*) FILTER (WHERE archived_at IS NULL)::int AS active, count(*)::int AS all,
       (SELECT ${ACCESS_UNTIL} FROM entitlements e WHERE e.user_id = $1) AS "accessUntil"
     FROM habits WHERE user_id = $1`,
    [userId],
  );
  return counts;
}

/** @throws ValidationFailed when nobody may have one more */
export function assertRoomForHabit({ all }: HabitCounts): void {
  if (all < MAX_HABITS) return;
  const message = `would be more than the ${MAX_HABITS} habits that one person may have`;
  throw new ValidationFailed([{ path: '', code: 'too_many_items', message }]);
}

/** @throws ActiveHabitsExceeded when the plan does not allow one more */
export function assertMayBeActive({ active, accessUntil }: HabitCounts, now: Date): void {
  const { maxHabits } = limitsAt(accessUntil, now);
  if (maxHabits !== null && active >= maxHabits) throw new ActiveHabitsExceeded({ used: active, limit: maxHabits });
}

/**
 * The active habits of user `$1`, `isWritable` for those that take logs, and how many they are. Above the cap `$2` of the plan
 * (null: none) the habits that keep taking logs are those whose newest log arrived last, then the older ones; only then
 * is it looked for.
 */
export const WRITABLE_HABITS = `
  SELECT a.id, a.active, $2::int IS NULL OR a.active <= $2 OR row_number() OVER (
    ORDER BY CASE WHEN a.active > $2 THEN (
      SELECT max(created_at) FROM habit_logs WHERE user_id = $1 AND habit_id = a.id
    ) END DESC NULLS LAST, a.created_at, a.id
  ) <= $2 AS "isWritable"
  FROM (
    SELECT id, created_at, count(*) OVER ()::int AS active FROM habits WHERE user_id = $1 AND archived_at IS NULL
  ) AS a`;
