import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@evenkeel/services/free-port';
import { run } from './run';

const file = readFileSync(join(__dirname, '../../../docs/receipts/vectors.json'), 'utf8');
const { jwks, receipts } = JSON.parse(file) as {
  jwks: object;
  receipts: { name: string; receipt: string; request: { body: unknown }; answer: string }[];
};
const named = (name: string) => receipts.find((vector) => vector.name === name)!;
const settled = named('a settled payment');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receipts-'));
  write('keys.json', JSON.stringify(jwks));
  write('receipt.jws', `${settled.receipt}\n`);
  write('request.json', JSON.stringify(settled.request.body, null, 4));
  write('answer.json', settled.answer);
  write('another.json', '{"habits":[]}');
});
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(at(name), text);
const offline = () => ['--jwks', at('keys.json')];

async function verify(...args: string[]) {
  const said = { out: '', err: '' };
  const streams = { out: (text: string) => void (said.out += text), err: (text: string) => void (said.err += text) };
  const code = await run(['verify-receipt', ...args], {}, streams);
  return { code, ...said };
}

it('says what a good receipt says, and compares request and answer', async () => {
  const files = ['--request', at('request.json'), '--answer', at('answer.json')];
  const { code, out, err } = await verify(at('receipt.jws'), ...offline(), ...files);
  expect([code, err]).toEqual([0, '']);
  const facts = [
    'holds, signed with the key 2026-11',
    'https://api.example',
    '2026-01-31T12:00:00.000Z',
    '/agent/v1/habits/recommend, engine 1.0.0',
    '30000 atomic units of 0x8335',
    'settled, nonce 0xabab',
  ];
  for (const fact of [...facts, `that of ${at('request.json')}`]) expect(out).toContain(fact);
});

it.each<[string, string[], string]>([
  ['another amount written into it', [], 'it was altered, or somebody else has signed it.'],
  ['a key that is not published', [], 'the seller publishes no key of the name that it gives.'],
  ['a settled payment', ['--request'], 'it is the receipt of another request.'],
  ['a settled payment', ['--answer'], 'it is the receipt of another answer.'],
])('%s %j: 1, and why', async (name, option, why) => {
  const compared = option.flatMap((one) => [one, at('another.json')]);
  const { code, out, err } = await verify(named(name).receipt, ...offline(), ...compared);
  expect([code, out, err]).toEqual([1, '', `The receipt does not hold: ${why}\n`]);
});

it('ends with 3 when the keys cannot be had: nobody has said that the receipt is wrong', async () => {
  const { code, err } = await verify(settled.receipt, '--url', `http://127.0.0.1:${await freePort()}`);
  expect([code, err]).toEqual([3, expect.stringContaining('cannot be had: ECONNREFUSED')]);
});

it('ends with 3 when the key is there and none of its kind: the receipt may be good all the same', async () => {
  write('broken.json', JSON.stringify(jwks).replace(/"x":"[^"]+"/g, '"x":"AAAA"'));
  const { code, err } = await verify(settled.receipt, '--jwks', at('broken.json'));
  expect([code, err]).toEqual([3, expect.stringContaining(`The keys of ${at('broken.json')} cannot be had: `)]);
});

it.each<[string, () => string[], string]>([
  ['no receipt', () => [], "missing required argument 'receipt'"],
  ['keys that are not there', () => [settled.receipt, '--jwks', at('missing.json')], '--jwks '],
  ['a request that is no JSON', () => [settled.receipt, ...offline(), '--request', at('receipt.jws')], '--request '],
])('%s: 2, and what to read', async (_, line, message) => {
  const { code, err } = await verify(...line());
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(err).toContain('See npm run agent -- verify-receipt --help\n');
});
