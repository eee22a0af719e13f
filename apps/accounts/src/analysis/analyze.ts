import { TIER_LIMITS } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { ServiceUnavailable } from '@evenkeel/platform/http';
import { wasCommitted } from '@evenkeel/platform/persistence';
import { analyzeLogsWithInsights } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import { type MonthUsage, tierAt } from '../entitlements/plan-refusals';
import { ACCESS_UNTIL, type AccountUser } from '../users/account-user';
import type { AnalysisBody } from './analysis.dto';
import { AnalysisView } from './analysis.view';
import {
  announceUsage,
  assertQuotaLeft,
  committedInTime,
  countAnalysis,
  monthOf,
  usedIn,
  type Counted,
} from './count-analysis';
import { ReadQuestion } from './read-question';
import { storeInsights } from './store-insights';

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
