import { planFromLogs, recommendFromLogs } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { TIER_LIMITS } from '@evenkeel/contracts';
import { PremiumRequired } from '../entitlements/plan-refusals';
import type { AccountUser } from '../users/account-user';
import type { AnalysisBody } from './analysis.dto';
import { PlanView } from './plan.view';
import { ReadQuestion } from './read-question';
import { RecommendationsView } from './recommendations.view';

/** What to do next, from the logs of habits. Nothing of it is stored or counted. */
@Injectable()
export class Recommend {
  constructor(private readonly questions: ReadQuestion) {}

  /** One next-best action of each habit. @throws ValidationFailed, HabitNotFound */
  async actions(user: AccountUser, body: AnalysisBody): Promise<RecommendationsView> {
    const question = await this.questions.complete(user, body);
    const { request } = await this.questions.read(question);
    return RecommendationsView.of(question, recommendFromLogs(request));
  }

  /** Weekly targets on dates from tomorrow. @throws ValidationFailed, HabitNotFound, PremiumRequired */
  async plan(user: AccountUser, body: AnalysisBody): Promise<PlanView> {
    const question = await this.questions.complete(user, body);
    if (!TIER_LIMITS[question.tier].habitPlans) throw new PremiumRequired('habit_plans');
    const { request } = await this.questions.read(question, { withoutScores: true });
    return PlanView.of(question, planFromLogs(request));
  }
}
