import { ServiceUnavailable } from '@evenkeel/platform/http';
import type { DataSource, EntityManager } from 'typeorm';

/** The database lets nobody wait longer for a lock. */
const LONGEST_WAIT_MS = 2_000;

/** Of each database and user: when the work that was taken last has ended. */
const last = new WeakMap<DataSource, Map<string, Promise<void>>>();

/**
 * One piece of work at a time for each user who has their row locked. It waits here and not in the database, where each that waits
 * would hold a connection: many requests of one person keep nobody else waiting. Work must not take a turn of its own.
 * @throws ServiceUnavailable when its turn does not come in time: it was not begun
 */
export async function inTurn<Result>(
  dataSource: DataSource,
  userId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const turns = last.get(dataSource) ?? new Map<string, Promise<void>>();
  last.set(dataSource, turns);
  const before = turns.get(userId);
  const turn = before === undefined ? work() : inTime(before).then(work);
  // One that gave up has ended, and the one before it perhaps not.
  const ended = Promise.allSettled([before, turn]).then(() => {
    if (turns.get(userId) === ended) turns.delete(userId);
  });
  turns.set(userId, ended);
  return turn;
}

/** The same for a transaction that begins with that lock. */
export function transactionInTurn<Result>(
  dataSource: DataSource,
  userId: string,
  work: (tx: EntityManager) => Promise<Result>,
): Promise<Result> {
  return inTurn(dataSource, userId, () => dataSource.transaction(work));
}

async function inTime(before: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ServiceUnavailable()), LONGEST_WAIT_MS);
  });
  await Promise.race([before, late]).finally(() => clearTimeout(timer));
}
