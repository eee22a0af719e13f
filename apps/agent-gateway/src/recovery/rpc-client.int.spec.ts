import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { freePort } from '@evenkeel/services/free-port';
import { StubFacilitator } from '../facilitator/stub-facilitator.fixture';
import { RpcChain } from './rpc-chain';
import { RpcTransferLog } from './rpc-transfer-log';

const key = randomBytes(16).toString('hex');
const hash = `0x${'ab'.repeat(32)}`;
const address = `0x${'12'.repeat(20)}`;

let node: StubFacilitator;
let url: string;
beforeAll(async () => {
  node = new StubFacilitator();
  url = `${await node.start()}/v2/${key}?apikey=${key}`;
});
afterAll(() => node.close());

async function failuresAt(rpcUrl: string): Promise<Error[]> {
  const log = new RpcTransferLog(rpcUrl);
  const authorization = { payer: address, nonce: hash, asset: address, payTo: address, priceMicros: 1 };
  const attempts = [
    log.head(),
    log.transaction(hash, address),
    new RpcChain(rpcUrl).evidence({ ...authorization, claimedAt: new Date(0) }),
  ];
  const settled = await Promise.allSettled(attempts);
  return settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
}

function expectHostOnly(errors: Error[], because: RegExp): void {
  expect(errors).toHaveLength(3);
  for (const error of errors) {
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(key);
    expect(error.message).toMatch(/The chain at 127\.0\.0\.1:\d+ cannot be read/);
    expect(error.message).toMatch(because);
  }
}

describe('a chain that cannot be read is named by its host alone', () => {
  it.each<[string, () => void, RegExp]>([
    ['an error that repeats the address', () => node.answers(500, { error: `no ${url}` }), /it answers 500/],
    [
      'a JSON-RPC error that repeats it',
      () => node.answers(200, { jsonrpc: '2.0', id: 1, error: { code: -32_005, message: `too much for ${url}` } }),
      /JSON-RPC error -32005/,
    ],
    [
      'a page',
      () => (node.behave = (_, response) => void response.writeHead(200).end(`<html>Sign in at ${url}</html>`)),
      /cannot be read/,
    ],
    [
      'a redirect',
      () => (node.behave = (_, response) => void response.writeHead(302, { location: `/v3/${key}` }).end()),
      /cannot be read/,
    ],
    ['a connection that ends', () => (node.behave = (_, response) => void response.destroy()), /cannot be read/],
  ])('%s', async (_, misbehave, because) => {
    misbehave();
    expectHostOnly(await failuresAt(url), because);
  });

  it('no listener', async () => {
    const unused = `http://127.0.0.1:${await freePort()}/v2/${key}`;
    expectHostOnly(await failuresAt(unused), /ECONNREFUSED/);
  });
});
