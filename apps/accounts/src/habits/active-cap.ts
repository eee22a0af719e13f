import { ValidationFailed } from '@evenkeel/platform/validation';
import type { EntityManager } from 'typeorm';
import { limitsAt } from '../entitlements/entitlements';
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
