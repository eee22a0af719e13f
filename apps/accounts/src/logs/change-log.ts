import { Clock } from '@evenkeel/kernel';
import { IdempotencyKeys } from '@evenkeel/platform/auth';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { limitsAt, QuotaExceeded } from '../entitlements/plan-refusals';
import { countHabits, WRITABLE_HABITS, HabitNotFound, localDayOf } from '../habits/habit-rules';
import { assertMatches, changedAt } from '../habits/record-version';
import type { AccountUser } from '../users/account-user';
import { takeChangeNumbers } from '../users/lock-user';
import type { ChangeLogBody } from './log.dto';
import {
  completionRateOf,
  FULL_DAY,
  instantOf,
  LogNotFound,
  MAX_LOGS_A_DAY,
  tooManyLogs,
  LogView,
  LOG_COLUMNS,
  type StoredLog,
} from './stored-log';
import { transactionInTurn } from '../users/turn-of-user';

interface LogPath {
  habitId: string;
  logId: string;
}

/** Changes of a log that exists. The last write wins. */
@Injectable()
export class ChangeLog {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly keys: IdempotencyKeys,
  ) {}

  /**
   * @param ifMatch header of the request
   * @throws LogNotFound, PreconditionFailed, ValidationFailed; of a new `occurredAt` also what a log that arrives may meet
   */
  change(user: AccountUser, path: LogPath, body: ChangeLogBody, ifMatch?: string): Promise<LogView> {
    return transactionInTurn(this.dataSource, user.userId, async (tx) => {
      const changeNumber = await takeChangeNumbers(tx, user);
      const stored = await findLog(tx, user.userId, path);
      assertMatches(stored, ifMatch);
      const log = this.changed(stored, body, user);
      if (body.occurredAt !== undefined) await this.assertMayArrive(tx, user.userId, stored, log);
      await updateLog(tx, user.userId, changeNumber, log);
      return LogView.of(log);
    });
  }

  /**
   * @param ifMatch header of the request
   * @throws LogNotFound, PreconditionFailed
   */
  async delete(user: AccountUser, path: LogPath, ifMatch?: string): Promise<void> {
    const { userId } = user;
    await transactionInTurn(this.dataSource, user.userId, async (tx) => {
      const changeNumber = await takeChangeNumbers(tx, user);
      const stored = await findLog(tx, userId, path);
      assertMatches(stored, ifMatch);
      await tx.query(DELETE_LOG, [userId, stored.id, changeNumber, changedAt(this.clock.now(), stored)]);
      await this.keys.forget(tx, userId, stored.id);
    });
  }

  private changed(stored: StoredLog, body: ChangeLogBody, user: AccountUser): StoredLog {
    const { occurredAt, status = stored.status, completionRate, contextTags, ...rest } = body;
    const isRated = completionRate !== undefined || status !== stored.status;
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    return {
      ...stored,
      ...given,
      status,
      ...(isRated && { completionRate: completionRateOf(status, completionRate) }),
      ...(contextTags !== undefined && { contextTags: contextTags ?? [] }),
      ...(occurredAt !== undefined && {
        occurredAt: instantOf(occurredAt, this.clock.now()),
        localDate: localDayOf(occurredAt, user),
      }),
      updatedAt: changedAt(this.clock.now(), stored),
    };
  }

  private async assertMayArrive(tx: EntityManager, userId: string, before: StoredLog, log: StoredLog): Promise<void> {
    const { accessUntil } = await countHabits(tx, userId);
    const { maxHabits } = limitsAt(accessUntil, this.clock.now());
    const [row] = await tx.query<{ active: number; isWritable: boolean; thatDay: number }[]>(
      `SELECT h.active, h."isWritable", (
         SELECT count(*)::int FROM habit_logs WHERE user_id = $1 AND habit_id = $3 AND local_date = $4 AND id <> $5
       ) AS "thatDay" FROM (${WRITABLE_HABITS}) AS h WHERE h.id = $3`,
      [userId, maxHabits, log.habitId, log.localDate, log.id],
    );
    if (!row) throw new HabitNotFound();
    if (!row.isWritable) throw QuotaExceeded.ofHabits(row.active, maxHabits ?? 0);
    if (log.localDate !== before.localDate && row.thatDay >= MAX_LOGS_A_DAY) throw tooManyLogs(FULL_DAY);
  }
}

/** In SQL, as what follows: logs have no entity, which would cost most where thousands are read. */
async function findLog(tx: EntityManager, userId: string, { habitId, logId }: LogPath): Promise<StoredLog> {
  const [log] = await tx.query<StoredLog[]>(
    `SELECT ${LOG_COLUMNS} FROM habit_logs l WHERE l.user_id = $1 AND l.habit_id = $2 AND l.id = $3`,
    [userId, habitId, logId],
  );
  if (!log) throw new LogNotFound();
  return log;
}

const DELETE_LOG = `
  WITH deleted AS (DELETE FROM habit_logs WHERE user_id = $1 AND id = $2 RETURNING id, client_id, client_id_given)
  INSERT INTO deletions (user_id, change_number, kind, id, client_id, client_id_given, deleted_at)
  SELECT $1, $3, 'log', id, client_id, client_id_given, $4 FROM deleted`;

async function updateLog(tx: EntityManager, userId: string, changeNumber: number, log: StoredLog): Promise<void> {
  await tx.query(
    `UPDATE habit_logs SET occurred_at = $3, local_date = $4, status = $5, completion_rate = $6, duration_minutes = $7,
       mood_score = $8, energy_score = $9, stress_score = $10, context_tags = $11, note = $12, change_number = $13,
       updated_at = $14
     WHERE user_id = $1 AND id = $2`,
    [
      userId,
      log.id,
      log.occurredAt,
      log.localDate,
      log.status,
      log.completionRate,
      log.durationMinutes,
      log.moodScore,
      log.energyScore,
      log.stressScore,
      log.contextTags,
      log.note,
      changeNumber,
      log.updatedAt,
    ],
  );
}
