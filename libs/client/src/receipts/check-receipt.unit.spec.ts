import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkReceipt, type ReceiptVerdict, type AskedRequest } from './check-receipt';
import { readReceiptKeys } from './receipt-keys';

interface Vector {
  name: string;
  receipt: string;
  request: AskedRequest;
  answer: string;
  verdict: string;
}

const file = readFileSync(join(__dirname, '../../../../docs/receipts/vectors.json'), 'utf8');
const { jwks, receipts } = JSON.parse(file) as { jwks: object; receipts: Vector[] };
const keys = readReceiptKeys(JSON.stringify(jwks));
const [settled] = receipts as [Vector];
const wordOf = (verdict: ReceiptVerdict) => (verdict.holds ? 'holds' : verdict.problem);

it.each(receipts.map((vector) => [vector.name, vector] as const))(
  '%s',
  async (_, { receipt, request, answer, verdict }) => {
    expect(wordOf(await checkReceipt(receipt, keys, { request, answer }))).toBe(verdict);
  },
);

it('says what a receipt that holds claims, and who signed it; bytes of an answer are as good as its text', async () => {
  const answer = new TextEncoder().encode(settled.answer);
  expect(await checkReceipt(settled.receipt, keys, { answer })).toMatchObject({
    holds: true,
    kid: '2026-11',
    claims: { status: 'settled', amount_atomic: '30000', endpoint: '/agent/v1/habits/recommend' },
  });
});

it.each([
  ['https://api.example', 'holds'],
  ['https://another.example', 'other_issuer'],
])('from %s: %s', async (issuer, verdict) => {
  expect(wordOf(await checkReceipt(settled.receipt, keys, { issuer }))).toBe(verdict);
});

const withHead = (head: object) =>
  [Buffer.from(JSON.stringify(head)).toString('base64url'), ...settled.receipt.split('.').slice(1)].join('.');

it.each([
  ['nothing', '', 'malformed'],
  ['two parts', 'a.b', 'malformed'],
  ['four parts', `${settled.receipt}.AAAA`, 'malformed'],
  ['no base64url', settled.receipt.replace('.', '.='), 'malformed'],
  ['no JSON', 'AAAA.AAAA.AAAA', 'malformed'],
  ['an unknown extension', withHead({ alg: 'ES256', kid: '2026-11', crit: ['b64'], b64: false }), 'malformed'],
  ['no name of a key', withHead({ alg: 'ES256' }), 'malformed'],
  ['a signature of another length', settled.receipt.slice(0, -10), 'bad_signature'],
])('a receipt of %s is refused', async (_, receipt, problem) => {
  expect(wordOf(await checkReceipt(receipt, keys))).toBe(problem);
});

it('a key set is JSON with keys', () => {
  for (const text of ['', '[]', '{"keys":1}', '{"keys":[null]}', 'null'])
    expect(() => readReceiptKeys(text)).toThrow('There is no JSON Web Key Set there.');
});
