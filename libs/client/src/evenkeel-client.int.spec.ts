import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { evenkeelClient, requestDigest } from './index';

const PATH = '/agent/v1/habits/recommend';
const body = { habits: [{ name: 'Read', completion_rate: 0.5, current_streak: 1, best_streak: 4 }] };
const answer = '{"recommendations":[],"generated_for_habits":1}';

/** A seller with one answer, whose receipts can be made wrong. */
let server: Server;
let url: string;
let signing: { kid: string; key: KeyObject };
let published: object[];
let said: { keys: number; answer: string; forged: boolean; receipts: boolean };

beforeEach(async () => {
  published = [];
  rotate('one');
  said = { keys: 0, answer, forged: false, receipts: true };
  server = createServer((request, response) => {
    if (request.url === '/.well-known/receipt-jwks.json') {
      said.keys += 1;
      return void response.end(JSON.stringify({ keys: published }));
    }
    void receipt().then((text) => {
      const headers = { 'content-type': 'application/json', ...(said.receipts && { 'X-Evenkeel-Receipt': text }) };
      response.writeHead(200, headers).end(said.answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close().closeAllConnections());

const client = () => evenkeelClient({ baseUrl: url });

it('calls with the types of the document', async () => {
  const { data, error, response } = await client().POST(PATH, { body });
  expect([response.status, data?.generated_for_habits, error]).toEqual([200, 1, undefined]);
  // @ts-expect-error no such path
  await client().GET('/agent/v1/prices');
  // @ts-expect-error tasks are for another endpoint
  await client().POST(PATH, { body: { tasks: [] } });
});

it.each<[string, () => void, object[], object]>([
  ['holds', () => {}, body.habits, { holds: true, kid: 'one', claims: { endpoint: PATH } }],
  ['is of another answer', () => (said.answer += ' '), body.habits, { holds: false, problem: 'other_answer' }],
  ['is of another request', () => {}, [...body.habits, ...body.habits], { holds: false, problem: 'other_request' }],
  ['is not signed', () => (said.forged = true), body.habits, { holds: false, problem: 'bad_signature' }],
])('says that a receipt %s', async (_, prepare, habits, verdict) => {
  prepare();
  const seller = client();
  const { response } = await seller.POST(PATH, { body: { habits: habits as typeof body.habits } });
  expect(await seller.verdictOn(response)).toMatchObject(verdict);
});

it('has nothing to say of an answer without a receipt, nor of one that it did not give', async () => {
  said.receipts = false;
  const seller = client();
  const { response } = await seller.POST(PATH, { body });
  expect([await seller.verdictOn(response), await seller.verdictOn(new Response())]).toEqual([null, null]);
  expect(said.keys).toBe(0);
});

it('fetches the keys once, and again when a new one has signed', async () => {
  const seller = client();
  const verdict = async () => seller.verdictOn((await seller.POST(PATH, { body })).response);
  for (let call = 0; call < 3; call++) expect(await verdict()).toMatchObject({ holds: true, kid: 'one' });
  expect(said.keys).toBe(1);
  rotate('two');
  for (let call = 0; call < 2; call++) expect(await verdict()).toMatchObject({ holds: true, kid: 'two' });
  expect(said.keys).toBe(2);
});

it('fails without keys, and takes them when they are there', async () => {
  const seller = client();
  const kept = published;
  published = undefined as never;
  const { response } = await seller.POST(PATH, { body });
  await expect(seller.verdictOn(response)).rejects.toThrow('There is no JSON Web Key Set there.');
  published = kept;
  expect(await seller.verdictOn(response)).toMatchObject({ holds: true });
});

function rotate(kid: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  signing = { kid, key: privateKey };
  published = [...published, { ...publicKey.export({ format: 'jwk' }), kid }];
}

async function receipt(): Promise<string> {
  const claims = {
    iss: 'https://api.example',
    iat: 1,
    jti: 'purchase',
    payer: '0x',
    nonce: null,
    endpoint: PATH,
    amount_atomic: '30000',
    asset: '0x',
    network: 'eip155:8453',
    pay_to: '0x',
    status: 'redeemed',
    request_digest: await requestDigest({ method: 'POST', path: PATH, body }),
    response_digest: `sha-256=:${createHash('sha256').update(answer).digest('base64')}:`,
    engine_version: '1.0.0',
  };
  const parts = [{ alg: 'ES256', kid: signing.kid }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signed = Buffer.from(said.forged ? 'something else' : parts.join('.'));
  const signature = sign('sha256', signed, { key: signing.key, dsaEncoding: 'ieee-p1363' });
  return [...parts, signature.toString('base64url')].join('.');
}
