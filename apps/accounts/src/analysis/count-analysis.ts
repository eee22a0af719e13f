import { UsageMetered } from '@evenkeel/contracts';
import { ServiceUnavailable, Unauthorized } from '@evenkeel/platform/http';
import { announce } from '@evenkeel/platform/messaging';
import type { DataSource, EntityManager } from 'typeorm';
import { MonthlyQuotaExceeded, type MonthUsage } from '../entitlements/plan-refusals';

const FEATURE = 'analyses';

export interface Counted extends MonthUsage {
  userId: string;
  /** Counts up with every change of the month's row. */
  version: number;
  /** By the clock of the database. */
  countedAt: Date;
  /** The transaction that counts: another connection can see whether it was committed. */
  transaction: string;
}

// The row of the user first, as in every transaction that changes anything of a person; then the guarded count.
const COUNT = `
  WITH person AS (SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE)
  INSERT INTO usage_months AS m (user_id, period, used, version)
  SELECT id, $2, 1, 1 FROM person
  ON CONFLICT (user_id, period) DO UPDATE SET used = m.used + 1, version = m.version + 1
    WHERE $3::integer IS NULL OR m.used < $3
  RETURNING used, version, clock_timestamp() AS "countedAt", pg_current_xact_id()::text AS transaction`;

const USED = 'SELECT used FROM usage_months WHERE user_id = $1 AND period = $2';

/** Whose month it is, and what their plan allows. */
export interface MonthOfUser {
  userId: string;
  /** UTC month, YYYY-MM */
  period: string;
  limit: number | null;
}

/** The UTC month of an instant. */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/**
 * Counts one analysis, unless the month is used up. Locks the row of the user until the transaction ends.
 * @throws MonthlyQuotaExceeded, Unauthorized when the user is gone
 */
export async function countAnalysis(tx: EntityManager, { userId, period, limit }: MonthOfUser): Promise<Counted> {
  const [row] = await tx.query<Omit<Counted, keyof MonthOfUser>[]>(COUNT, [userId, period, limit]);
  if (row) return { userId, period, limit, ...row };
  assertQuotaLeft({ userId, period, limit }, await usedIn(tx, userId, period));
  throw new Unauthorized();
}

/** A caller waits twice as long for what becomes of COMMIT. */
const COMMITTED_WITHIN_MS = 2_000;
const DIVISION_BY_ZERO = '22012';

/**
 * A transaction that counts. COMMIT goes out as one message with a look at the clock of the database: one that stood still, and goes on
 * when the caller has gone, carries nothing out.
 * @throws ServiceUnavailable when it is too late, and what the work throws
 */
export async function committedInTime<Result extends { usage: Counted }>(
  dataSource: DataSource,
  work: (tx: EntityManager) => Promise<Result>,
): Promise<Result> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('START TRANSACTION');
    const result = await work(runner.manager);
    const latest = new Date(result.usage.countedAt.getTime() + COMMITTED_WITHIN_MS).toISOString();
    await runner.query(`SELECT 1 / (clock_timestamp() < '${latest}')::integer; COMMIT`);
    return result;
  } catch (error) {
    // What is thrown is why it ended; a connection that is lost has ended too.
    await runner.query('ROLLBACK').catch(() => undefined);
    const { code } = Object((error as { driverError?: unknown }).driverError) as { code?: unknown };
    throw code === DIVISION_BY_ZERO ? new ServiceUnavailable() : error;
  } finally {
    await runner.release();
  }
}

/** How many analyses of a month are counted. */
export async function usedIn(runner: Pick<EntityManager, 'query'>, userId: string, period: string): Promise<number> {
  const [row] = await runner.query<{ used: number }[]>(USED, [userId, period]);
  return row?.used ?? 0;
}

/**
 * Refuses early what would be refused later: a count never goes down.
 * @throws MonthlyQuotaExceeded
 */
export function assertQuotaLeft({ period, limit }: MonthOfUser, used: number): void {
  if (limit !== null && used >= limit) throw new MonthlyQuotaExceeded(FEATURE, { period, used, limit });
}

/** Tells billing what the month has come to. */
export function announceUsage(tx: EntityManager, counted: Counted, at: Date): Promise<void> {
  const { userId, period, used, limit, version } = counted;
  const data = { userId, feature: FEATURE, period, used, limit, version, meteredAt: at.toISOString() } as const;
  return announce(tx, UsageMetered, { key: userId, subject: userId, occurredAt: at, data });
}
