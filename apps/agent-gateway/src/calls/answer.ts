import { createHash } from 'node:crypto';

/** Status, headers and bytes of an answer, before anything of HTTP. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A 200 of the agent surface; equal input gives equal bytes for one engine version (D-44). */
export function resultAnswer(body: Buffer, engineVersion: string): Answer {
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Language': 'en',
      'Cache-Control': 'private, no-store',
      'Content-Digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
      'X-Engine-Version': engineVersion,
    },
    body,
  };
}

export function withHeaders(answer: Answer, headers: Record<string, string>): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** The mark of every copy but the first. */
export function asReplay(answer: Answer): Answer {
  return withHeaders(answer, { 'Idempotent-Replayed': 'true' });
}
