import { IsIn, IsObject, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { ListOf, Nested } from '../schema/nested.decorator';
import { Count, IntegerBetween, NumberBetween, Ratio } from '../schema/number.decorator';
import { Nullable, Optional } from '../schema/presence.decorator';
import { Strings } from '../schema/text.decorator';
import { AgentResult } from './agent-result';
import { AggregateSummary } from './aggregate-summary';
import { MAX_ITEMS } from './max-items';

/** Entries about several habits have neither index nor habit. */
class AboutHabits {
  @JSONSchema({ description: 'Place of the habit in the request; null when the entry is about several' })
  @Nullable()
  @IntegerBetween(0, MAX_ITEMS - 1)
  index!: number | null;

  @Nullable() @IsString() habit!: string | null;
}

export class Pattern extends AboutHabits {
  @JSONSchema({ description: 'Open list of codes' })
  @IsString()
  code!: string;

  @IsString() statement!: string;

  @JSONSchema({ description: 'The numbers behind the statement; members depend on the code' })
  @IsObject()
  evidence!: Record<string, unknown>;
}

export class Correlation extends AboutHabits {
  @JSONSchema({ description: 'Open list: mood' })
  @IsString()
  variable!: string;

  @NumberBetween(-1, 1) coefficient!: number;
  @IsIn(['possible', 'clear']) strength!: 'possible' | 'clear';
  @IsIn(['positive', 'negative']) direction!: 'positive' | 'negative';

  @JSONSchema({ description: '`caller`: taken from the request; `computed`: over the habits of the request' })
  @IsIn(['caller', 'computed'])
  source!: 'caller' | 'computed';

  @JSONSchema({ description: 'Habits behind a computed coefficient' })
  @Optional()
  @Count()
  n?: number;
}

export class RiskSignal {
  @IntegerBetween(0, MAX_ITEMS - 1) index!: number;
  @IsString() habit!: string;
  @IsIn(['moderate_lapse_risk', 'high_lapse_risk']) code!: 'moderate_lapse_risk' | 'high_lapse_risk';
  @IsIn(['moderate', 'high']) band!: 'moderate' | 'high';
  @Ratio() value!: number;
  @Strings() drivers!: string[];
}

/** Both documented shapes of the insights result in one (D-48). */
export class AgentInsightsResult extends AgentResult {
  @JSONSchema({ description: 'Equal to aggregate_summary' })
  @Nested(() => AggregateSummary)
  summary!: AggregateSummary;

  @Nested(() => AggregateSummary) aggregate_summary!: AggregateSummary;
  @Strings() highlights!: string[];
  @Strings() watchouts!: string[];
  @Strings() recommendations!: string[];
  @ListOf(() => Pattern) patterns!: Pattern[];
  @ListOf(() => Correlation) correlations!: Correlation[];
  @ListOf(() => RiskSignal) risk_signals!: RiskSignal[];
}
