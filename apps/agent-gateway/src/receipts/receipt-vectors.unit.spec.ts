import { readFileSync } from 'node:fs';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { compactVerify, createLocalJWKSet } from 'jose';
import { claimsIn, contentDigest, requestDigest, type PublishedKey } from './read-receipt.fixture';
import { ReceiptSigner } from './answer-receipts';
import { VECTOR_KEYS, VECTORS_FILE, type ReceiptVector, type ReceiptVectors } from './receipt-vectors.fixture';

const { jwks, receipts } = JSON.parse(readFileSync(VECTORS_FILE, 'utf8')) as ReceiptVectors;
const keys = jwks.keys as unknown as PublishedKey[];
/** What an ordinary verifier is not given: the documents refuse it before. */
const wellFormed = receipts
  .filter(({ verdict }) => verdict !== 'malformed')
  .map((vector) => [vector.name, vector] as const);
const ofSignature = ['bad_signature', 'unknown_key'];

it('are of the published keys, the retired one too', () => {
  expect(jwks.keys).toEqual([...VECTOR_KEYS.present.published, ...VECTOR_KEYS.retired.published]);
});

it.each(wellFormed)('%s: by the documents and Node alone', (_, { receipt, request, answer, verdict }) => {
  expect(verdictOn({ receipt, request, answer })).toBe(verdict);
});

it.each(wellFormed)('%s: by jose', async (_, { receipt, verdict }) => {
  const verified = compactVerify(receipt, createLocalJWKSet(jwks as never), { algorithms: ['ES256'] });
  await (ofSignature.includes(verdict) ? expect(verified).rejects.toThrow() : expect(verified).resolves.toBeDefined());
});

it('are written as this code writes them, but for the signature', () => {
  const [{ receipt }] = receipts as [ReceiptVector];
  const again = new ReceiptSigner(VECTOR_KEYS.present).sign(claimsIn(receipt, keys)!);
  expect(again.split('.').slice(0, 2)).toEqual(receipt.split('.').slice(0, 2));
});

function verdictOn({ receipt, request, answer }: Omit<ReceiptVector, 'name' | 'verdict'>): string {
  const { kid } = JSON.parse(Buffer.from(receipt.split('.')[0]!, 'base64url').toString()) as { kid: string };
  if (!keys.some((key) => key.kid === kid)) return 'unknown_key';
  const claims = claimsIn(receipt, keys);
  if (!claims) return 'bad_signature';
  const endpoint = PAID_ENDPOINTS.find(({ path }) => path === request.path)!;
  if (request.path !== claims.endpoint) return 'other_request';
  if (requestDigest(endpoint, request.body) !== claims.request_digest) return 'other_request';
  return contentDigest(answer) === claims.response_digest ? 'holds' : 'other_answer';
}
