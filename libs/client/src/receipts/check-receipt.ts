import canonicalize from 'canonicalize';
import { readReceipt, type UncheckedReceipt, type ReceiptClaims } from './read-receipt';
import type { ReceiptKeys } from './receipt-keys';

export type ReceiptProblem =
  'malformed' | 'unknown_key' | 'bad_signature' | 'other_issuer' | 'other_request' | 'other_answer';

export type ReceiptVerdict =
  { holds: true; kid: string; claims: ReceiptClaims } | { holds: false; problem: ReceiptProblem };

/** The request as it was sent; its body parsed. */
export interface AskedRequest {
  method: string;
  /** Without query. */
  path: string;
  body: unknown;
}

/** The values that a receipt is compared with; an absent one is not checked. */
export interface Expected {
  /** Base URL of the seller. */
  issuer?: string;
  request?: AskedRequest;
  /** Bytes of the answer, or its text. */
  answer?: Uint8Array<ArrayBuffer> | string;
}

/**
 * Whether a receipt was signed with one of the keys and is about this request and this answer.
 * @param receipt value of `X-Evenkeel-Receipt`
 */
export async function checkReceipt(
  receipt: string,
  { keys }: ReceiptKeys,
  expected: Expected = {},
): Promise<ReceiptVerdict> {
  const unchecked = readReceipt(receipt);
  if (!unchecked) return { holds: false, problem: 'malformed' };
  const { kid, claims } = unchecked;
  const key = keys.find((candidate) => candidate.kid === kid && candidate.kty === 'EC' && candidate.crv === 'P-256');
  if (!key) return { holds: false, problem: 'unknown_key' };
  if (!(await isSigned(unchecked, key))) return { holds: false, problem: 'bad_signature' };
  const problem = await difference(claims, expected);
  return problem ? { holds: false, problem } : { holds: true, kid, claims };
}

async function isSigned({ signed, signature }: UncheckedReceipt, { kty, crv, x, y }: JsonWebKey): Promise<boolean> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, algorithm, false, ['verify']);
  return crypto.subtle.verify(algorithm, key, signature, signed);
}

async function difference(
  claims: ReceiptClaims,
  { issuer, request, answer }: Expected,
): Promise<ReceiptProblem | null> {
  if (issuer !== undefined && claims.iss !== issuer) return 'other_issuer';
  if (request) {
    if (request.path !== claims.endpoint) return 'other_request';
    if ((await requestDigest(request)) !== claims.request_digest) return 'other_request';
  }
  if (answer === undefined) return null;
  const bytes = typeof answer === 'string' ? new TextEncoder().encode(answer) : answer;
  return (await digestOf(bytes)) === claims.response_digest ? null : 'other_answer';
}

/** SHA-256 as `Content-Digest` writes it (RFC 9530). */
async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha-256=:${btoa(String.fromCharCode(...hash))}:`;
}

/** Of method, path and canonical body (RFC 8785), a line each: blanks and the order of members do not matter. */
export async function requestDigest({ method, path, body }: AskedRequest): Promise<string> {
  return digestOf(new TextEncoder().encode(`${method}\n${path}\n${canonicalize(body)}`));
}
