import { DomainError, Clock } from '@evenkeel/kernel';
import { badCursor, cursorOf, readCursor, type ListPlace } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource, type EntityManager } from 'typeorm';
import { HabitView } from '../habits/habit.view';
import { ReadHabits } from '../habits/read-habits';
import type { AccountUser } from '../users/account-user';
import { LogView, LOG_COLUMNS, type StoredLog } from './stored-log';

/** So long a device may be away and still learn what was deleted. */
const DELETIONS_KEPT_MS = 400 * 86_400_000;

/** The cursor is older than the deletions that are kept: what it would answer might leave some out. */
export class CursorExpired extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'cursor_expired';
  constructor() {
    super('Deletions since then are no longer known. Begin again without a cursor.');
  }
}

class DeletedRecordView {
  @ApiProperty({ enum: ['habit', 'log'] }) kind!: 'habit' | 'log';
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ nullable: true, type: String, format: 'uuid', description: 'yours, as you sent it' })
  clientId!: string | null;
  @ApiProperty({ format: 'date-time', description: 'when it was deleted' }) updatedAt!: string;
}

export class ChangesView {
  @ApiProperty({ type: [HabitView], description: 'as they are now, in the order of their last change' })
  habits!: HabitView[];
  @ApiProperty({ type: [LogView], description: 'as they are now, in the order of their last change' }) logs!: LogView[];
  @ApiProperty({ type: [DeletedRecordView], description: 'a deleted habit took its logs along' })
  deleted!: DeletedRecordView[];
  @ApiProperty({ description: 'query `cursor` of the next request, now or later' }) next_cursor!: string;
  @ApiProperty({ description: 'whether there is more already' }) more!: boolean;
}

interface Change {
  what: 'habit' | 'log' | 'deleted';
  kind: DeletedRecordView['kind'];
  id: string;
  number: string;
  /** Of what is deleted. */
  clientId: string | null;
  deletedAt: Date | null;
}

/**
 * Reads changes since a cursor, in the order of commits. A change takes its number under the lock of the user's row and
 * keeps the lock until it commits, so no number appears after a greater one was seen.
 */
@Injectable()
export class ReadChanges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly habits: ReadHabits,
  ) {}

  /** @throws ValidationFailed for a cursor of somebody else, CursorExpired */
  async execute(user: AccountUser, { cursor, limit }: { cursor: unknown; limit: number }): Promise<ChangesView> {
    const list = `changes of ${user.userId}`;
    const place = readCursor(list, cursor);
    const now = this.clock.now();
    const completeAt = place ? instantOf(place) : now.getTime();
    if (completeAt < now.getTime() - DELETIONS_KEPT_MS) throw new CursorExpired();
    // One state of the database for all that is read.
    return this.dataSource.transaction('REPEATABLE READ', async (tx) => {
      const after = place ? numberOf(place) : '0';
      const found = await tx.query<Change[]>(READ, [user.userId, after, limit + 1]);
      const changes = found.slice(0, limit);
      const more = found.length > limit;
      const idsOf = (what: Change['what']) => changes.filter((change) => change.what === what).map(({ id }) => id);
      const ids = idsOf('habit');
      const habits = ids.length === 0 ? [] : inOrderOf(ids, await this.habits.all(user, { status: 'all', ids }, tx));
      const logs = await readLogs(tx, user.userId, idsOf('log'));
      const deleted = changes.flatMap(({ kind, id, clientId, deletedAt }) =>
        deletedAt ? [{ kind, id, clientId, updatedAt: deletedAt.toISOString() }] : [],
      );
      const next = placeOf(changes.at(-1)?.number ?? after, more ? completeAt : now.getTime());
      return { habits, logs, deleted, next_cursor: cursorOf(list, next), more };
    });
  }
}

async function readLogs(tx: EntityManager, userId: string, ids: string[]): Promise<LogView[]> {
  if (ids.length === 0) return [];
  const logs = await tx.query<StoredLog[]>(
    `SELECT ${LOG_COLUMNS} FROM habit_logs l WHERE l.user_id = $1 AND l.id = ANY ($2)`,
    [userId, ids],
  );
  return inOrderOf(ids, logs).map((log) => LogView.of(log));
}

function inOrderOf<Item extends { id: string }>(ids: readonly string[], items: readonly Item[]): Item[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  return ids.map((id) => byId.get(id)!);
}

/**
 * The next numbers after `$2` of each table: no more than `$3` of each can be among the first `$3` of all. SQL, as it is one list
 * of three tables.
 */
const READ = `
  SELECT * FROM (
    (SELECT 'habit' AS what, 'habit' AS kind, id, change_number AS number, NULL::uuid AS "clientId",
       NULL::timestamptz AS "deletedAt" FROM habits
     WHERE user_id = $1 AND change_number > $2 ORDER BY change_number LIMIT $3)
    UNION ALL
    (SELECT 'log', 'log', id, change_number, NULL, NULL FROM habit_logs
     WHERE user_id = $1 AND change_number > $2 ORDER BY change_number LIMIT $3)
    UNION ALL
    (SELECT 'deleted', kind, id, change_number, CASE WHEN client_id_given THEN client_id END, deleted_at FROM deletions
     WHERE user_id = $1 AND change_number > $2 ORDER BY change_number LIMIT $3)
  ) AS changes ORDER BY number LIMIT $3`;

/** A position in the list of changes: the number is the id, and the time says since when all is known. */
function placeOf(number: string, completeAt: number): ListPlace {
  const digits = BigInt(number).toString(16).padStart(32, '0');
  const id = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { atMicros: `${completeAt}000`, id };
}

/** The greatest `bigint` of PostgreSQL. */
const MAX_BIGINT = 2n ** 63n - 1n;

/** @throws ValidationFailed for a number that PostgreSQL would not read */
function numberOf({ id }: ListPlace): string {
  const number = BigInt(`0x${id.replaceAll('-', '')}`);
  if (number > MAX_BIGINT) throw badCursor();
  return String(number);
}

function instantOf({ atMicros }: ListPlace): number {
  return Number(atMicros) / 1_000;
}
