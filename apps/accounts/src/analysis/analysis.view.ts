import { BANDS, TIERS, type Tier } from '@evenkeel/contracts';
import type { LogAnalysis } from '@evenkeel/scoring';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RedactedView } from '../entitlements/plan-refusals';
import { HabitMetricsView } from './metrics.view';
import type { Question } from './read-question';

const RATIO = { minimum: 0, maximum: 1 } as const;
/** Absent is not zero: null while no habit has evidence. */
const MEAN = { ...RATIO, type: Number, nullable: true, description: 'null while no habit has evidence' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

export class PeriodView {
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: 'integer', minimum: 7, maximum: 365 }) days!: number;
  @ApiProperty({ nullable: true, type: String, description: 'zone of the profile' }) timezone!: string | null;
}

export class AnalyzedHabitView {
  @ApiProperty({ format: 'uuid' }) habit_id!: string;
  @ApiProperty({ description: 'its name' }) habit!: string;
  @ApiProperty() metrics!: HabitMetricsView;
}

export class BandCountsView {
  @ApiProperty(COUNT) low!: number;
  @ApiProperty(COUNT) moderate!: number;
  @ApiProperty(COUNT) high!: number;
}

export class HighestRiskView {
  @ApiProperty() habit!: string;
  @ApiProperty(RATIO) lapse_risk!: number;
  @ApiProperty({ enum: BANDS }) band!: (typeof BANDS)[number];
}

export class LogsSummaryView {
  @ApiProperty(COUNT) habit_count!: number;
  @ApiProperty({ ...COUNT, description: 'habits without evidence: in no mean, band or highest risk' })
  left_out!: number;
  @ApiProperty({ type: 'integer', minimum: 7, maximum: 180 }) horizon_days!: number;
  @ApiProperty(MEAN) mean_adherence!: number | null;
  @ApiProperty(MEAN) mean_consistency!: number | null;
  @ApiProperty(MEAN) mean_momentum!: number | null;
  @ApiProperty(MEAN) mean_lapse_risk!: number | null;
  @ApiProperty() bands!: BandCountsView;
  @ApiProperty({ type: HighestRiskView, nullable: true }) highest_risk!: HighestRiskView | null;
}

export class AnalysisView {
  @ApiProperty({ format: 'date-time' }) generated_at!: string;
  @ApiProperty({ enum: TIERS }) tier!: Tier;
  @ApiProperty() period!: PeriodView;
  @ApiProperty({ type: [AnalyzedHabitView], description: 'as asked, else most recently logged first' })
  habits!: AnalyzedHabitView[];
  @ApiProperty() aggregate_summary!: LogsSummaryView;
  @ApiProperty({ type: [String] }) highlights!: string[];
  @ApiProperty({ type: [String] }) watchouts!: string[];
  @ApiProperty({ type: [String], description: 'one of each habit, most urgent first' }) recommendations!: string[];
  @ApiPropertyOptional({ enum: [true], description: 'there are more active habits than one answer has' })
  truncated?: true;
  @ApiPropertyOptional({ description: 'Free only' }) redacted?: RedactedView;

  static of({ askedAt, tier, user, habitIds, truncated }: Question, analysis: LogAnalysis): AnalysisView {
    const { period, habits, ...summary } = analysis;
    return {
      generated_at: askedAt.toISOString(),
      tier,
      period: { ...period, timezone: user.timezone },
      habits: habits.map(({ habit, metrics }, at) => ({ habit_id: habitIds[at]!, habit, metrics })),
      ...summary,
      ...(truncated && { truncated }),
      ...(tier === 'FREE' && { redacted: RedactedView.of('mood_correlation') }),
    };
  }
}
