import { planFromLogs, recommendFromLogs } from '@evenkeel/scoring';
import { TIER_LIMITS } from '@evenkeel/contracts';
import { onOneConnection } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PremiumRequired } from '../entitlements/plan-refusals';
import type { AccountUser } from '../users/account-user';
import type { AnalysisBody } from './analysis.dto';
import { PlanView } from './plan.view';
import { ReadQuestion } from './read-question';
import { RecommendationsView } from './recommendations.view';

/** What to do next, from the logs of habits. Nothing of it is stored or counted. */
@Injectable()
export class Recommend {
  constructor(
    private readonly dataSource: DataSource,
    private readonly questions: ReadQuestion,
  ) {}

  /** One next-best action of each habit. @throws ValidationFailed, HabitNotFound */
  async actions(user: AccountUser, body: AnalysisBody): Promise<RecommendationsView> {
    const { question, request } = await onOneConnection(this.dataSource, async (on) => {
      const question = await this.questions.complete(on, user, body);
      return { question, ...(await this.questions.read(on, question)) };
    });
    return RecommendationsView.of(question, recommendFromLogs(request));
  }

  /** Weekly targets on dates from tomorrow. @throws ValidationFailed, HabitNotFound, PremiumRequired */
  async plan(user: AccountUser, body: AnalysisBody): Promise<PlanView> {
    const { question, request } = await onOneConnection(this.dataSource, async (on) => {
      const question = await this.questions.complete(on, user, body);
      if (!TIER_LIMITS[question.tier].habitPlans) throw new PremiumRequired('habit_plans');
      return { question, ...(await this.questions.read(on, question, { withoutScores: true })) };
    });
    return PlanView.of(question, planFromLogs(request));
  }
}
