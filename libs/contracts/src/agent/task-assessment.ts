import { ArrayMaxSize, IsBoolean, IsIn, IsNumber, IsString, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Nested } from '../schema/nested.decorator';
import { Count, IntegerBetween, NumberBetween, Ratio } from '../schema/number.decorator';
import { Nullable } from '../schema/presence.decorator';
import { Strings } from '../schema/text.decorator';
import { MAX_ITEMS } from './max-items';
import { CADENCES, type Cadence } from './reliability-task';

export const SEVERITY_LEVELS = ['low', 'medium', 'high'] as const;
export type SeverityLevel = (typeof SEVERITY_LEVELS)[number];

const LATENCY_SIGNALS = ['degrading', 'steady', 'improving', 'unknown'] as const;

@JSONSchema({ description: 'Wilson interval of the success rate' })
export class SuccessInterval {
  @Ratio() low!: number;
  @Ratio() high!: number;
  @Ratio() level!: number;
}

@JSONSchema({ description: 'Scores of one task' })
export class TaskAssessment {
  @JSONSchema({ description: 'Place of the task in the request' })
  @IntegerBetween(0, MAX_ITEMS - 1)
  index!: number;

  @IsString() task!: string;

  @JSONSchema({ description: 'True with fewer than 10 runs' })
  @IsBoolean()
  provisional!: boolean;

  @Nullable() @Count() runs!: number | null;
  @Ratio() success_rate!: number;
  @Ratio() success_estimate!: number;
  @Ratio() success_lower_bound!: number;

  @JSONSchema({ description: 'null when runs is absent or 0' })
  @Nullable()
  @Nested(() => SuccessInterval)
  success_interval!: SuccessInterval | null;

  @JSONSchema({ description: 'Chance that the next run fails' })
  @Ratio()
  failure_risk!: number;

  @JSONSchema({ description: 'Chance of a failure within horizon_runs' })
  @Ratio()
  failure_risk_horizon!: number;

  @Count() horizon_runs!: number;

  @JSONSchema({ description: 'Allowed share of failures at this cadence' })
  @Ratio()
  error_budget!: number;

  @JSONSchema({ description: 'Failures against the budget; 1 uses it up exactly' })
  @IsNumber()
  @Min(0)
  burn_rate!: number;

  @IsBoolean() breach_confirmed!: boolean;
  @Ratio() severity!: number;
  @IsIn(SEVERITY_LEVELS) severity_level!: SeverityLevel;
  @Ratio() recovery!: number;
  @Count() runs_to_recover!: number;
  @Ratio() priority!: number;

  @JSONSchema({ description: 'What raises severity, strongest first; open list of codes' })
  @Strings()
  @ArrayMaxSize(3)
  drivers!: string[];

  @IsIn(LATENCY_SIGNALS) latency_signal!: (typeof LATENCY_SIGNALS)[number];
  @Nullable() @NumberBetween(0, 1e12) p95_latency_ms!: number | null;
  @Nullable() @IsIn(CADENCES) cadence!: Cadence | null;
  @IsBoolean() critical!: boolean;
}
