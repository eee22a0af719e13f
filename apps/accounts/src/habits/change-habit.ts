import { Clock } from '@evenkeel/kernel';
import { IdempotencyKeys } from '@evenkeel/platform/auth';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountUser } from '../users/account-user';
import { assertMayBeActive, countHabits, type HabitCounts } from './active-cap';
import { takeChangeNumbers } from '../users/lock-user';
import type { ChangeHabitBody } from './habit.dto';
import { HabitNotFound } from './habit.errors';
import { changedSchedule, startOf } from './habit-terms';
import type { HabitView } from './habit.view';
import { ReadHabits } from './read-habits';
import { assertMatches, changedAt } from './record-version';
import { HABIT_COLUMNS, type StoredHabit } from './stored-habit';

/** Changes of a habit that exists. The last write wins; the present schedule applies to the whole history. */
@Injectable()
export class ChangeHabit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly habits: ReadHabits,
    private readonly keys: IdempotencyKeys,
  ) {}

  /**
   * @param ifMatch header of the request
   * @throws HabitNotFound, PreconditionFailed, ValidationFailed
   */
  change(user: AccountUser, id: string, body: ChangeHabitBody, ifMatch?: string): Promise<HabitView> {
    const { name, description, category, startDate, order, color } = body;
    return this.rewrite(user, id, (stored) => {
      assertMatches(stored, ifMatch);
      return {
        ...stored,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(category !== undefined && { category }),
        ...changedSchedule(stored, body),
        ...(startDate !== undefined && startOf(startDate, stored.createdAt, user)),
        ...(order !== undefined && { order }),
        ...(color !== undefined && { color: color && color.toLowerCase() }),
      };
    });
  }

  /** @throws HabitNotFound */
  archive(user: AccountUser, id: string): Promise<HabitView> {
    return this.rewrite(user, id, (stored) => (stored.archivedAt ? null : { ...stored, archivedAt: this.clock.now() }));
  }

  /** @throws HabitNotFound, ActiveHabitsExceeded */
  unarchive(user: AccountUser, id: string): Promise<HabitView> {
    return this.rewrite(user, id, (stored, counts) => {
      if (!stored.archivedAt) return null;
      assertMayBeActive(counts, this.clock.now());
      return { ...stored, archivedAt: null };
    });
  }

  /**
   * The habit and its logs; devices that were away learn of it.
   * @param ifMatch header of the request
   * @throws HabitNotFound, PreconditionFailed
   */
  async delete(user: AccountUser, id: string, ifMatch?: string): Promise<void> {
    const { userId } = user;
    await this.dataSource.transaction(async (tx) => {
      const changeNumber = await takeChangeNumbers(tx, user);
      const stored = await findHabit(tx, userId, id);
      assertMatches(stored, ifMatch);
      await tx.query(DELETE_HABIT, [userId, id, changeNumber, changedAt(this.clock.now(), stored)]);
      await this.keys.forget(tx, userId, id);
    });
  }

  /** @param changed makes the new row of the stored one; null leaves it as it is */
  private rewrite(
    user: AccountUser,
    id: string,
    changed: (stored: StoredHabit, counts: HabitCounts) => StoredHabit | null,
  ): Promise<HabitView> {
    return this.dataSource.transaction(async (tx) => {
      const changeNumber = await takeChangeNumbers(tx, user);
      const stored = await findHabit(tx, user.userId, id);
      const habit = changed(stored, await countHabits(tx, user.userId));
      if (habit) {
        const updatedAt = changedAt(this.clock.now(), stored);
        await updateHabit(tx, user.userId, changeNumber, { ...habit, updatedAt });
      }
      return this.habits.one(user, id, tx);
    });
  }
}

/** @throws HabitNotFound */
async function findHabit(tx: EntityManager, userId: string, id: string): Promise<StoredHabit> {
  const [habit] = await tx.query<StoredHabit[]>(
    `SELECT ${HABIT_COLUMNS} FROM habits h WHERE h.user_id = $1 AND h.id = $2`,
    [userId, id],
  );
  if (!habit) throw new HabitNotFound();
  return habit;
}

const DELETE_HABIT = `
  WITH deleted AS (DELETE FROM habits WHERE user_id = $1 AND id = $2 RETURNING id, client_id, client_id_given)
  INSERT INTO deletions (user_id, change_number, kind, id, client_id, client_id_given, deleted_at)
  SELECT $1, $3, 'habit', id, client_id, client_id_given, $4 FROM deleted`;

async function updateHabit(tx: EntityManager, userId: string, changeNumber: number, habit: StoredHabit): Promise<void> {
  await tx.query(
    `UPDATE habits SET name = $3, description = $4, category = $5, cadence = $6, target_per_week = $7,
       target_days_mask = $8, start_date = $9, start_day = $10, start_given = $11, archived_at = $12, updated_at = $13,
       change_number = $14, sort_order = $15, color = $16
     WHERE user_id = $1 AND id = $2`,
    [
      ...[userId, habit.id, habit.name, habit.description, habit.category, habit.cadence, habit.targetPerWeek],
      ...[habit.targetDaysMask, habit.startDate, habit.startDay, habit.startGiven, habit.archivedAt, habit.updatedAt],
      ...[changeNumber, habit.order, habit.color],
    ],
  );
}
