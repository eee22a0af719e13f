import { IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { ListOf } from '../schema/nested.decorator';
import { IntegerBetween } from '../schema/number.decorator';
import { Optional } from '../schema/presence.decorator';
import { MaxCharacters } from '../schema/text.decorator';
import { AgentHabit } from './agent-habit';
import { MAX_ITEMS } from './max-items';

/** Body of the four habit endpoints. */
export class AgentAnalysisInput {
  @JSONSchema({ description: '1 to 25 habit summaries' })
  @ListOf(() => AgentHabit, { minimum: 1, maximum: MAX_ITEMS })
  habits!: AgentHabit[];

  @JSONSchema({ description: 'Days to look ahead', default: 35 })
  @Optional()
  @IntegerBetween(7, 180)
  horizon_days?: number;

  @JSONSchema({ description: 'Accepted and without effect' })
  @Optional()
  @IsString()
  @MaxCharacters(64)
  persona?: string;

  @JSONSchema({ description: 'Accepted and without effect: the texts are English' })
  @Optional()
  @IsString()
  @MaxCharacters(35)
  locale?: string;
}
