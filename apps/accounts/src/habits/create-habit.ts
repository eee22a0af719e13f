import { Clock, uuidv7 } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { together } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import type { AccountUser } from '../users/account-user';
import { assertMayBeActive, assertRoomForHabit, countHabits } from './active-cap';
import { takeChangeNumbers } from '../users/lock-user';
import type { CreateHabitBody } from './habit.dto';
import { HabitNotFound } from './habit.errors';
import { scheduleOf, startOf } from './habit-terms';
import type { HabitView } from './habit.view';
import { ReadHabits } from './read-habits';
import type { StoredHabit } from './stored-habit';

/** A habit to be stored, with the names that callers have for it. */
export interface NewHabit extends Omit<StoredHabit, 'updatedAt'> {
  /** Unique for the user: what a device calls it. */
  clientId: string | null;
  /** What the file that it was imported from calls it. */
  sourceId: string | null;
}

/** Creates a habit under the cap of the plan: count and insert are one step for each person. */
@Injectable()
export class CreateHabit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly habits: ReadHabits,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /**
   * @param operationId of a request that may come again: the same one creates one habit
   * @returns a habit that was there before when its `clientId` is known
   * @throws HabitNotFound when the habit of that `clientId` was deleted; ValidationFailed, ActiveHabitsExceeded
   */
  async execute(
    user: AccountUser,
    body: CreateHabitBody,
    operationId?: string,
  ): Promise<{ habit: HabitView; created: boolean }> {
    const habit = this.newHabit(user, body, operationId);
    const answer = await this.dataSource.transaction(async (tx) => {
      const [changeNumber, known, counts] = await together([
        takeChangeNumbers(tx, user),
        habit.clientId && findByClientId(tx, user.userId, habit.clientId),
        countHabits(tx, user.userId),
      ]);
      if (!known) {
        assertRoomForHabit(counts);
        assertMayBeActive(counts, this.clock.now());
      }
      // Created by this very request, whose answer was lost, is created.
      const created = !known || body.clientId === undefined;
      const [, view] = await together([
        !known && insertHabit(tx, user.userId, changeNumber, habit),
        this.habits.one(user, known || habit.id, tx),
      ]);
      this.crash.pass('before_commit');
      return { habit: view, created };
    });
    this.crash.pass('after_commit');
    return answer;
  }

  private newHabit(user: AccountUser, body: CreateHabitBody, operationId: string | undefined): NewHabit {
    const now = this.clock.now();
    const { name, description = null, category = null, startDate, clientId = operationId } = body;
    return {
      ...{ id: uuidv7(now), clientId: clientId ?? null, sourceId: null, name, description, category },
      ...scheduleOf(body),
      ...startOf(startDate, now, user),
      ...{ archivedAt: null, createdAt: now },
    };
  }
}

/** @throws HabitNotFound when it was deleted */
async function findByClientId(tx: EntityManager, userId: string, clientId: string): Promise<string | undefined> {
  const rows = await tx.query<{ id: string; deleted: boolean }[]>(
    `SELECT id, false AS deleted FROM habits WHERE user_id = $1 AND client_id = $2
     UNION ALL SELECT id, true FROM deletions WHERE user_id = $1 AND client_id = $2 AND kind = 'habit'`,
    [userId, clientId],
  );
  if (rows[0]?.deleted) throw new HabitNotFound();
  return rows[0]?.id;
}

/** @param tx has locked the row of the user and taken the number */
export async function insertHabit(
  tx: EntityManager,
  userId: string,
  changeNumber: number,
  habit: NewHabit,
): Promise<void> {
  await tx.query(
    `INSERT INTO habits (id, user_id, client_id, source_id, name, description, category, cadence, target_per_week,
       target_days_mask, start_date, start_day, start_given, archived_at, created_at, updated_at, change_number)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $16)`,
    [
      ...[habit.id, userId, habit.clientId, habit.sourceId, habit.name, habit.description, habit.category],
      ...[habit.cadence, habit.targetPerWeek, habit.targetDaysMask, habit.startDate, habit.startDay, habit.startGiven],
      ...[habit.archivedAt, habit.createdAt, changeNumber],
    ],
  );
}
