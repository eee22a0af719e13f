import type { MalformedRequest } from './malformed-request.fixture';

export interface PlainAnswer {
  status: number;
  headers: Record<string, string | undefined>;
  text: string;
}

interface ErrorBody {
  error?: unknown;
  message?: unknown;
  details?: { charged?: unknown; retry?: unknown; max_bytes?: unknown };
  x402Version?: unknown;
  accepts?: unknown[];
  status?: unknown;
  detail?: unknown;
}

const INTERNALS = /node_modules|\.ts\b|\.js\b|\bat [\w.]+ \(|SyntaxError|TypeError|Unexpected token/;

/** What is not as documented in the answer to a bad request; empty when all is well. */
export function faultsOf({ method, path }: MalformedRequest, { status, headers, text }: PlainAnswer): string[] {
  const faults = [...faultsOfHeaders(status, headers)];
  if (method === 'HEAD') return text === '' ? faults : [...faults, 'HEAD has a body'];

  const body = objectIn(text);
  if (!body) return [...faults, 'the body is no JSON object'];
  if (!/^[a-z0-9_]+$/.test(String(body.error))) faults.push('error is no code');
  if (typeof body.message !== 'string' || body.message === '') faults.push('no message');
  if (INTERNALS.test(text)) faults.push('shows internals');
  if (status === 402 && (body.x402Version !== 1 || body.accepts?.length !== 1)) faults.push('no version 1 offer');
  if (status === 413 && typeof body.details?.max_bytes !== 'number') faults.push('no details.max_bytes');
  if (headers['content-type']?.includes('problem') && !isProblem(body, status)) faults.push('no problem document');
  if (path.startsWith('/agent/v1')) faults.push(...faultsOfDetails(status, body));
  return faults;
}

function faultsOfHeaders(status: number, headers: PlainAnswer['headers']): string[] {
  const faults: string[] = [];
  if (!headers['x-request-id']) faults.push('no X-Request-Id');
  if (headers['cache-control'] !== 'no-store') faults.push('may be cached');
  if (headers['x-content-type-options'] !== 'nosniff') faults.push('no nosniff');
  if (!/^application\/(problem\+)?json/.test(headers['content-type'] ?? '')) faults.push('is no JSON');
  if (status === 405 && !headers['allow']) faults.push('no Allow');
  if (status === 402 && !isOffer(headers['payment-required'])) faults.push('no version 2 offer');
  return faults;
}

/** RFC 9457, beside the members every error has. */
function isProblem(body: ErrorBody, status: number): boolean {
  return body.status === status && body.detail === body.message;
}

function isOffer(header: string | undefined): boolean {
  return objectIn(Buffer.from(header ?? '', 'base64').toString())?.x402Version === 2;
}

/** Whether money was taken, and what to do next: on every error of the agent surface. */
function faultsOfDetails(status: number, { error, details }: ErrorBody): string[] {
  const faults: string[] = [];
  if (details?.charged !== false) faults.push('details.charged is not false');
  if (details?.retry !== retryOf(status, error)) faults.push(`details.retry is ${String(details?.retry)}`);
  return faults;
}

function retryOf(status: number, error: unknown): string {
  if (status === 402) return error === 'payment_already_used' ? 'do_not_retry' : 'pay_again';
  if (status === 404 || status === 405) return 'do_not_retry';
  return status === 429 || status >= 500 ? 'retry_same' : 'fix_request';
}

function objectIn(text: string): ErrorBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
