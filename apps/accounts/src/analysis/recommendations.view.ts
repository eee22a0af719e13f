import type { LogRecommendations } from '@evenkeel/scoring';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { RedactedView } from '../entitlements/plan-refusals';
import { HabitMetricsView } from './metrics.view';
import type { Question } from './read-question';

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
