import { TIER_LIMITS } from '@evenkeel/contracts';
import { planFromLogs, recommendFromLogs, type LogRecommendations, type DatedPlan } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { PremiumRequired, RedactedView } from '../entitlements/plan-refusals';
import type { AccountUser } from '../users/account-user';
import type { AnalysisBody } from './analysis.dto';
import { HabitMetricsView } from './analysis.view';
import { ReadQuestion, type Question } from './read-question';

export class RecommendedActionView {
  @ApiProperty({ format: 'uuid' }) habit_id!: string;
  @ApiProperty({ description: 'its name' }) habit!: string;
  @ApiProperty() action!: string;
  @ApiProperty() rationale!: string;
  @ApiProperty({ minimum: 0, maximum: 1 }) priority!: number;
  @ApiProperty({ type: 'integer', minimum: 0, description: 'place among the habits asked about' }) index!: number;
  @ApiProperty({ description: 'of the action; open list' }) code!: string;
}

@ApiExtraModels(HabitMetricsView)
export class RecommendationsView {
  @ApiProperty({ type: [RecommendedActionView], description: 'one of each habit, most urgent first' })
  recommendations!: RecommendedActionView[];
  @ApiProperty({ type: 'integer', minimum: 0 }) generated_for_habits!: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(HabitMetricsView) },
    description: 'by the id of the habit',
  })
  metrics!: Record<string, HabitMetricsView>;
  @ApiPropertyOptional({ enum: [true], description: 'there are more active habits than one answer has' })
  truncated?: true;
  @ApiPropertyOptional({ description: 'Free only' }) redacted?: RedactedView;

  static of({ habitIds, tier, truncated }: Question, found: LogRecommendations): RecommendationsView {
    return {
      recommendations: found.recommendations.map((one) => ({ habit_id: habitIds[one.index]!, ...one })),
      generated_for_habits: found.generated_for_habits,
      metrics: Object.fromEntries(found.metrics.map((metrics, at) => [habitIds[at]!, metrics])),
      ...(truncated && { truncated }),
      ...(tier === 'FREE' && { redacted: RedactedView.of('mood_correlation') }),
    };
  }
}

export class DatedWeekView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 26 }) week!: number;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 180 }) start_day!: number;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 7 }) days!: number;
  @ApiProperty({ minimum: 0, maximum: 1 }) target_rate!: number;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 14 }) target_sessions!: number;
  @ApiProperty({ format: 'date' }) start_date!: string;
  @ApiProperty({ format: 'date' }) end_date!: string;
  @ApiProperty({ type: [String], description: 'of the sessions; a date with two sessions is there twice' })
  dates!: string[];
}

export class MilestoneView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 180, description: 'from the start of the plan, first day 1' })
  day!: number;
  @ApiProperty({ enum: ['day', 'streak'] }) code!: 'day' | 'streak';
  @ApiProperty({ type: 'integer', description: 'the day, or the length of the streak' }) mark!: number;
  @ApiProperty() text!: string;
}

export class PlannedHabitView {
  @ApiProperty({ format: 'uuid' }) habit_id!: string;
  @ApiProperty({ type: 'integer', minimum: 0 }) index!: number;
  @ApiProperty({ description: 'its name' }) habit!: string;
  @ApiProperty({ minimum: 0, maximum: 1 }) start_rate!: number;
  @ApiProperty({ minimum: 0, maximum: 1 }) goal_rate!: number;
  @ApiProperty({ type: [DatedWeekView] }) weeks!: DatedWeekView[];
  @ApiProperty({ type: [MilestoneView] }) milestones!: MilestoneView[];
}

export class PlanView {
  @ApiProperty({ format: 'date-time' }) generated_at!: string;
  @ApiProperty({ type: 'integer', minimum: 7, maximum: 180 }) horizon_days!: number;
  @ApiProperty({
    format: 'date',
    description: 'the day after the evaluation day; a habit that starts later is planned from its start',
  })
  starts_on!: string;
  @ApiProperty({ format: 'date' }) ends_on!: string;
  @ApiProperty({ type: [PlannedHabitView] }) plan!: PlannedHabitView[];
  @ApiProperty() rationale!: string;
  @ApiPropertyOptional({ enum: [true], description: 'there are more active habits than one answer has' })
  truncated?: true;

  static of({ askedAt, habitIds, truncated }: Question, { plan, rationale, ...dates }: DatedPlan): PlanView {
    return {
      generated_at: askedAt.toISOString(),
      ...dates,
      plan: plan.map((one) => ({ habit_id: habitIds[one.index]!, ...one })),
      rationale,
      ...(truncated && { truncated }),
    };
  }
}

/** Recommends next actions from the logs of habits. Nothing is stored or counted. */
@Injectable()
export class Recommend {
  constructor(private readonly questions: ReadQuestion) {}

  /** One next-best action of each habit. @throws ValidationFailed, HabitNotFound */
  async actions(user: AccountUser, body: AnalysisBody): Promise<RecommendationsView> {
    const question = await this.questions.complete(user, body);
    return RecommendationsView.of(question, recommendFromLogs(await this.questions.read(question)));
  }

  /** Weekly targets on dates from tomorrow. @throws ValidationFailed, HabitNotFound, PremiumRequired */
  async plan(user: AccountUser, body: AnalysisBody): Promise<PlanView> {
    const question = await this.questions.complete(user, body);
    if (!TIER_LIMITS[question.tier].habitPlans) throw new PremiumRequired();
    const request = await this.questions.read(question, false);
    return PlanView.of(question, planFromLogs(request));
  }
}
