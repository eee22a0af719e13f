import { BANDS, TIERS, type Tier } from '@evenkeel/contracts';
import type { HabitMetrics, LogAnalysis } from '@evenkeel/scoring';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RedactedView } from '../entitlements/plan-refusals';
import type { Question } from './read-question';

const RATIO = { minimum: 0, maximum: 1 } as const;
const RATIO_OR_NULL = { ...RATIO, type: Number, nullable: true } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const TEN_OR_NULL = { type: Number, minimum: 1, maximum: 10, nullable: true } as const;
const PREMIUM = 'Premium; absent on Free, and where there is nothing to tell';

export class WeekdayView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 7, description: '1 is Monday' }) weekday!: number;
  @ApiProperty(RATIO) completion_rate!: number;
  @ApiProperty({ ...COUNT, description: 'days behind it' }) n!: number;
}

export class PreviousPeriodView {
  @ApiProperty(RATIO) completion_rate!: number;
  @ApiProperty({ minimum: -1, maximum: 1 }) delta!: number;
}

export class IntervalView {
  @ApiProperty({ minimum: -1, maximum: 1 }) low!: number;
  @ApiProperty({ minimum: -1, maximum: 1 }) high!: number;
  @ApiProperty({ enum: [0.95] }) level!: 0.95;
}

export class CorrelationView {
  @ApiProperty({ minimum: -1, maximum: 1 }) coefficient!: number;
  @ApiProperty({ ...COUNT, description: 'days with both' }) n!: number;
  @ApiProperty({ description: 'independent days that these are worth' }) n_eff!: number;
  @ApiProperty() interval!: IntervalView;
  @ApiProperty({ enum: ['weak', 'possible', 'clear'] }) strength!: 'weak' | 'possible' | 'clear';
  @ApiProperty({ enum: ['positive', 'negative'] }) direction!: 'positive' | 'negative';
}

/** Why a figure is absent. */
const GAPS = ['too_few_days', 'no_variation', 'not_significant'] as const;
type Gap = (typeof GAPS)[number];

export class CorrelationNotesView {
  @ApiPropertyOptional({ enum: GAPS }) mood?: Gap;
  @ApiPropertyOptional({ enum: GAPS }) energy?: Gap;
  @ApiPropertyOptional({ enum: GAPS }) stress?: Gap;
}

/** Scores of one habit from its logs; members in the order of the answer. */
export class HabitMetricsView implements HabitMetrics {
  @ApiProperty({ enum: ['logs', 'none'], description: '`none`: nothing was kept or missed yet' })
  evidence!: 'logs' | 'none';
  @ApiProperty({ ...RATIO, description: 'mean credit of the occasions of the window; 0 without any' })
  completion_rate!: number;
  @ApiProperty({ ...COUNT, description: 'kept and missed ones of the window' }) occasions!: number;
  @ApiProperty({ ...COUNT, description: 'skips of the window that count as nothing' }) excused!: number;
  @ApiProperty({ ...COUNT, description: 'skips that would still be excused' }) skip_budget_remaining!: number;
  @ApiProperty(RATIO) adherence!: number;
  @ApiProperty({ ...RATIO_OR_NULL, description: 'share of occasions expected in the next 7 days' })
  expected_adherence!: number | null;
  @ApiProperty(RATIO) consistency!: number;
  @ApiProperty(RATIO) momentum!: number;
  @ApiProperty({
    ...RATIO_OR_NULL,
    description: 'chance that fewer than half of the occasions of the next 7 days are done',
  })
  lapse_risk!: number | null;
  @ApiProperty({ enum: BANDS, nullable: true }) band!: (typeof BANDS)[number] | null;
  @ApiProperty(RATIO) priority!: number;
  @ApiProperty({ type: [String], description: 'what raises the risk, strongest first; open list of codes' })
  drivers!: HabitMetrics['drivers'];
  @ApiProperty({ ...RATIO, description: 'how settled the habit is; enters no other score' }) strength!: number;
  @ApiProperty(COUNT) current_streak!: number;
  @ApiProperty(COUNT) best_streak!: number;
  @ApiProperty({ enum: ['day', 'week'] }) streak_unit!: 'day' | 'week';
  @ApiProperty(TEN_OR_NULL) average_mood!: number | null;
  @ApiProperty(TEN_OR_NULL) average_energy!: number | null;
  @ApiProperty(TEN_OR_NULL) average_stress!: number | null;
  @ApiProperty({ enum: ['rising', 'stable', 'falling'], nullable: true })
  energy_trend!: 'rising' | 'stable' | 'falling' | null;
  @ApiProperty({ type: WeekdayView, nullable: true, description: 'null unless it is better than the others' })
  best_weekday!: WeekdayView | null;
  @ApiProperty({ type: WeekdayView, nullable: true, description: 'null unless it is worse than the others' })
  worst_weekday!: WeekdayView | null;
  @ApiProperty({ type: PreviousPeriodView, nullable: true, description: 'null when the window before has no occasion' })
  previous_period!: PreviousPeriodView | null;
  @ApiPropertyOptional({ description: PREMIUM }) mood_correlation?: CorrelationView;
  @ApiPropertyOptional({ description: PREMIUM }) energy_correlation?: CorrelationView;
  @ApiPropertyOptional({ description: PREMIUM }) stress_correlation?: CorrelationView;
  @ApiPropertyOptional({ description: 'Premium; why a correlation is absent' })
  correlation_notes?: CorrelationNotesView;
}

/** Absent is not zero: null while no habit has evidence. */
const MEAN = { ...RATIO, type: Number, nullable: true, description: 'null while no habit has evidence' } as const;

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
