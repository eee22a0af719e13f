import { IsIn, IsObject, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Count, Described, ListOf, Nested, Nullable, Optional } from '../schema/field.decorators';

/** A finding of the validator, in an answer. */
const ISSUE_CODES = [
  'required',
  'wrong_type',
  'out_of_range',
  'too_short',
  'too_long',
  'too_few_items',
  'too_many_items',
  'not_in_enum',
  'bad_format',
  'unknown_property',
  'conflict',
] as const;
export type IssueCode = (typeof ISSUE_CODES)[number];

@Described('One thing that is wrong with a body or a query')
class Issue {
  @Described('JSON Pointer into what was sent; empty for the whole of it') @IsString() path!: string;
  @IsIn(ISSUE_CODES) code!: IssueCode;
  @IsString() message!: string;

  @Described('What would have been right, in the words of JSON Schema')
  @Optional()
  @IsObject()
  expected?: Record<string, unknown>;

  @Described('What came, where it is short and no secret') @Optional() received?: unknown;
}

@Described('Every refusal of a route that is not sold per call')
export class ErrorBody {
  @Described('Code for programs; never renamed') @IsString() error!: string;
  @IsString() message!: string;
  @Optional() @IsObject() details?: Record<string, unknown>;
}

/** The buyer's next step: the same request again, a new payment, a corrected request, or nothing. */
const RETRIES = ['fix_request', 'retry_same', 'do_not_retry', 'pay_again'] as const;

@JSONSchema({ additionalProperties: true })
class AgentErrorDetails {
  @JSONSchema({ type: ['boolean', 'null'], description: 'null when it is not known whether the payment was charged' })
  @Nullable()
  charged!: boolean | null;

  @IsIn(RETRIES) retry!: (typeof RETRIES)[number];
  @Described('At most 20') @Optional() @ListOf(() => Issue) issues?: Issue[];

  @Described('How many more were found, 80 at most: no more than 100 are looked for. Only when the list was cut')
  @Optional()
  @Count()
  more_issues?: number;
}

@Described('Every refusal of the agent surface: whether it cost anything, and what helps')
export class AgentErrorBody {
  @Described('Code for programs; never renamed') @IsString() error!: string;
  @IsString() message!: string;
  @Nested(() => AgentErrorDetails) details!: AgentErrorDetails;
}

/** Members that an error of the agent surface has no value for. */
export interface FailedCall {
  /** The request has something that may have paid for this very call before, and whether it has was perhaps not looked up. */
  mayBeCharged?: boolean;
}

/**
 * The body of an error as the agent surface gives it. Agents spend money per call: every refusal says whether this
 * call cost any, and what to do next.
 */
export function agentErrorBody(
  { status, body }: { status: number; body: ErrorBody },
  { mayBeCharged }: FailedCall = {},
): ErrorBody {
  const isOpen = mayBeCharged && (status === 429 || status === 500);
  const { charged = isOpen ? null : false, retry = retryOf(status, body.error), ...facts } = body.details ?? {};
  return { ...body, details: { ...facts, charged, retry } };
}

function retryOf(status: number, code: string): (typeof RETRIES)[number] {
  if (status === 402) return code === 'payment_already_used' ? 'do_not_retry' : 'pay_again';
  if (status === 429 || status >= 500) return 'retry_same';
  return status === 404 || status === 405 ? 'do_not_retry' : 'fix_request';
}
