import { TIER_LIMITS } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { ServiceUnavailable } from '@evenkeel/platform/http';
import { onOneConnection, together, transactTogether } from '@evenkeel/platform/persistence';
import { analyzeLogsWithInsights } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import type { MonthUsage } from '../entitlements/plan-refusals';
import type { AccountUser } from '../users/account-user';
import type { AnalysisBody } from './analysis.dto';
import { AnalysisView } from './analysis.view';
import { announceUsage, assertQuotaLeft, countAnalysis, monthOf, usedIn } from './count-analysis';
import { ReadQuestion } from './read-question';
import { storeInsights } from './store-insights';

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
   * @param isAwaited whether somebody still waits for the answer: else nothing is counted
   * @throws ValidationFailed, HabitNotFound, MonthlyQuotaExceeded, ServiceUnavailable when nobody waits any more
   */
  async execute(
    user: AccountUser,
    body: AnalysisBody,
    isAwaited: () => boolean,
  ): Promise<{ answer: AnalysisView; usage: MonthUsage }> {
    const answered = await onOneConnection(this.dataSource, async (on) => {
      const { question, month, habitIds, request } = await this.read(on, user, body);
      const [analyzed] = await transactTogether(on, async (tx) => {
        const usage = await countAnalysis(tx, month);
        const { analysis, insights } = analyzeLogsWithInsights(request);
        const answer = AnalysisView.of(question, analysis);
        if (!isAwaited()) throw new ServiceUnavailable();
        this.crash.pass('before_commit');
        return [
          { answer, usage },
          storeInsights(tx, question, habitIds, insights),
          announceUsage(tx, usage, question.askedAt),
        ] as const;
      });
      return analyzed;
    });
    this.crash.pass('after_commit');
    return answered;
  }

  private async read(on: EntityManager, user: AccountUser, body: AnalysisBody) {
    const { userId } = user;
    const [question, used] = await together([
      this.questions.complete(on, user, body),
      usedIn(on, userId, monthOf(this.clock.now())),
    ]);
    const { tier, askedAt } = question;
    const month = { userId, period: monthOf(askedAt), limit: TIER_LIMITS[tier].analysesPerMonth };
    assertQuotaLeft(month, used);
    return { question, month, ...(await this.questions.read(on, question)) };
  }
}
