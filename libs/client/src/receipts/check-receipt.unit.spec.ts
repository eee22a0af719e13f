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

it('hands over what the receipt says, and who signed it', async () => {
  const { receipt } = settled;
  expect(await checkReceipt(receipt, keys)).toMatchObject({
    holds: true,
    kid: '2026-11',
    claims: { status: 'settled', amount_atomic: '30000', endpoint: '/agent/v1/habits/recommend' },
  });
});

it('takes bytes as well as text', async () => {
  const answer = new TextEncoder().encode(settled.answer);
  expect(wordOf(await checkReceipt(settled.receipt, keys, { answer }))).toBe('holds');
});

it.each([
  ['https://api.example', 'holds'],
  ['https://api.example/', 'other_issuer'],
  ['https://another.example', 'other_issuer'],
])('from %s: %s', async (issuer, verdict) => {
  expect(wordOf(await checkReceipt(settled.receipt, keys, { issuer }))).toBe(verdict);
});

it.each([
  ['nothing', ''],
  ['a word', 'receipt'],
  ['two parts', 'a.b'],
  ['four parts', `${settled.receipt}.AAAA`],
  ['no base64url', settled.receipt.replace('.', '.=')],
  ['no JSON', 'AAAA.AAAA.AAAA'],
])('%s is malformed', async (_, receipt) => {
  expect(wordOf(await checkReceipt(receipt, keys))).toBe('malformed');
});

it.each([
  ['an extension that we do not know', { alg: 'ES256', kid: '2026-11', crit: ['b64'], b64: false }],
  ['no name of a key', { alg: 'ES256' }],
])('a head with %s is malformed', async (_, head) => {
  const [, ...rest] = settled.receipt.split('.');
  const receipt = [Buffer.from(JSON.stringify(head)).toString('base64url'), ...rest].join('.');
  expect(wordOf(await checkReceipt(receipt, keys))).toBe('malformed');
});

it('a signature of another length does not hold', async () => {
  expect(wordOf(await checkReceipt(settled.receipt.slice(0, -10), keys))).toBe('bad_signature');
});

it('a key set is JSON with keys', () => {
  for (const text of ['', '[]', '{"keys":1}', '<html>', 'null']) {
    expect(() => readReceiptKeys(text)).toThrow('There is no JSON Web Key Set there.');
  }
});
