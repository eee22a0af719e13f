import { UsageMetered, TIER_LIMITS } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { ServiceUnavailable, Unauthorized } from '@evenkeel/platform/http';
import { announce } from '@evenkeel/platform/messaging';
import { analyzeLogs, analyzeLogsWithInsights } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import { type MonthUsage, QuotaExceeded, tierAt } from '../entitlements/plan-refusals';
import { ACCESS_UNTIL, type AccountUser } from '../users/account-user';
import { inTurn } from '../users/turn-of-user';
import type { AnalysisBody } from './analysis.dto';
import { AnalysisView } from './analysis.view';
import { storeInsights } from './insights';
import { wasCommitted } from './lost-commit';
import { ReadQuestion } from './read-question';

/** Whose month it is, and what their plan allows. */
type MonthOfUser = Omit<MonthUsage, 'used'> & { userId: string };

interface Counted extends MonthUsage {
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

/** Locks the row of the user until the transaction ends. @throws QuotaExceeded, Unauthorized when the user is gone */
async function countAnalysis(tx: EntityManager, month: MonthOfUser): Promise<Counted> {
  const { userId, period, limit } = month;
  const [row] = await tx.query<Omit<Counted, keyof MonthOfUser>[]>(COUNT, [userId, period, limit]);
  if (row) return { period, limit, ...row };
  await assertQuotaLeft(tx, month);
  throw new Unauthorized();
}

/** Refuses early what would be refused later: a count never goes down. @returns how many are used @throws QuotaExceeded */
async function assertQuotaLeft(
  on: Pick<EntityManager, 'query'>,
  { userId, period, limit }: MonthOfUser,
): Promise<number> {
  const sql = 'SELECT used FROM usage_months WHERE user_id = $1 AND period = $2';
  const [{ used } = { used: 0 }] = await on.query<{ used: number }[]>(sql, [userId, period]);
  if (limit !== null && used >= limit) throw QuotaExceeded.ofAnalyses({ period, used, limit });
  return used;
}

/** A caller waits twice as long for what becomes of COMMIT. */
const COMMITTED_WITHIN_MS = 2_000;
const DIVISION_BY_ZERO = '22012';

/**
 * A transaction that counts. COMMIT goes out as one message with a look at the clock of the database: one that stood still, and goes on
 * when the caller has gone, carries nothing out.
 * @throws ServiceUnavailable when it is too late, and what the work throws
 */
async function committedInTime<Result extends { usage: Counted }>(
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

/** Nobody waits longer for what has become of a COMMIT whose connection broke. */
const LOOKED_UP_WITHIN_MS = 10_000;

interface Answered<Usage extends MonthUsage = MonthUsage> {
  answer: AnalysisView;
  usage: Usage;
}

/** The plan is another one than when the request was let in: what was read is not what it shows. */
class PlanChanged extends Error {
  constructor(readonly accessUntil: Date | null) {
    super();
  }
}

/** Analyzes habits from their logs. An analysis is counted if and only if it is answered, and has a habit. */
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
   * @throws ValidationFailed, HabitNotFound, QuotaExceeded, ServiceUnavailable when nobody waits any more
   */
  async execute(user: AccountUser, body: AnalysisBody, decide: () => boolean): Promise<Answered> {
    for (let asking = user; ;) {
      const answered = await this.answer(asking, body, decide);
      if (!(answered instanceof PlanChanged)) return answered;
      asking = { ...user, accessUntil: answered.accessUntil };
    }
  }

  private async answer(user: AccountUser, body: AnalysisBody, decide: () => boolean): Promise<Answered | PlanChanged> {
    const { userId } = user;
    const question = await this.questions.complete(user, body);
    const { askedAt, tier } = question;
    // The UTC month.
    const month = { userId, period: askedAt.toISOString().slice(0, 7), limit: TIER_LIMITS[tier].analysesPerMonth };
    const usedBefore = await assertQuotaLeft(this.dataSource, month);
    const request = await this.questions.read(question);
    if (question.habitIds.length === 0) {
      return { answer: AnalysisView.of(question, analyzeLogs(request)), usage: { ...month, used: usedBefore } };
    }
    let counted: Answered<Counted> | undefined;
    const count = async (tx: EntityManager): Promise<Answered<Counted>> => {
      const usage = await countAnalysis(tx, month);
      const accessUntil = await accessOf(tx, userId);
      if (tierAt(accessUntil, askedAt) !== tier) throw new PlanChanged(accessUntil);
      const { analysis, insights } = analyzeLogsWithInsights(request);
      await storeInsights(tx, question, insights);
      const { used, version } = usage;
      const data = { ...month, feature: 'analyses', used, version, meteredAt: askedAt.toISOString() } as const;
      await announce(tx, UsageMetered, { key: userId, subject: userId, occurredAt: askedAt, data });
      const answer = AnalysisView.of(question, analysis);
      if (!decide()) throw new ServiceUnavailable();
      this.crash.pass('before_commit');
      counted = { answer, usage };
      return counted;
    };
    const counting = inTurn(this.dataSource, userId, () => committedInTime(this.dataSource, count));
    const answered = await counting.catch(async (error: unknown) => {
      if (error instanceof PlanChanged) return error;
      if (counted && (await wasCommitted(this.dataSource, counted.usage.transaction, LOOKED_UP_WITHIN_MS)))
        return counted;
      throw error;
    });
    this.crash.pass('after_commit');
    return answered;
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
