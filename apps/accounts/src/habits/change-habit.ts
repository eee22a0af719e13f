import { Clock } from '@evenkeel/kernel';
import { IdempotencyKeys } from '@evenkeel/platform/idempotency';
import { together } from '@evenkeel/platform/persistence';
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
import { HABIT_COLUMNS, type StoredHabit } from './stored-habit';

/** Changes of a habit that exists. The last write wins; the schedule as it is now counts for the whole history. */
@Injectable()
export class ChangeHabit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly habits: ReadHabits,
    private readonly keys: IdempotencyKeys,
  ) {}

  /** @throws HabitNotFound, ValidationFailed */
  change(user: AccountUser, id: string, body: ChangeHabitBody): Promise<HabitView> {
    const { name, description, category, startDate } = body;
    return this.rewrite(user, id, (stored) => ({
      ...stored,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(category !== undefined && { category }),
      ...changedSchedule(stored, body),
      ...(startDate !== undefined && startOf(startDate, stored.createdAt, user)),
    }));
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

  /** The habit and its logs; devices that were away learn of it. @throws HabitNotFound */
  async delete(user: AccountUser, id: string): Promise<void> {
    const { userId } = user;
    await this.dataSource.transaction(async (tx) => {
      const [changeNumber, [[deleted]]] = await together([
        takeChangeNumbers(tx, user),
        tx.query<[{ client_id: string | null }[], number]>(
          `DELETE FROM habits WHERE user_id = $1 AND id = $2 RETURNING client_id`,
          [userId, id],
        ),
      ]);
      if (!deleted) throw new HabitNotFound();
      await this.keys.forget(tx, userId, id);
      await tx.query(
        `INSERT INTO deletions (user_id, change_number, kind, id, client_id, deleted_at)
         VALUES ($1, $2, 'habit', $3, $4, $5)`,
        [userId, changeNumber, id, deleted.client_id, this.clock.now()],
      );
    });
  }

  /** @param changed makes the new row of the stored one; null leaves it as it is */
  private rewrite(
    user: AccountUser,
    id: string,
    changed: (stored: StoredHabit, counts: HabitCounts) => StoredHabit | null,
  ): Promise<HabitView> {
    return this.dataSource.transaction(async (tx) => {
      const [changeNumber, [stored], counts] = await together([
        takeChangeNumbers(tx, user),
        tx.query<StoredHabit[]>(`SELECT ${HABIT_COLUMNS} FROM habits h WHERE h.user_id = $1 AND h.id = $2`, [
          ...[user.userId, id],
        ]),
        countHabits(tx, user.userId),
      ]);
      if (!stored) throw new HabitNotFound();
      const habit = changed(stored, counts);
      const [, view] = await together([
        habit && updateHabit(tx, user.userId, changeNumber, { ...habit, updatedAt: this.clock.now() }),
        this.habits.one(user, id, tx),
      ]);
      return view;
    });
  }
}

async function updateHabit(tx: EntityManager, userId: string, changeNumber: number, habit: StoredHabit): Promise<void> {
  await tx.query(
    `UPDATE habits SET name = $3, description = $4, category = $5, cadence = $6, target_per_week = $7,
       target_days_mask = $8, start_date = $9, start_day = $10, start_given = $11, archived_at = $12, updated_at = $13,
       change_number = $14
     WHERE user_id = $1 AND id = $2`,
    [
      ...[userId, habit.id, habit.name, habit.description, habit.category, habit.cadence, habit.targetPerWeek],
      ...[habit.targetDaysMask, habit.startDate, habit.startDay, habit.startGiven, habit.archivedAt, habit.updatedAt],
      changeNumber,
    ],
  );
}
