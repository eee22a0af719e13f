import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningFacilitator, startFacilitator } from '@evenkeel/facilitator';
import { loadConfig, newEs256Key } from '@evenkeel/platform/config';
import type { Finding } from '@evenkeel/platform/service';
import { freePort } from '@evenkeel/services/free-port';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { base } from '../payments/payment.fixture';
import { operatorModule } from './operator-module';
import { probes } from './probes';

let facilitator: RunningFacilitator;
let sepolia: RunningFacilitator;
let closing: Server[];
let good: Record<string, string>;
beforeAll(async () => {
  closing = [];
  facilitator = await startFacilitator({ port: 0, chain: base });
  sepolia = await startFacilitator({
    port: 0,
    chain: { ...base, caip2: 'eip155:84532', shortName: 'base-sepolia', chainId: 84_532 },
  });
  good = {
    DATABASE_URL: 'postgres://localhost/agent_gateway',
    RECEIPT_KEYS: newEs256Key('test'),
    ANSWER_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: facilitator.rpcUrl,
  };
});
afterAll(async () => {
  for (const server of closing) server.close();
  await Promise.all([facilitator.close(), sepolia.close()]);
});

async function found(settings: Record<string, string>): Promise<Finding[]> {
  const config = loadConfig(AgentGatewayConfig, { ...good, ...settings });
  return (await Promise.all(probes(config).map(({ examine }) => examine(5_000)))).flat();
}

/** A server that answers everything with this. @returns its address */
async function answering(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  closing.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('finds facilitator, chain and token in order', async () => {
  expect(await found({})).toEqual([
    { subject: 'facilitator', outcome: 'ok', says: expect.stringContaining('settles on eip155:8453') },
    { subject: 'chain', outcome: 'ok', says: expect.stringContaining('is chain 8453') },
    { subject: 'asset', outcome: 'ok', says: `${base.usdc.address} is USD Coin, version 2.` },
  ]);
});

const nowhere = async () => `http://127.0.0.1:${await freePort()}`;

it.each<[string, () => Promise<Record<string, string>> | Record<string, string>, string, RegExp]>([
  ['no facilitator', () => ({ FACILITATOR_URL: '' }), 'facilitator', /FACILITATOR_URL is not set/],
  [
    'one that is not there',
    async () => ({ FACILITATOR_URL: await nowhere() }),
    'facilitator',
    /is not there.*FACILITATOR_URL/,
  ],
  [
    'one that asks for a key',
    async () => ({ FACILITATOR_URL: await answering(401, '{}') }),
    'facilitator',
    /set FACILITATOR_CDP_KEY_ID and/,
  ],
  ['one of another network', () => ({ FACILITATOR_URL: sepolia.url }), 'facilitator', /eip155:84532.*X402_NETWORK/],
  ['no chain there', async () => ({ X402_RPC_URL: await nowhere() }), 'chain', /ECONNREFUSED.*X402_RPC_URL/],
  ['another chain', () => ({ X402_RPC_URL: sepolia.rpcUrl }), 'chain', /is chain 84532.*X402_RPC_URL or X402_NETWORK/],
  ['a server that is no chain', async () => ({ X402_RPC_URL: await answering(200, '{}') }), 'chain', /X402_RPC_URL/],
  [
    'another version of the token',
    () => ({ X402_ASSET_VERSION: '1' }),
    'asset',
    /version 2, and offers say USD Coin, version 1.*X402_ASSET_VERSION/,
  ],
  [
    'an address that is no token',
    () => ({ X402_ASSET: good.X402_PAY_TO!, X402_ASSET_NAME: 'USD Coin' }),
    'asset',
    /no token.*X402_ASSET/,
  ],
])('names %s', async (_what, settings, subject, text) => {
  const wrong = (await found(await settings())).filter(({ outcome }) => outcome === 'wrong');
  expect(wrong).toEqual([{ subject, outcome: 'wrong', says: expect.stringMatching(text) }]);
});

it('says what it means that no chain is named', async () => {
  expect((await found({ X402_RPC_URL: 'none' })).at(-1)).toMatchObject({ subject: 'chain', outcome: 'off' });
});

describe('a command of operators', () => {
  class Feature {}

  const env = { DATABASE_URL: 'postgres://localhost/ledger', X402_PAY_TO: `0x${'ab'.repeat(20)}` };

  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'operator-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('does without the keys of answers and receipts, and takes those of files, as containers have them', () => {
    const file = join(folder, 'keys');
    writeFileSync(file, `first:${Buffer.alloc(32, 7).toString('base64')}\n`);
    expect(() => operatorModule(Feature, env)).not.toThrow();
    expect(() => operatorModule(Feature, { ...env, ANSWER_KEYS_FILE: file, RECEIPT_KEYS_FILE: file })).not.toThrow();
    expect(() => operatorModule(Feature, { ...env, ANSWER_KEYS: 'none' })).toThrow('ANSWER_KEYS');
  });
});
