import { UsageMetered, TIER_LIMITS } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { ServiceUnavailable, Unauthorized } from '@evenkeel/platform/http';
import { announce } from '@evenkeel/platform/messaging';
import { wasCommitted } from '@evenkeel/platform/persistence';
import { analyzeLogsWithInsights } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import { MonthlyQuotaExceeded, type MonthUsage, tierAt } from '../entitlements/plan-refusals';
import { ACCESS_UNTIL, type AccountUser } from '../users/account-user';
import type { AnalysisBody } from './analysis.dto';
import { AnalysisView } from './analysis.view';
import { storeInsights } from './insights';
import { ReadQuestion } from './read-question';

const FEATURE = 'analyses';

export interface Counted extends MonthUsage {
  userId: string;
  /** Counts up with every change of the month's row. */
  version: number;
  /** By the clock of the database. */
  countedAt: Date;
  /** The counting transaction: whether it was committed can be asked on another connection. */
  transaction: string;
}

// In SQL, as one statement: the row of the user first, as in every transaction that changes anything of a person; then the
// guarded count.
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
    // The error says why it ended; a lost connection has ended too.
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

/** Publishes the usage of the month for billing. */
export function announceUsage(tx: EntityManager, counted: Counted, at: Date): Promise<void> {
  const { userId, period, used, limit, version } = counted;
  const data = { userId, feature: FEATURE, period, used, limit, version, meteredAt: at.toISOString() } as const;
  return announce(tx, UsageMetered, { key: userId, subject: userId, occurredAt: at, data });
}

/** Nobody waits longer for what has become of a COMMIT whose connection broke. */
const LOOKED_UP_WITHIN_MS = 10_000;

interface Answered {
  answer: AnalysisView;
  usage: MonthUsage;
}

/** The plan is another one than when the request was let in: what was read is not what it shows. */
class PlanChanged extends Error {
  constructor(readonly accessUntil: Date | null) {
    super();
  }
}

/** Analyzes habits from their logs. An analysis is counted if and only if it is answered. */
@Injectable()
export class Analyze {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly questions: ReadQuestion,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /**
   * Histories, which are most of the work, are read before the count and without a lock. Under the lock on the row of the
   * user are the count, the engine, the insights and the event: some milliseconds in which this person alone waits.
   * When the connection breaks at COMMIT, another one says whether it was carried out: then the answer goes out all the same.
   * @param decide called right before COMMIT: false when nobody waits for the answer any more, then nothing is counted
   * @throws ValidationFailed, HabitNotFound, MonthlyQuotaExceeded, ServiceUnavailable when nobody waits any more
   */
  async execute(user: AccountUser, body: AnalysisBody, decide: () => boolean): Promise<Answered> {
    for (let asking = user; ;) {
      const answered = await this.answer(asking, body, decide);
      if (!(answered instanceof PlanChanged)) return answered;
      asking = { ...user, accessUntil: answered.accessUntil };
    }
  }

  private async answer(user: AccountUser, body: AnalysisBody, decide: () => boolean): Promise<Answered | PlanChanged> {
    const { question, month, habitIds, request } = await this.read(user, body);
    let counted: (Answered & { usage: Counted }) | undefined;
    const answered = await committedInTime(this.dataSource, async (tx) => {
      const usage = await countAnalysis(tx, month);
      const accessUntil = await accessOf(tx, user.userId);
      if (tierAt(accessUntil, question.askedAt) !== question.tier) throw new PlanChanged(accessUntil);
      const { analysis, insights } = analyzeLogsWithInsights(request);
      await storeInsights(tx, question, habitIds, insights);
      await announceUsage(tx, usage, question.askedAt);
      const answer = AnalysisView.of(question, analysis);
      if (!decide()) throw new ServiceUnavailable();
      this.crash.pass('before_commit');
      counted = { answer, usage };
      return counted;
    }).catch(async (error: unknown) => {
      if (error instanceof PlanChanged) return error;
      if (counted && (await wasCommitted(this.dataSource, counted.usage.transaction, LOOKED_UP_WITHIN_MS)))
        return counted;
      throw error;
    });
    this.crash.pass('after_commit');
    return answered;
  }

  private async read(user: AccountUser, body: AnalysisBody) {
    const question = await this.questions.complete(this.dataSource, user, body);
    const { tier, askedAt } = question;
    const month = { userId: user.userId, period: monthOf(askedAt), limit: TIER_LIMITS[tier].analysesPerMonth };
    assertQuotaLeft(month, await usedIn(this.dataSource, month.userId, month.period));
    return { question, month, ...(await this.questions.read(this.dataSource, question)) };
  }
}

/** Behind the lock on the row of the user. @returns null without access to Premium */
async function accessOf(tx: EntityManager, userId: string): Promise<Date | null> {
  const [found] = await tx.query<{ accessUntil: Date | null }[]>(
    `SELECT ${ACCESS_UNTIL} AS "accessUntil" FROM entitlements e WHERE e.user_id = $1`,
    [userId],
  );
  return found?.accessUntil ?? null;
}
