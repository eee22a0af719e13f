import { IsIn, IsObject, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import {
  Count,
  Described,
  IntegerBetween,
  ListOf,
  MaxCharacters,
  Nested,
  NumberBetween,
  Optional,
  Ratio,
  TrimmedText,
} from '../schema/field.decorators';

/** Habits or tasks in one request. */
export const MAX_ITEMS = 25;

export const TRENDS = ['rising', 'stable', 'falling'] as const;

export type Trend = (typeof TRENDS)[number];

/** Summary of one habit. Unknown properties are ignored and named in `warnings` of the result. */
@JSONSchema({ additionalProperties: true, description: 'Summary of one habit' })
export class AgentHabit {
  @Described('1 to 200 characters without the white space around them') @TrimmedText(1, 200) name!: string;
  @Described('Share of the scheduled occasions that were done') @Ratio() completion_rate!: number;
  @Described('Occasions done in a row, now') @Count() current_streak!: number;
  @Described('Longest run of occasions done in a row') @Count() best_streak!: number;
  @Optional() @NumberBetween(1, 10) average_mood?: number;
  @Described('Correlation between completion and mood') @Optional() @NumberBetween(-1, 1) mood_correlation?: number;
  @Optional() @IsIn(TRENDS) energy_trend?: Trend;

  @Described("The caller's own estimate of the risk; blended with the computed value")
  @Optional()
  @Ratio()
  risk_score?: number;

  @JSONSchema({
    description:
      'Free-form; accepted and neither read nor stored. As everywhere in a body no name is __proto__, constructor or ' +
      'hasOwnProperty, and no name or text has NUL or half a surrogate pair',
  })
  @Optional()
  @IsObject()
  metadata?: Record<string, unknown>;
}

/** Body of the four habit endpoints. */
export class AgentAnalysisInput {
  @Described('1 to 25 habit summaries')
  @ListOf(() => AgentHabit, { minimum: 1, maximum: MAX_ITEMS })
  habits!: AgentHabit[];

  @JSONSchema({ description: 'Days to look ahead', default: 35 })
  @Optional()
  @IntegerBetween(7, 180)
  horizon_days?: number;

  @Described('Accepted and without effect') @Optional() @IsString() @MaxCharacters(64) persona?: string;

  @Described('Accepted and without effect: the texts are English')
  @Optional()
  @IsString()
  @MaxCharacters(35)
  locale?: string;
}

/** The other body of the plan endpoint, as the capability manifest describes it. */
export class SingleHabitPlanInput {
  @Nested(() => AgentHabit) habit!: AgentHabit;
  @JSONSchema({ description: 'Days to plan', default: 21 }) @Optional() @IntegerBetween(7, 60) horizon_days?: number;
}
