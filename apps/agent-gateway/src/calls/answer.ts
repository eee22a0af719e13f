import { hash } from 'node:crypto';
import type { RebateEarned } from '@evenkeel/contracts';

/** Status, headers and bytes of an answer, before anything of HTTP. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** A JSON object; without the rebate. */
  body: Buffer;
  /** Goes out as its last member: the only one that the request body does not decide. */
  rebate?: RebateEarned;
  /** Signed, of this purchase and these bytes: goes out as a header. */
  receipt?: string;
  /** That of the bytes without the token of the rebate. */
  deliveredReceipt?: string;
}

export const RECEIPT_HEADER = 'X-Evenkeel-Receipt';

/** A 200 of the agent surface; equal input gives equal bytes for one engine version (D-44). */
export function resultAnswer(body: Buffer, engineVersion: string): Answer {
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Language': 'en',
      'Cache-Control': 'private, no-store',
      'Content-Digest': contentDigest(body),
      'X-Engine-Version': engineVersion,
    },
    body,
  };
}

export function withHeaders(answer: Answer, headers: Record<string, string>): Answer {
  const { status, body, rebate, receipt, deliveredReceipt } = answer;
  // Named one by one, here and below: spreading an answer is slower, and a paid call does it four times.
  return { status, headers: { ...answer.headers, ...headers }, body, rebate, receipt, deliveredReceipt };
}

/** Without its receipt: the bytes are others now. */
export function withRebate({ receipt: _, ...answer }: Answer, rebate: RebateEarned): Answer {
  return { ...answer, rebate };
}

/** The mark of every copy but the first. */
export function asReplay(answer: Answer): Answer {
  return withHeaders(answer, { 'Idempotent-Replayed': 'true' });
}

/** Headers and bytes as they are sent. */
export function sent(answer: Answer): Pick<Answer, 'status' | 'headers' | 'body'> {
  const body = bytesOf(answer);
  const headers = { ...answer.headers };
  if (body !== answer.body) headers['Content-Digest'] = contentDigest(body);
  if (answer.receipt !== undefined) headers[RECEIPT_HEADER] = answer.receipt;
  return { status: answer.status, headers, body };
}

/** The `Content-Digest` that an answer goes out with. */
export function sentDigest(answer: Answer): string {
  return answer.rebate ? contentDigest(bytesOf(answer)) : answer.headers['Content-Digest']!;
}

function bytesOf({ body, rebate }: Pick<Answer, 'body' | 'rebate'>): Buffer {
  if (!rebate) return body;
  return Buffer.concat([body.subarray(0, -1), Buffer.from(`,"rebate_earned":${JSON.stringify(rebate)}}`)]);
}

function contentDigest(body: Buffer): string {
  return `sha-256=:${hash('sha256', body, 'base64')}:`;
}
