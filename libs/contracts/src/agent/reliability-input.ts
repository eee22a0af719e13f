import { JSONSchema } from 'class-validator-jsonschema';
import { ListOf } from '../schema/nested.decorator';
import { Optional } from '../schema/presence.decorator';
import { TrimmedText } from '../schema/text.decorator';
import { MAX_ITEMS } from './max-items';
import { ReliabilityTask } from './reliability-task';

/** Body of the reliability endpoint. */
export class ReliabilityInput {
  @JSONSchema({ description: 'Label echoed back, up to 120 characters without the white space around them' })
  @Optional()
  @TrimmedText(0, 120)
  system?: string;

  @JSONSchema({ description: '1 to 25 task summaries' })
  @ListOf(() => ReliabilityTask, { minimum: 1, maximum: MAX_ITEMS })
  tasks!: ReliabilityTask[];
}
