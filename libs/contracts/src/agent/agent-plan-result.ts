import { IsIn, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { ListOf } from '../schema/nested.decorator';
import { IntegerBetween, Ratio } from '../schema/number.decorator';
import { AgentResult } from './agent-result';
import { MAX_ITEMS } from './max-items';

const MAX_HORIZON_DAYS = 180;

export class PlanWeek {
  @IntegerBetween(1, 26) week!: number;
  @IntegerBetween(1, MAX_HORIZON_DAYS) start_day!: number;
  @IntegerBetween(1, 7) days!: number;
  @Ratio() target_rate!: number;
  @IntegerBetween(1, 7) target_sessions!: number;
}

export class PlanMilestone {
  @JSONSchema({ description: 'Days from the start of the plan, first day 1' })
  @IntegerBetween(1, MAX_HORIZON_DAYS)
  day!: number;

  @IsIn(['day', 'streak']) code!: 'day' | 'streak';

  @JSONSchema({ description: 'The day, or the length of the streak, that is reached' })
  @IntegerBetween(1, MAX_HORIZON_DAYS)
  mark!: number;

  @IsString() text!: string;
}

export class HabitPlan {
  @IntegerBetween(0, MAX_ITEMS - 1) index!: number;
  @IsString() habit!: string;
  @Ratio() start_rate!: number;
  @Ratio() goal_rate!: number;
  @ListOf(() => PlanWeek) weeks!: PlanWeek[];
  @ListOf(() => PlanMilestone) milestones!: PlanMilestone[];
}

export class AgentPlanResult extends AgentResult {
  @IntegerBetween(7, MAX_HORIZON_DAYS) horizon_days!: number;

  @JSONSchema({ description: 'One per habit, in the order of the request' })
  @ListOf(() => HabitPlan)
  plan!: HabitPlan[];

  @IsString() rationale!: string;
}
