import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningFacilitator, startFacilitator } from '@evenkeel/facilitator';
import { loadConfig, newEs256Key } from '@evenkeel/platform/config';
import type { Finding } from '@evenkeel/platform/service';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { StubFacilitator } from '../facilitator/stub-facilitator.fixture';
import { base, terms } from '../payments/payment.fixture';
import { operatorModule } from './operator-module';
import { probes } from './probes';

const NOWHERE = 'http://127.0.0.1:2';
const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;

let facilitator: RunningFacilitator;
let sepolia: RunningFacilitator;
const other = new StubFacilitator();
let otherUrl: string;
beforeAll(async () => {
  facilitator = await startFacilitator({ port: 0, chain: base });
  const chain: typeof base = { ...base, caip2: 'eip155:84532', shortName: 'base-sepolia', chainId: 84_532 };
  sepolia = await startFacilitator({ port: 0, chain });
  otherUrl = await other.start();
});
afterAll(() => Promise.all([facilitator.close(), sepolia.close(), other.close()]));

async function found(settings: Record<string, string>): Promise<Finding[]> {
  const config = loadConfig(AgentGatewayConfig, {
    DATABASE_URL: 'postgres://localhost/agent_gateway',
    RECEIPT_KEYS: newEs256Key('test'),
    ANSWER_KEYS: KEYS,
    X402_PAY_TO: terms.payTo,
    FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: facilitator.rpcUrl,
    ...settings,
  });
  return (await Promise.all(probes(config).map(({ examine }) => examine(5_000)))).flat();
}

/** The address of a server that answers everything with this status and no content. */
function answering(status: number): string {
  other.answers(status, {});
  return otherUrl;
}

it('finds facilitator, chain and token in order, and says what it means that no chain is named', async () => {
  expect(await found({})).toEqual([
    { subject: 'facilitator', outcome: 'ok', says: expect.stringContaining('settles on eip155:8453') },
    { subject: 'chain', outcome: 'ok', says: expect.stringContaining('is chain 8453') },
    { subject: 'asset', outcome: 'ok', says: `${base.usdc.address} is USD Coin, version 2.` },
  ]);
  expect((await found({ X402_RPC_URL: 'none' })).at(-1)).toMatchObject({ subject: 'chain', outcome: 'off' });
});

it.each<[string, () => Record<string, string>, string, RegExp]>([
  ['no facilitator', () => ({ FACILITATOR_URL: '' }), 'facilitator', /FACILITATOR_URL is not set/],
  ['one that is not there', () => ({ FACILITATOR_URL: NOWHERE }), 'facilitator', /is not there.*FACILITATOR_URL/],
  ['one with keys', () => ({ FACILITATOR_URL: answering(401) }), 'facilitator', /set FACILITATOR_CDP_KEY_ID and/],
  ['one of another network', () => ({ FACILITATOR_URL: sepolia.url }), 'facilitator', /eip155:84532.*X402_NETWORK/],
  ['no chain there', () => ({ X402_RPC_URL: NOWHERE }), 'chain', /ECONNREFUSED.*X402_RPC_URL/],
  ['another chain', () => ({ X402_RPC_URL: sepolia.rpcUrl }), 'chain', /is chain 84532.*X402_RPC_URL or X402_NETWORK/],
  ['a server that is no chain', () => ({ X402_RPC_URL: answering(200) }), 'chain', /X402_RPC_URL/],
  ['another version', () => ({ X402_ASSET_VERSION: '1' }), 'asset', /say USD Coin, version 1.*X402_ASSET_VERSION/],
  ['no token', () => ({ X402_ASSET: terms.payTo, X402_ASSET_NAME: 'USD Coin' }), 'asset', /no token.*X402_ASSET/],
])('names %s', async (_what, settings, subject, text) => {
  const wrong = (await found(settings())).filter(({ outcome }) => outcome === 'wrong');
  expect(wrong).toEqual([{ subject, outcome: 'wrong', says: expect.stringMatching(text) }]);
});

it('a command of operators does without the keys of answers and receipts, and takes those of files, as containers have them', () => {
  class Feature {}
  const env = { DATABASE_URL: 'postgres://localhost/ledger', X402_PAY_TO: terms.payTo };
  const folder = mkdtempSync(join(tmpdir(), 'operator-'));
  const file = join(folder, 'keys');
  writeFileSync(file, `${KEYS}\n`);
  expect(() => operatorModule(Feature, env)).not.toThrow();
  expect(() => operatorModule(Feature, { ...env, ANSWER_KEYS_FILE: file, RECEIPT_KEYS_FILE: file })).not.toThrow();
  expect(() => operatorModule(Feature, { ...env, ANSWER_KEYS: 'none' })).toThrow('ANSWER_KEYS');
  rmSync(folder, { recursive: true });
});
