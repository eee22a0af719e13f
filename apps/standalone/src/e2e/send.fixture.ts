import { readReceipt, type Receipt } from '@evenkeel/agent';
import type { PaidRequest } from './paid-request.fixture';

export interface Answer {
  status: number;
  headers: Headers;
  /** The body as it came. */
  text: string;
  /** The body, where it is JSON. */
  body: Record<string, unknown>;
  receipt: Receipt | undefined;
}

export async function send(
  url: string,
  { path, body, headers }: Pick<PaidRequest, 'path' | 'body' | 'headers'>,
): Promise<Answer> {
  const response = await fetch(url + path, { method: 'POST', body, headers, signal: AbortSignal.timeout(15_000) });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text) as Answer['body'],
    receipt: readReceipt(response.headers),
  };
}
