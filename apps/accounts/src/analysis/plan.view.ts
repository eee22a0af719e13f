import type { DatedPlan } from '@evenkeel/scoring';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Question } from './read-question';

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
