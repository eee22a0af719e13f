import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run';

interface Vector {
  name: string;
  receipt: string;
  request: { path: string; body: unknown };
  answer: string;
  verdict: string;
}

const file = readFileSync(join(__dirname, '../../../docs/receipts/vectors.json'), 'utf8');
const { jwks, receipts } = JSON.parse(file) as { jwks: object; receipts: Vector[] };
const named = (name: string) => receipts.find((vector) => vector.name === name)!;
const settled = named('a settled payment');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receipts-'));
  write('keys.json', JSON.stringify(jwks));
  write('receipt.jws', `${settled.receipt}\n`);
  write('request.json', JSON.stringify(settled.request.body, null, 4));
  write('answer.json', settled.answer);
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

describe('offline, with a key set in a file', () => {
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

  it.each([
    ['another amount written into it', 'it was altered, or somebody else has signed it.'],
    ['a key that is not published', 'the seller publishes no key of the name that it gives.'],
  ])('%s: 1, and why', async (name, why) => {
    const { code, out, err } = await verify(named(name).receipt, ...offline());
    expect([code, out, err]).toEqual([1, '', `The receipt does not hold: ${why}\n`]);
  });

  it.each([
    ['--request', '{"habits":[]}', 'it is the receipt of another request.'],
    ['--answer', `${settled.answer}\n`, 'it is the receipt of another answer.'],
  ])('compared with another %s: 1', async (option, text, why) => {
    write('other.json', text);
    const { code, err } = await verify(settled.receipt, ...offline(), option, at('other.json'));
    expect([code, err]).toEqual([1, `The receipt does not hold: ${why}\n`]);
  });

  it('looks at the issuer when one is named', async () => {
    const issued = (by: string) => verify(settled.receipt, ...offline(), '--issuer', by);
    expect((await issued('https://api.example')).code).toBe(0);
    expect(await issued('https://other.example')).toMatchObject({
      code: 1,
      err: 'The receipt does not hold: it was issued by another seller.\n',
    });
  });
});

describe('with the keys that a seller publishes', () => {
  let server: Server;
  let url: string;
  let answer: { status: number; text: string };
  beforeAll(async () => {
    server = createServer(({ url: path }, response) => {
      const { status, text } = path === '/.well-known/receipt-jwks.json' ? answer : { status: 404, text: '' };
      response.writeHead(status).end(text);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close().closeAllConnections());

  it('takes those', async () => {
    answer = { status: 200, text: JSON.stringify(jwks) };
    expect((await verify(settled.receipt, '--url', url)).code).toBe(0);
    answer = { status: 200, text: '{"keys":[]}' };
    expect((await verify(settled.receipt, '--url', url)).code).toBe(1);
  });

  it.each([
    ['nothing', { status: 404, text: '' }, 'answers 404.'],
    ['a page', { status: 200, text: '<html>' }, 'There is no JSON Web Key Set there.'],
  ])('that gives %s: 3, for nobody has said that the receipt is wrong', async (_, given, why) => {
    answer = given;
    const { code, err } = await verify(settled.receipt, '--url', url);
    expect([code, err]).toEqual([3, expect.stringContaining(why)]);
  });
});

describe('the command line', () => {
  it.each<[string, () => string[], string]>([
    ['no receipt', () => [], 'Give the receipt, or a file that holds it'],
    ['a file that is not there', () => [at('missing.jws')], 'The receipt '],
    ['keys that are not there', () => [settled.receipt, '--jwks', at('missing.json')], '--jwks '],
    ['a request that is no JSON', () => [settled.receipt, ...offline(), '--request', at('receipt.jws')], '--request '],
    ['two kinds of keys', () => [settled.receipt, ...offline(), '--url', 'http://localhost'], 'Give --url or --jwks'],
  ])('%s: 2, and what to read', async (_, line, message) => {
    const { code, err } = await verify(...line());
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(err).toContain('See npm run agent -- verify-receipt --help\n');
  });
});
