import { ArrayMaxSize, IsBoolean, IsIn, IsNumber, IsString, Min } from 'class-validator';
import {
  Count,
  Described,
  IntegerBetween,
  ListOf,
  Nested,
  Nullable,
  NumberBetween,
  Ratio,
  Strings,
} from '../schema/field.decorators';
import { MAX_ITEMS } from './habit-inputs';
import { AgentResult } from './habit-results';
import { type Cadence, CADENCES } from './reliability-input';

const SEVERITY_LEVELS = ['low', 'medium', 'high'] as const;

type SeverityLevel = (typeof SEVERITY_LEVELS)[number];

const LATENCY_SIGNALS = ['degrading', 'steady', 'improving', 'unknown'] as const;

@Described('Wilson interval of the success rate')
class SuccessInterval {
  @Ratio() low!: number;
  @Ratio() high!: number;
  @Ratio() level!: number;
}

@Described('Scores of one task')
class TaskAssessment {
  @Described('Place of the task in the request') @IntegerBetween(0, MAX_ITEMS - 1) index!: number;
  @IsString() task!: string;
  @Described('True with fewer than 10 runs') @IsBoolean() provisional!: boolean;
  @Nullable() @Count() runs!: number | null;
  @Ratio() success_rate!: number;
  @Ratio() success_estimate!: number;
  @Ratio() success_lower_bound!: number;

  @Described('null when runs is absent or 0')
  @Nullable()
  @Nested(() => SuccessInterval)
  success_interval!: SuccessInterval | null;

  @Described('Chance that the next run fails') @Ratio() failure_risk!: number;
  @Described('Chance of a failure within horizon_runs') @Ratio() failure_risk_horizon!: number;
  @Count() horizon_runs!: number;
  @Described('Allowed share of failures at this cadence') @Ratio() error_budget!: number;
  @Described('Failures against the budget; 1 uses it up exactly') @IsNumber() @Min(0) burn_rate!: number;
  @IsBoolean() breach_confirmed!: boolean;
  @Ratio() severity!: number;
  @IsIn(SEVERITY_LEVELS) severity_level!: SeverityLevel;
  @Ratio() recovery!: number;
  @Count() runs_to_recover!: number;
  @Ratio() priority!: number;

  @Described('What raises severity, strongest first; open list of codes')
  @Strings()
  @ArrayMaxSize(3)
  drivers!: string[];

  @IsIn(LATENCY_SIGNALS) latency_signal!: (typeof LATENCY_SIGNALS)[number];
  @Nullable() @NumberBetween(0, 1e12) p95_latency_ms!: number | null;
  @Nullable() @IsIn(CADENCES) cadence!: Cadence | null;
  @IsBoolean() critical!: boolean;
}

class LevelCounts {
  @Count() low!: number;
  @Count() medium!: number;
  @Count() high!: number;
}

class WorstTask {
  @IsString() task!: string;
  @Ratio() severity!: number;
  @IsIn(SEVERITY_LEVELS) severity_level!: SeverityLevel;
  @IsNumber() @Min(0) burn_rate!: number;
}

class ReliabilitySummary {
  @IntegerBetween(1, MAX_ITEMS) task_count!: number;
  @Ratio() mean_success_rate!: number;
  @Ratio() mean_failure_risk!: number;
  @Ratio() mean_severity!: number;
  @Nested(() => LevelCounts) levels!: LevelCounts;
  @IsIn(SEVERITY_LEVELS) overall_level!: SeverityLevel;
  @Count() tasks_over_budget!: number;
  @Count() breaches_confirmed!: number;
  @Count() provisional_tasks!: number;
  @Count() critical_tasks!: number;
  @Nested(() => WorstTask) worst!: WorstTask;
}

class TaskRecommendation {
  @IsString() task!: string;
  @IsString() action!: string;
  @IsString() rationale!: string;
  @Ratio() priority!: number;
  @IntegerBetween(0, MAX_ITEMS - 1) index!: number;
  @Described('Open list of codes') @IsString() code!: string;
}

export class ReliabilityResult extends AgentResult {
  @Described('The label of the request') @Nullable() @IsString() system!: string | null;
  @Nested(() => ReliabilitySummary) summary!: ReliabilitySummary;
  @Described('One per task, in the order of the request') @ListOf(() => TaskAssessment) assessments!: TaskAssessment[];
  @Strings() watchouts!: string[];
  @ListOf(() => TaskRecommendation) recommendations!: TaskRecommendation[];
  @Described('States that the analysis is deterministic and model-free') @IsString() method!: string;
}
