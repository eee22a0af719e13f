import { IsIn, IsNumber, IsString, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { ListOf, Nested } from '../schema/nested.decorator';
import { Count, IntegerBetween, Ratio } from '../schema/number.decorator';
import { Nullable } from '../schema/presence.decorator';
import { Strings } from '../schema/text.decorator';
import { AgentResult } from './agent-result';
import { MAX_ITEMS } from './max-items';
import { SEVERITY_LEVELS, TaskAssessment, type SeverityLevel } from './task-assessment';

export class LevelCounts {
  @Count() low!: number;
  @Count() medium!: number;
  @Count() high!: number;
}

export class WorstTask {
  @IsString() task!: string;
  @Ratio() severity!: number;
  @IsIn(SEVERITY_LEVELS) severity_level!: SeverityLevel;
  @IsNumber() @Min(0) burn_rate!: number;
}

export class ReliabilitySummary {
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

export class TaskRecommendation {
  @IsString() task!: string;
  @IsString() action!: string;
  @IsString() rationale!: string;
  @Ratio() priority!: number;
  @IntegerBetween(0, MAX_ITEMS - 1) index!: number;

  @JSONSchema({ description: 'Open list of codes' })
  @IsString()
  code!: string;
}

export class ReliabilityResult extends AgentResult {
  @JSONSchema({ description: 'The label of the request' })
  @Nullable()
  @IsString()
  system!: string | null;

  @Nested(() => ReliabilitySummary) summary!: ReliabilitySummary;

  @JSONSchema({ description: 'One per task, in the order of the request' })
  @ListOf(() => TaskAssessment)
  assessments!: TaskAssessment[];

  @Strings() watchouts!: string[];
  @ListOf(() => TaskRecommendation) recommendations!: TaskRecommendation[];

  @JSONSchema({ description: 'States that the analysis is deterministic and model-free' })
  @IsString()
  method!: string;
}
