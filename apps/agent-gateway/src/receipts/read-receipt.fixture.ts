import { createHash, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import type { PaidEndpoint } from '@evenkeel/contracts';
import canonicalize from 'canonicalize';
import type { Gateway, Reply } from '../gateway.fixture';
import type { ReceiptClaims } from './answer-receipts';

export const KEYS_PATH = '/.well-known/receipt-jwks.json';

export type PublishedKey = JsonWebKey & { kid: string };

export async function publishedKeys(gateway: Gateway): Promise<PublishedKey[]> {
  return (await gateway.send(KEYS_PATH)).body['keys'] as PublishedKey[];
}

export function receiptOf({ headers }: Reply): string | null {
  return headers.get('x-evenkeel-receipt');
}

/** The claims of a receipt, by nothing but the documents and Node; null when a published key did not sign it. */
export function claimsIn(receipt: string, keys: readonly PublishedKey[]): ReceiptClaims | null {
  const [head, body, signature] = receipt.split('.') as [string, string, string];
  const { alg, kid } = read(head) as { alg: string; kid: string };
  const key = keys.find((candidate) => candidate.kid === kid);
  if (!key || alg !== 'ES256') return null;
  const publicKey = createPublicKey({ key, format: 'jwk' });
  const bytes = Buffer.from(signature, 'base64url');
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    bytes,
  );
  return isSigned ? (read(body) as ReceiptClaims) : null;
}

export async function claimsOf(gateway: Gateway, reply: Reply): Promise<ReceiptClaims> {
  const claims = claimsIn(receiptOf(reply)!, await publishedKeys(gateway));
  if (!claims) throw new Error('no published key has signed the receipt');
  return claims;
}

export function contentDigest(text: string): string {
  return `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
}

export function requestDigest({ method, path, exampleInput }: PaidEndpoint, body: unknown = exampleInput): string {
  return contentDigest(`${method}\n${path}\n${canonicalize(body)}`);
}

function read(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
