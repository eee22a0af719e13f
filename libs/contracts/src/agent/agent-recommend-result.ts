import { IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { ListOf } from '../schema/nested.decorator';
import { IntegerBetween, Ratio } from '../schema/number.decorator';
import { AgentResult } from './agent-result';
import { MAX_ITEMS } from './max-items';

@JSONSchema({ description: 'Next-best action for one habit' })
export class HabitRecommendation {
  @IsString() habit!: string;
  @IsString() action!: string;
  @IsString() rationale!: string;
  @Ratio() priority!: number;
  @IntegerBetween(0, MAX_ITEMS - 1) index!: number;

  @JSONSchema({ description: 'Open list of codes' })
  @IsString()
  code!: string;
}

export class AgentRecommendResult extends AgentResult {
  @JSONSchema({ description: 'One per habit, most urgent first' })
  @ListOf(() => HabitRecommendation)
  recommendations!: HabitRecommendation[];

  @IntegerBetween(1, MAX_ITEMS) generated_for_habits!: number;
}
