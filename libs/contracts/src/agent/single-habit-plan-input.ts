import { JSONSchema } from 'class-validator-jsonschema';
import { Nested } from '../schema/nested.decorator';
import { IntegerBetween } from '../schema/number.decorator';
import { Optional } from '../schema/presence.decorator';
import { AgentHabit } from './agent-habit';

/** The other body of the plan endpoint, as the capability manifest describes it (D-41). */
export class SingleHabitPlanInput {
  @Nested(() => AgentHabit)
  habit!: AgentHabit;

  @JSONSchema({ description: 'Days to plan', default: 21 })
  @Optional()
  @IntegerBetween(7, 60)
  horizon_days?: number;
}
