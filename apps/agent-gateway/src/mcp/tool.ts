import type { IncomingHttpHeaders } from 'node:http';
import type { CallToolResult, Tool as ToolDeclaration } from '@modelcontextprotocol/server';
import {
  agentErrorBody,
  type FailedCall,
  requestSchema,
  resultSchema,
  type JsonSchema,
  type PaidEndpoint,
} from '@evenkeel/contracts';
import { errorAnswer } from '@evenkeel/platform/http';
import type { DomainError } from '@evenkeel/kernel';
import type { Answer, Deadline } from '../calls/call';
import { resolve } from '../offers/bazaar';

export interface ToolCall {
  /** As they were sent; undefined when there are none. */
  arguments: Record<string, unknown> | undefined;
  /** `_meta` of the parameters: payments and credits come in it. */
  meta: Readonly<Record<string, unknown>>;
  context: RequestContext;
}

export interface Tool {
  readonly declaration: ToolDeclaration;
  /** @throws DomainError */
  call(call: ToolCall): Promise<CallToolResult>;
}

/** True of all tools: scoring is pure, and the same payment is never charged twice. */
export const READS_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** The HTTP request of one message. */
export interface RequestContext {
  headers: IncomingHttpHeaders;
  /** The address that the limits count. */
  caller: string;
  requestId: string;
  deadline: Deadline;
  /** Calls of paid tools that have come to their tool, where other limits count them. */
  reached: number;
  /** Sent with the HTTP answer, whatever the answer to the message is. */
  answerHeaders: Record<string, string>;
}

/** The member of `_meta` that has the settlement response. */
export const SETTLEMENT_RESPONSE = 'x402/payment-response';
const SETTLEMENT_RESPONSE_HEADER = 'PAYMENT-RESPONSE';
/** The members of `_meta` that say what headers say over HTTP. */
const META_NAMES = new Map([
  ['Content-Digest', 'evenkeel/content-digest'],
  ['X-Engine-Version', 'evenkeel/engine-version'],
  ['Idempotent-Replayed', 'evenkeel/replayed'],
  ['X-Agent-Credit-Status', 'evenkeel/credit-status'],
  ['X-Evenkeel-Receipt', 'evenkeel/receipt'],
]);

/** A free answer, or the result of a paid call: the object, and its text for programs that read nothing else. */
export function objectResult(content: object, text = JSON.stringify(content)): CallToolResult {
  return { structuredContent: content, content: [{ type: 'text', text }] };
}

/** The 200 of a paid call: the same bytes as over HTTP, its headers in `_meta`. */
export function paidResult({ headers, body }: Omit<Answer, 'rebate'>): CallToolResult {
  const text = body.toString();
  return { ...objectResult(JSON.parse(text) as object, text), _meta: metaOf(headers) };
}

export function metaOf(headers: Readonly<Record<string, string>>): Record<string, unknown> {
  const meta: Record<string, unknown> = {};
  const response = headers[SETTLEMENT_RESPONSE_HEADER];
  if (response !== undefined) meta[SETTLEMENT_RESPONSE] = JSON.parse(Buffer.from(response, 'base64').toString());
  for (const [header, name] of META_NAMES) {
    const value = headers[header];
    if (value !== undefined) meta[name] = value === 'true' ? true : value;
  }
  return meta;
}

/**
 * A failure that is not an offer: the error object of the agent surface. It never has `accepts`, since a client that finds that
 * member signs a payment. Without an error: an unexpected failure.
 */
export function errorResult(error: DomainError | undefined, about: FailedCall): CallToolResult {
  const answer = errorAnswer(error);
  const body = agentErrorBody(answer, about);
  const { retryAfterSeconds } = answer;
  const wait = retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds };
  return { isError: true, ...objectResult({ ...body, details: { ...body.details, ...wait } }) };
}

type ToolSchema = ToolDeclaration['inputSchema'];

/**
 * The arguments of a tool. Model providers refuse a choice at the top of a schema, so two forms become one with the members
 * of both. Our own validator decides which members go together.
 */
export function toolInputSchema(endpoint: PaidEndpoint): ToolSchema {
  const { $schema: _draft, oneOf, ...schema } = requestSchema(endpoint);
  if (!oneOf) return asToolSchema(schema);
  const forms = oneOf.map((form) => resolve(form, schema));
  // The first form has the wider bounds.
  const properties = Object.assign({}, ...forms.toReversed().map((form) => form.properties)) as object;
  return asToolSchema({ ...schema, properties, additionalProperties: false });
}

/**
 * All answers of a paid tool. Clients of the protocol before 2026-07-28 check errors against it too, and would never see the
 * price if it described results alone.
 */
export function toolOutputSchema(endpoint: PaidEndpoint): ToolSchema {
  const { $schema: _draft, $defs, title, ...result } = resultSchema(endpoint);
  const type = 'object';
  return asToolSchema({
    title,
    anyOf: [
      result,
      { title: 'The price: pay and call again', type, required: ['x402Version', 'accepts'] },
      { title: 'An error', type, required: ['error', 'message'] },
    ],
    $defs,
  });
}

function asToolSchema(schema: JsonSchema | object): ToolSchema {
  return { ...(singleTyped(schema) as object), type: 'object' };
}

/** The same schema with one type in each place: clients that translate schemas for a model drop a list of types, or the tool. */
function singleTyped(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(singleTyped);
  if (typeof node !== 'object' || node === null) return node;
  const schema = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, singleTyped(member)]));
  const { type, title, description, ...rest } = schema as JsonSchema;
  if (!Array.isArray(type)) return schema;
  const said = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  return { ...said, anyOf: type.map((one) => (one === 'null' ? { type: one } : { type: one, ...rest })) };
}
