import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import fc from 'fast-check';

export interface MalformedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Sent without saying how long the body is. */
  isChunked?: boolean;
  /** The statuses that are right for it. */
  allowed: readonly number[];
}

export const anEndpoint = fc.constantFrom(...PAID_ENDPOINTS);

export const JSON_HEADERS = { 'content-type': 'application/json' };

/** 0 to 255, `length` of them. */
export function bytes(minLength: number, maxLength: number): fc.Arbitrary<Buffer> {
  return fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array));
}
