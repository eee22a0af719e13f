import { agentErrorBody, type FailedCall } from '@evenkeel/contracts';
import { errorAnswer } from '@evenkeel/platform/http';
import type { DomainError } from '@evenkeel/kernel';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer } from '../calls/call';

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

/** The settlement response and other facts about an answer or a refusal. */
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
 * member signs a payment.
 * @param error undefined for an unexpected failure
 * @param about the call that failed
 */
export function errorResult(error: DomainError | undefined, about: FailedCall): CallToolResult {
  const answer = errorAnswer(error);
  const body = agentErrorBody(answer, about);
  const { retryAfterSeconds } = answer;
  const wait = retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds };
  return { isError: true, ...objectResult({ ...body, details: { ...body.details, ...wait } }) };
}
