import { isDeepStrictEqual } from 'node:util';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountUser } from '../users/account-user';
import { takeChangeNumbers } from '../users/lock-user';
import {
  assertMayBeActive,
  assertRoomForHabit,
  countHabits,
  ClientIdConflict,
  HabitNotFound,
  scheduleOf,
  startOf,
} from './habit-rules';
import type { CreateHabitBody } from './habit.dto';
import { Habit, type StoredHabit } from './habit.entity';
import type { HabitView } from './habit.view';
import { ReadHabits } from './read-habits';
import { transactionInTurn } from '../users/turn-of-user';

/** A habit to be stored, with the names that callers have for it. */
interface NewHabit extends Omit<StoredHabit, 'updatedAt'> {
  /** Of a request that may come again, where no device has named it. */
  operationId: string | null;
}

/** Creates a habit under the cap of the plan: count and insert are one step for each person. */
@Injectable()
export class CreateHabit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly habits: ReadHabits,
  ) {}

  /**
   * @param operationId of a request that may come again: the same one creates one habit
   * @returns a habit that was there before when its `clientId` is known
   * @throws HabitNotFound when the habit of that `clientId` was deleted, ClientIdConflict when it says something else;
   *   ValidationFailed, QuotaExceeded
   */
  async execute(
    user: AccountUser,
    body: CreateHabitBody,
    operationId?: string,
  ): Promise<{ habit: HabitView; created: boolean }> {
    const habit = this.newHabit(user, body, operationId);
    return transactionInTurn(this.dataSource, user.userId, async (tx) => {
      const name = habit.clientId ?? habit.operationId;
      const changeNumber = await takeChangeNumbers(tx, user);
      const known = name === null ? undefined : await findByClientId(tx, user.userId, name);
      if (!known) {
        const counts = await countHabits(tx, user.userId);
        assertRoomForHabit(counts);
        assertMayBeActive(counts, this.clock.now());
        await tx.insert(Habit, {
          ...habit,
          userId: user.userId,
          clientId: name,
          clientIdGiven: habit.clientId !== null,
          updatedAt: habit.createdAt,
          changeNumber: String(changeNumber),
        });
      }
      // Created by this very request, whose answer was lost, is created.
      const created = !known || habit.clientId === null;
      const view = await this.habits.one(user, known?.id ?? habit.id, tx);
      if (known && !created) assertSaysTheSame(view, habit, known);
      return { habit: view, created };
    });
  }

  private newHabit(user: AccountUser, body: CreateHabitBody, operationId: string | undefined): NewHabit {
    const now = this.clock.now();
    const { name, description = null, category = null, startDate, clientId = null, order = null, color } = body;
    return {
      id: uuidv7(now),
      clientId,
      operationId: operationId ?? null,
      name,
      description,
      category,
      ...scheduleOf(body),
      ...startOf(startDate, now, user),
      order,
      color: color?.toLowerCase() ?? null,
      archivedAt: null,
      createdAt: now,
    };
  }
}

interface KnownHabit {
  id: string;
  startGiven: boolean;
}

/**
 * In SQL: what is there and what was deleted at one moment.
 * @throws HabitNotFound when it was deleted
 */
async function findByClientId(tx: EntityManager, userId: string, clientId: string): Promise<KnownHabit | undefined> {
  const rows = await tx.query<(KnownHabit & { deleted: boolean })[]>(
    `SELECT id, start_given AS "startGiven", false AS deleted FROM habits WHERE user_id = $1 AND client_id = $2
     UNION ALL SELECT id, false, true FROM deletions WHERE user_id = $1 AND client_id = $2 AND kind = 'habit'`,
    [userId, clientId],
  );
  if (rows[0]?.deleted) throw new HabitNotFound();
  return rows[0];
}

/** Members that a request and a stored habit have in common; a start that nobody gave is not compared. */
const CONTENT = [
  'name',
  'description',
  'category',
  'cadence',
  'targetPerWeek',
  'targetDaysMask',
  'order',
  'color',
] as const;

/** @throws ClientIdConflict */
function assertSaysTheSame(stored: HabitView, sent: NewHabit, known: KnownHabit): void {
  const contentOf = (habit: HabitView | NewHabit, startDate: string | null) => ({
    ...Object.fromEntries(CONTENT.map((member) => [member, habit[member]])),
    startDate,
  });
  const came = contentOf(sent, sent.startGiven ? sent.startDate.toISOString() : null);
  const is = contentOf(stored, known.startGiven ? stored.startDate : null);
  if (!isDeepStrictEqual(came, is)) throw new ClientIdConflict(stored, { clientId: sent.clientId, ...came });
}
