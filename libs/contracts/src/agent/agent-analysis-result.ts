import { JSONSchema } from 'class-validator-jsonschema';
import { Nested } from '../schema/nested.decorator';
import { Strings } from '../schema/text.decorator';
import { AgentResult } from './agent-result';
import { AggregateSummary } from './aggregate-summary';

export class AgentAnalysisResult extends AgentResult {
  @Nested(() => AggregateSummary) aggregate_summary!: AggregateSummary;
  @Strings() highlights!: string[];
  @Strings() watchouts!: string[];

  @JSONSchema({ description: 'One per habit, most urgent first' })
  @Strings()
  recommendations!: string[];
}
