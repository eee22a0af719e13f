import { createHash } from 'node:crypto';
import type { RebateEarned } from '@evenkeel/contracts';

/** Status, headers and bytes of an answer, before anything of HTTP. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** A JSON object; without the rebate. */
  body: Buffer;
  /** Goes out as its last member: the only one that the request body does not decide. */
  rebate?: RebateEarned;
}

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
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

export function withRebate(answer: Answer, rebate: RebateEarned): Answer {
  return { ...answer, rebate };
}

/** The mark of every copy but the first. */
export function asReplay(answer: Answer): Answer {
  return withHeaders(answer, { 'Idempotent-Replayed': 'true' });
}

/** Headers and bytes as they are sent. */
export function sent({ rebate, ...answer }: Answer): Omit<Answer, 'rebate'> {
  if (!rebate) return answer;
  const withoutEnd = answer.body.subarray(0, -1);
  const body = Buffer.concat([withoutEnd, Buffer.from(`,"rebate_earned":${JSON.stringify(rebate)}}`)]);
  return { ...withHeaders(answer, { 'Content-Digest': contentDigest(body) }), body };
}

function contentDigest(body: Buffer): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}
