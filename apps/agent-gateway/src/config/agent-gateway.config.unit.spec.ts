import { generateKeyPairSync } from 'node:crypto';
import { InvalidConfig, loadConfig, type Environment } from '@evenkeel/platform/config';
import { AgentGatewayConfig } from './agent-gateway.config';

const payTo = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const baseUsdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const otherToken = '0x00000000000000000000000000000000000000A1';
const key = Buffer.alloc(32, 7).toString('base64');
const required = {
  DATABASE_URL: 'postgres://u:p@localhost/db',
  X402_PAY_TO: payTo,
  ANSWER_KEYS: `k1:${key}`,
  RECEIPT_KEYS: `r1:${key}`,
};

const load = (env: Environment = {}) => loadConfig(AgentGatewayConfig, { ...required, ...env });

function problemsOf(env: Environment): readonly string[] {
  try {
    load(env);
  } catch (error) {
    if (error instanceof InvalidConfig) return error.problems;
    throw error;
  }
  return [];
}

it('serves at most 200 open payments an hour, lets no credit expire, and scales its limits', () => {
  expect(load()).toMatchObject({ UNSETTLED_SERVED_MAX: 200, CREDIT_TTL_DAYS: 0, PAID_CALLS_MAX: 512 });
  expect(load({ RATE_LIMIT_SCALE: '2.5', RATE_AGENT_WALLET: '10/1' }).rates).toMatchObject({
    agentAddress: { limit: 1_500, windowSeconds: 60 },
    agentWallet: { limit: 25, windowSeconds: 1 },
  });
});

it('follows the chain, and stores addresses checksummed, as one client compares them', () => {
  const lower = load({ X402_ASSET: baseUsdc.toLowerCase(), X402_PAY_TO: payTo.toLowerCase() });
  const onBase = { asset: baseUsdc, assetName: 'USD Coin', assetVersion: '2', payTo };
  for (const { paymentTerms } of [load(), lower]) expect(paymentTerms).toMatchObject(onBase);
  expect(load({ X402_NETWORK: 'eip155:84532' }).paymentTerms).toMatchObject({
    chain: { chainId: 84532 },
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    assetName: 'USDC',
  });
  expect(problemsOf({ X402_ASSET: otherToken })[0]).toMatch(/^X402_ASSET_NAME must be/);
  const { paymentTerms } = load({ X402_ASSET: otherToken, X402_ASSET_NAME: 'Play', X402_ASSET_VERSION: '1' });
  expect(paymentTerms).toMatchObject({ asset: otherToken, assetName: 'Play', assetVersion: '1' });
});

it.each(Object.keys(required))('requires %s', (name) => {
  expect(problemsOf({ [name]: undefined })).toEqual([expect.stringMatching(new RegExp(`^${name} `))]);
});

const address = 'must be an EVM address: 0x and 40 hex digits';
const keys = 'must be a list of kid:base64 with 32-byte keys, comma-separated';
const costs = 'must be micro-USD, or a list path=micros with paid paths';
const origins = 'must be a list of origins';
const crashPoints = 'must be one of agent-gateway:verified, agent-gateway:claimed';

it.each([
  ['FACILITATOR_URL', 'http://facilitator.example', 'must be an https address without credentials'],
  ['X402_PAY_TO', '0x123', address],
  ['X402_ASSET_NAME', 'USDC', 'must be the EIP-712 name of X402_ASSET'],
  ['X402_RPC_URL', 'http://rpc.example', 'must be an https address'],
  ['X402_RPC_URL', 'None', 'or the word none'],
  ['PAYMENT_REPLAY', 'on', 'must be one of the following values: identical, keyed, off'],
  ['PAYMENT_REPLAY_TTL_SECONDS', '3601', 'must not be greater than 3600'],
  ['ANSWER_KEYS', `k1:${key},k1:${key}`, keys],
  ['RECEIPT_KEYS', 'r1:short', 'with 32-byte P-256 private keys'],
  ['CREDIT_FACE_MICROS', '99999', 'must not be less than 100000'],
  ['COST_MICROS', '/agent/v1/habits/plan=1=2', costs],
  ['CRASH_AT', 'agent-gateway:anywhere', crashPoints],
  ['MCP_ALLOWED_ORIGINS', 'https://console.example/', origins],
  ['MCP_ALLOWED_ORIGINS', 'https://console.example,', origins],
])('refuses %s=%s by name, with what is expected', (name, value, expected) => {
  expect(problemsOf({ [name]: value }).find((sentence) => sentence.startsWith(`${name} `))).toContain(expected);
});

it('takes the key of the facilitator when it is a key, and complete', () => {
  const seed = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }).d!;
  const FACILITATOR_CDP_KEY_SECRET = Buffer.from(seed, 'base64url').toString('base64');
  const FACILITATOR_CDP_KEY_ID = 'id';
  expect(load().cdpKey).toBeNull();
  expect(load({ FACILITATOR_CDP_KEY_ID, FACILITATOR_CDP_KEY_SECRET }).cdpKey).toMatchObject({ id: 'id' });
  const together = expect.stringContaining('must be set together');
  expect(problemsOf({ FACILITATOR_CDP_KEY_ID })).toContainEqual(together);
  expect(problemsOf({ FACILITATOR_CDP_KEY_SECRET })).toContainEqual(together);
  expect(problemsOf({ FACILITATOR_CDP_KEY_ID, FACILITATOR_CDP_KEY_SECRET: 'secret' })).toEqual([
    'FACILITATOR_CDP_KEY_SECRET must be a P-256 private key in PEM, or an Ed25519 key in base64',
  ]);
});

const path = '/agent/v1/habits/plan';
it.each([
  [{ COST_SETTLEMENT_MICROS: '100' }, 500],
  [{ COST_MICROS: `${path}=900,/agent/v1/habits/analyze=1` }, 900],
  [{ COST_MICROS: '/agent/v1/habits/analyze=1', COST_SETTLEMENT_MICROS: '7' }, 7],
])('counts a call as costing what %j says', (env, micros) => expect(load(env).costMicros(path)).toBe(micros));

it.each([
  [undefined, null],
  ['none', null],
  ['https://rpc.example/key', 'https://rpc.example/key'],
  ['http://127.0.0.1:8402/rpc', 'http://127.0.0.1:8402/rpc'],
])('reads the chain at X402_RPC_URL=%s', (X402_RPC_URL, url) => expect(load({ X402_RPC_URL }).rpcUrl).toBe(url));

it.each([
  ['X402_RPC_URL', undefined, 'is required when NODE_ENV=production: without chain access payments of unknown outcome'],
  ['FACILITATOR_URL', 'http://127.0.0.1:8402', 'must'],
  ['X402_RPC_URL', 'http://127.0.0.1:8402/rpc', 'must'],
])('refuses %s=%s in production alone', (name, value, expected) => {
  const production = { NODE_ENV: 'production', X402_RPC_URL: 'none' };
  expect([problemsOf({ [name]: value }), problemsOf(production)]).toEqual([[], []]);
  expect(problemsOf({ ...production, [name]: value })[0]).toContain(`${name} ${expected}`);
});

it('knows the pages that may call its tools', () => {
  const pages = ['https://console.example', 'http://localhost:5173', 'http://[::1]:8080'];
  expect(load({ MCP_ALLOWED_ORIGINS: pages.join(',') }).mcpOrigins).toEqual(pages);
});
