import { Clock } from '@evenkeel/kernel';
import { IdempotencyKeys } from '@evenkeel/platform/auth';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountUser } from '../users/account-user';
import { takeChangeNumbers } from '../users/lock-user';
import {
  assertMayBeActive,
  countHabits,
  type HabitCounts,
  HabitNotFound,
  changedSchedule,
  startOf,
} from './habit-rules';
import type { ChangeHabitBody } from './habit.dto';
import { Habit } from './habit.entity';
import type { HabitView } from './habit.view';
import { ReadHabits } from './read-habits';
import { assertMatches, changedAt } from './record-version';
import { transactionInTurn } from '../users/turn-of-user';

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
        name,
        description,
        category,
        order,
        color: color && color.toLowerCase(),
        ...changedSchedule(stored, body),
        ...(startDate !== undefined && startOf(startDate, stored.createdAt, user)),
      };
    });
  }

  /** @throws HabitNotFound */
  archive(user: AccountUser, id: string): Promise<HabitView> {
    return this.rewrite(user, id, (stored) => (stored.archivedAt ? null : { archivedAt: this.clock.now() }));
  }

  /** @throws HabitNotFound, QuotaExceeded */
  unarchive(user: AccountUser, id: string): Promise<HabitView> {
    return this.rewrite(user, id, (stored, counts) => {
      if (!stored.archivedAt) return null;
      assertMayBeActive(counts, this.clock.now());
      return { archivedAt: null };
    });
  }

  /**
   * The habit and its logs; devices that were away learn of it.
   * @param ifMatch header of the request
   * @throws HabitNotFound, PreconditionFailed
   */
  async delete(user: AccountUser, id: string, ifMatch?: string): Promise<void> {
    const { userId } = user;
    await transactionInTurn(this.dataSource, user.userId, async (tx) => {
      const changeNumber = await takeChangeNumbers(tx, user);
      const stored = await findHabit(tx, userId, id);
      assertMatches(stored, ifMatch);
      await tx.query(DELETE_HABIT, [userId, id, changeNumber, changedAt(this.clock.now(), stored)]);
      await this.keys.forget(tx, userId, id);
    });
  }

  /** @param changesOf what changes of the stored one, undefined members do not; null leaves all as it is */
  private rewrite(
    user: AccountUser,
    id: string,
    changesOf: (stored: Habit, counts: HabitCounts) => Partial<Habit> | null,
  ): Promise<HabitView> {
    return transactionInTurn(this.dataSource, user.userId, async (tx) => {
      const changeNumber = await takeChangeNumbers(tx, user);
      const stored = await findHabit(tx, user.userId, id);
      const changes = changesOf(stored, await countHabits(tx, user.userId));
      if (changes) {
        const version = { changeNumber: String(changeNumber), updatedAt: changedAt(this.clock.now(), stored) };
        await tx.update(Habit, { id: stored.id }, { ...changes, ...version });
      }
      return this.habits.one(user, id, tx);
    });
  }
}

/** @throws HabitNotFound */
async function findHabit(tx: EntityManager, userId: string, id: string): Promise<Habit> {
  const habit = await tx.findOneBy(Habit, { userId, id });
  if (!habit) throw new HabitNotFound();
  return habit;
}

/** The statement that deletes also records the deletion for sync. */
const DELETE_HABIT = `
  WITH deleted AS (DELETE FROM habits WHERE user_id = $1 AND id = $2 RETURNING id, client_id, client_id_given)
  INSERT INTO deletions (user_id, change_number, kind, id, client_id, client_id_given, deleted_at)
  SELECT $1, $3, 'habit', id, client_id, client_id_given, $4 FROM deleted`;
