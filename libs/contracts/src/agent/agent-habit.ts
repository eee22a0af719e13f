import { IsIn, IsObject } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Count, NumberBetween, Ratio } from '../schema/number.decorator';
import { Optional } from '../schema/presence.decorator';
import { TrimmedText } from '../schema/text.decorator';

export const TRENDS = ['rising', 'stable', 'falling'] as const;
export type Trend = (typeof TRENDS)[number];

/** Summary of one habit. Unknown properties are ignored and named in `warnings` of the result (D-38). */
@JSONSchema({ additionalProperties: true, description: 'Summary of one habit' })
export class AgentHabit {
  @JSONSchema({ description: '1 to 200 characters without the white space around them' })
  @TrimmedText(1, 200)
  name!: string;

  @JSONSchema({ description: 'Share of the scheduled occasions that were done' })
  @Ratio()
  completion_rate!: number;

  @JSONSchema({ description: 'Occasions done in a row, now' })
  @Count()
  current_streak!: number;

  @JSONSchema({ description: 'Longest run of occasions done in a row' })
  @Count()
  best_streak!: number;

  @Optional()
  @NumberBetween(1, 10)
  average_mood?: number;

  @JSONSchema({ description: 'Correlation between completion and mood' })
  @Optional()
  @NumberBetween(-1, 1)
  mood_correlation?: number;

  @Optional()
  @IsIn(TRENDS)
  energy_trend?: Trend;

  @JSONSchema({ description: "The caller's own estimate of the risk; blended with the computed value" })
  @Optional()
  @Ratio()
  risk_score?: number;

  @JSONSchema({ description: 'Free-form keys; accepted and neither read nor stored' })
  @Optional()
  @IsObject()
  metadata?: Record<string, unknown>;
}
