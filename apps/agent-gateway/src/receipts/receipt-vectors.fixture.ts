import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { contentDigest, requestDigest } from './read-receipt.fixture';
import { es256KeysOf, type PublicEs256Key } from '@evenkeel/platform/config';
import { type ReceiptClaims, ReceiptSigner } from './answer-receipts';

export interface ReceiptVector {
  name: string;
  receipt: string;
  request: { method: string; path: string; body: unknown };
  answer: string;
  /** `holds`, or what is wrong with it. */
  verdict: string;
}

export interface ReceiptVectors {
  jwks: { keys: readonly PublicEs256Key[] };
  receipts: readonly ReceiptVector[];
}

export const VECTORS_FILE = join(__dirname, '../../../../docs/receipts/vectors.json');

/** Of the vectors alone; the retired one is here only to sign what it signed earlier. */
export const VECTOR_KEYS = {
  present: es256KeysOf(`2026-11:${Buffer.alloc(32, 11).toString('base64')}`),
  retired: es256KeysOf(`2026-10:${Buffer.alloc(32, 10).toString('base64')}`),
  unknown: es256KeysOf(`2026-12:${Buffer.alloc(32, 12).toString('base64')}`),
};

const recommend = PAID_ENDPOINTS.find(({ operation }) => operation === 'recommend')!;
const answer = JSON.stringify(recommend.exampleResult);
const unusualBody = {
  locale: 'fr-CA',
  habits: [
    {
      name: 'Écrire\t"💧"\u2028',
      completion_rate: 1e-7,
      current_streak: 0,
      best_streak: 10,
      metadata: { '€': 1.0, a: [] },
    },
  ],
};

const settled: ReceiptClaims = {
  iss: 'https://api.example',
  iat: 1_769_860_800,
  jti: '019c13fc-9c00-7000-8000-000000000001',
  payer: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
  nonce: `0x${'ab'.repeat(32)}`,
  endpoint: recommend.path,
  amount_atomic: '30000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  network: 'eip155:8453',
  pay_to: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  status: 'settled',
  request_digest: requestDigest(recommend),
  response_digest: contentDigest(answer),
  engine_version: '1.0.0',
};

function vectors(): ReceiptVectors {
  const { present, retired, unknown } = VECTOR_KEYS;
  const by = (keys: typeof present, over: Partial<ReceiptClaims> = {}) =>
    new ReceiptSigner(keys).sign({ ...settled, ...over });
  const { method, path, exampleInput: body } = recommend;
  const request = { method, path, body };
  const one = (name: string, receipt: string, verdict = 'holds', over: Partial<ReceiptVector> = {}) => ({
    name,
    receipt,
    request,
    answer,
    verdict,
    ...over,
  });
  const receipt = by(present);
  const unusual = { request_digest: requestDigest(recommend, unusualBody) };
  return {
    jwks: { keys: [...present.published, ...retired.published] },
    receipts: [
      one('a settled payment', receipt),
      one('a payment that was still pending', by(present, { status: 'settlement_pending' })),
      one('a credit', by(present, { nonce: null, status: 'redeemed' })),
      one('a key that no longer signs', by(retired)),
      one('the same request, its members in another order', receipt, 'holds', {
        request: { ...request, body: reordered(body) },
      }),
      one('letters and numbers that canonical JSON has rules for', by(present, unusual), 'holds', {
        request: { ...request, body: unusualBody },
      }),
      one('another amount written into it', withClaims(receipt, { ...settled, amount_atomic: '1' }), 'bad_signature'),
      one('the signature of another receipt', withSignatureOf(receipt, by(present, { iat: 1 })), 'bad_signature'),
      one('a key that is not published', by(unknown), 'unknown_key'),
      one('no signature at all', withHead(receipt, { alg: 'none', kid: '2026-11' }, ''), 'malformed'),
      one('another algorithm', withHead(receipt, { alg: 'HS256', kid: '2026-11' }), 'malformed'),
      one('a claim too few', by(present, { pay_to: undefined }), 'malformed'),
      one('another request', receipt, 'other_request', { request: { ...request, body: unusualBody } }),
      one('another endpoint', receipt, 'other_request', { request: { ...request, path: '/agent/v1/habits/plan' } }),
      one('another answer', receipt, 'other_answer', { answer: `${answer}\n` }),
    ],
  };
}

function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reordered(member)] as const);
  return Object.fromEntries(members.toReversed());
}

const written = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const partsOf = (receipt: string) => receipt.split('.') as [head: string, claims: string, signature: string];

function withClaims(receipt: string, claims: object): string {
  const [head, , signature] = partsOf(receipt);
  return [head, written(claims), signature].join('.');
}

function withSignatureOf(receipt: string, other: string): string {
  return [...partsOf(receipt).slice(0, 2), partsOf(other)[2]].join('.');
}

function withHead(receipt: string, head: object, signature = partsOf(receipt)[2]): string {
  return [written(head), partsOf(receipt)[1], signature].join('.');
}

// Also a program, run by hand when the form of a receipt changes: every run makes other signatures.
if (require.main === module) writeFileSync(VECTORS_FILE, `${JSON.stringify(vectors(), null, 2)}\n`);
