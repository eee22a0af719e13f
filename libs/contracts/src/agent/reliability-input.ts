import { IsBoolean, IsIn } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Count, Described, ListOf, NumberBetween, Optional, Ratio, TrimmedText } from '../schema/field.decorators';
import { MAX_ITEMS, type Trend, TRENDS } from './habit-inputs';

export const CADENCES = ['continuous', 'hourly', 'daily', 'weekly', 'ad_hoc'] as const;

export type Cadence = (typeof CADENCES)[number];

/** Summary of one recurring task, job or pipeline. Unknown properties are ignored and named in `warnings`. */
@JSONSchema({ additionalProperties: true, description: 'Summary of one recurring task, job or pipeline' })
class ReliabilityTask {
  @Described('1 to 200 characters without the white space around them') @TrimmedText(1, 200) name!: string;
  @Described('Share of the runs that succeeded') @Ratio() success_rate!: number;
  @Described('Successful runs in a row, now') @Count() current_streak!: number;
  @Described('Longest run of successes') @Count() best_streak!: number;
  @Described('Runs behind the rate; fewer than 10 mark the assessment provisional') @Optional() @Count() runs?: number;
  @Described('`rising` is the sign of degradation') @Optional() @IsIn(TRENDS) latency_trend?: Trend;
  @Optional() @NumberBetween(0, 1e12) p95_latency_ms?: number;

  @Described("The caller's own estimate of the risk; blended with the computed value")
  @Optional()
  @Ratio()
  risk_score?: number;

  @Optional() @IsIn(CADENCES) cadence?: Cadence;
  @Described('Raises severity and priority') @Optional() @IsBoolean() critical?: boolean;
}

/** Body of the reliability endpoint. */
export class ReliabilityInput {
  @Described('Label echoed back, up to 120 characters without the white space around them')
  @Optional()
  @TrimmedText(0, 120)
  system?: string;

  @Described('1 to 25 task summaries')
  @ListOf(() => ReliabilityTask, { minimum: 1, maximum: MAX_ITEMS })
  tasks!: ReliabilityTask[];
}
