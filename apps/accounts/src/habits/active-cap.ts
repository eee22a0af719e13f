import { ValidationFailed } from '@evenkeel/platform/validation';
import type { EntityManager } from 'typeorm';
import { limitsAt } from '../entitlements/entitlements';
import type { AccountUser } from '../users/account-user';
import { ActiveHabitsExceeded } from './habit.errors';

/** Archived ones included, on every plan. */
const MAX_HABITS = 500;

export interface HabitCounts {
  active: number;
  all: number;
}

/** @param tx has locked the row of the user */
export async function countHabits(tx: EntityManager, userId: string): Promise<HabitCounts> {
  const [counts] = await tx.query<[HabitCounts]>(
    `SELECT count(*) FILTER (WHERE archived_at IS NULL)::int AS active, count(*)::int AS all
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
export function assertMayBeActive({ active }: HabitCounts, { accessUntil }: AccountUser, now: Date): void {
  const { maxHabits } = limitsAt(accessUntil, now);
  if (maxHabits !== null && active >= maxHabits) throw new ActiveHabitsExceeded({ used: active, limit: maxHabits });
}
