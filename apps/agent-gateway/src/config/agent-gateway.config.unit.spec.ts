import { generateKeyPairSync } from 'node:crypto';
import { InvalidConfig, loadConfig, type Environment } from '@evenkeel/platform/config';
import { AgentGatewayConfig } from './agent-gateway.config';

const payTo = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const baseUsdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const key = Buffer.alloc(32, 7).toString('base64');
const seed = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }).d!;
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

describe('defaults', () => {
  it('are those of the documents', () => {
    expect({ ...load() }).toEqual({
      ...required,
      PORT: 3000,
      INTERNAL_PORT: 9090,
      WORKER_INTERNAL_PORT: 9091,
      INTERNAL_HOST: '127.0.0.1',
      DB_POOL_MAX: 10,
      KAFKA_TLS: false,
      MESH_TLS: false,
      MAX_BODY_BYTES: 131_072,
      TRUSTED_PROXY_HOPS: 0,
      REPLICA_COUNT: 1,
      RATE_AGENT_ADDRESS: { limit: 600, windowSeconds: 60 },
      RATE_AGENT_UNPROVED: { limit: 600, windowSeconds: 60 },
      RATE_AGENT_WALLET: { limit: 600, windowSeconds: 60 },
      RATE_DISCOVERY: { limit: 600, windowSeconds: 60 },
      RATE_LIMIT_SCALE: 1,
      TRACE_SAMPLE_RATIO: 0.01,
      CORS_ORIGINS: '',
      MCP_ALLOWED_HOSTS: '',
      MCP_ALLOWED_ORIGINS: '',
      FACILITATOR_VERIFY_TIMEOUT_MS: 2_000,
      FACILITATOR_SETTLE_TIMEOUT_MS: 10_000,
      X402_NETWORK: 'eip155:8453',
      X402_BODY_NETWORK: 'short',
      X402_MAX_TIMEOUT_SECONDS: 300,
      RECONCILE_EVERY_SECONDS: 3_600,
      RECONCILE_LOOK_BACK_HOURS: 72,
      PAID_ANSWER_BUDGET_MS: 5_000,
      PAID_CALLS_MAX: 512,
      UNSETTLED_SERVED_MAX: 200,
      PAYMENT_REPLAY: 'identical',
      PAYMENT_REPLAY_TTL_SECONDS: 3_600,
      CREDIT_FACE_MICROS: 100_000,
      CREDIT_TTL_DAYS: 0,
      COST_MICROS: '400',
      COST_SETTLEMENT_MICROS: 0,
    });
  });

  it('of the limits are multiplied for load and test runs', () => {
    const { rates } = load({ RATE_LIMIT_SCALE: '2.5', RATE_AGENT_WALLET: '10/1' });
    expect(rates).toEqual({
      agentAddress: { limit: 1_500, windowSeconds: 60 },
      agentUnproved: { limit: 1_500, windowSeconds: 60 },
      agentWallet: { limit: 25, windowSeconds: 1 },
      discovery: { limit: 1_500, windowSeconds: 60 },
    });
  });

  it('follow the port and the chain', () => {
    expect(load({ PORT: '8080' }).baseUrl).toBe('http://localhost:8080');
    expect(load({ PUBLIC_BASE_URL: 'https://api.example' }).baseUrl).toBe('https://api.example');
    expect(load().paymentTerms).toMatchObject({ asset: baseUsdc, assetName: 'USD Coin', assetVersion: '2', payTo });
    expect(load({ X402_NETWORK: 'eip155:84532' }).paymentTerms).toMatchObject({
      chain: { chainId: 84532 },
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      assetName: 'USDC',
    });
  });
});

describe('what is required', () => {
  it.each(Object.keys(required))('%s', (name) => {
    const [problem, ...others] = problemsOf({ [name]: undefined });
    expect(problem).toMatch(new RegExp(`^${name} `));
    expect(others).toEqual([]);
  });
});

describe('a wrong value is refused by name, with what is expected', () => {
  const address = 'must be an EVM address: 0x and 40 hex digits';
  const keys = 'must be a list of kid:base64 with 32-byte keys, comma-separated';
  const receiptKeys = 'must be a list of kid:base64 with 32-byte P-256 private keys, comma-separated';
  const costs = 'must be micro-USD, or a list path=micros with paid paths';
  const terms = 'http only for this machine and names without a dot, and not in production';
  const outbound = `must be an https address without credentials (${terms})`;
  const rpc = `must be an https address (${terms}), or the word none`;
  const assetName = 'must be the EIP-712 name of X402_ASSET ("USD Coin" on Base, "USDC" on Base Sepolia)';

  it.each([
    ['FACILITATOR_URL', 'http://facilitator.example', outbound],
    ['FACILITATOR_VERIFY_TIMEOUT_MS', '99', 'must not be less than 100'],
    ['X402_PAY_TO', '0x123', address],
    ['X402_ASSET', 'USDC', address],
    ['X402_ASSET_NAME', 'USDC', assetName],
    ['X402_RPC_URL', 'http://rpc.example', rpc],
    ['X402_RPC_URL', 'None', rpc],
    ['FACILITATOR_LEDGER_URL', 'http://facilitator.example/ledger', 'must be an https address'],
    ['PAID_ANSWER_BUDGET_MS', '999', 'must not be less than 1000'],
    ['PAYMENT_REPLAY', 'on', 'must be one of the following values: identical, keyed, off'],
    ['PAYMENT_REPLAY_TTL_SECONDS', '3601', 'must not be greater than 3600'],
    ['ANSWER_KEYS', 'k1:short', keys],
    ['ANSWER_KEYS', `k1:${key},k1:${key}`, keys],
    ['RECEIPT_KEYS', 'r1:short', receiptKeys],
    ['RECEIPT_KEYS', `r1:${key},r1:${key}`, receiptKeys],
    ['CREDIT_FACE_MICROS', '99999', 'must not be less than 100000'],
    ['COST_MICROS', '-1', costs],
    ['COST_MICROS', '/agent/v1/habits/plan=1=2', costs],
    ['CRASH_AT', 'agent-gateway:anywhere', 'must be one of agent-gateway:verified, agent-gateway:claimed'],
    ['CRASH_AT', 'verified', 'must be one of agent-gateway:verified, agent-gateway:claimed'],
  ])('%s=%s', (name, value, expected) => {
    const [problem] = problemsOf({ [name]: value }).filter((sentence) => sentence.startsWith(`${name} `));
    expect(problem).toContain(expected);
  });
});

describe('the token', () => {
  const otherToken = '0x00000000000000000000000000000000000000A1';
  it('is stored checksummed, as one client compares it', () => {
    const lower = load({ X402_ASSET: baseUsdc.toLowerCase(), X402_PAY_TO: payTo.toLowerCase() });
    expect(lower.paymentTerms).toMatchObject({ asset: baseUsdc, payTo, assetName: 'USD Coin' });
  });

  it('of our own choice needs its name', () => {
    expect(problemsOf({ X402_ASSET: otherToken })[0]).toMatch(/^X402_ASSET_NAME must be/);
    const { paymentTerms } = load({ X402_ASSET: otherToken, X402_ASSET_NAME: 'Play', X402_ASSET_VERSION: '1' });
    expect(paymentTerms).toMatchObject({ asset: otherToken, assetName: 'Play', assetVersion: '1' });
  });
});

describe('the key of the facilitator', () => {
  const FACILITATOR_CDP_KEY_SECRET = Buffer.from(seed, 'base64url').toString('base64');
  it('is complete or absent', () => {
    expect(load().cdpKey).toBeNull();
    expect(load({ FACILITATOR_CDP_KEY_ID: 'id', FACILITATOR_CDP_KEY_SECRET }).cdpKey).toMatchObject({ id: 'id' });
    const together = expect.stringContaining('must be set together');
    expect(problemsOf({ FACILITATOR_CDP_KEY_ID: 'id' })).toContainEqual(together);
    expect(problemsOf({ FACILITATOR_CDP_KEY_SECRET })).toContainEqual(together);
  });

  it('is a key', () => {
    expect(problemsOf({ FACILITATOR_CDP_KEY_ID: 'id', FACILITATOR_CDP_KEY_SECRET: 'secret' })).toEqual([
      'FACILITATOR_CDP_KEY_SECRET must be a P-256 private key in PEM, or an Ed25519 key in base64',
    ]);
  });
});

describe('costs', () => {
  const path = '/agent/v1/habits/plan';
  it.each([
    [{}, 400],
    [{ COST_MICROS: '0' }, 0],
    [{ COST_SETTLEMENT_MICROS: '100' }, 500],
    [{ COST_MICROS: `${path}=900,/agent/v1/habits/analyze=1` }, 900],
    [{ COST_MICROS: '/agent/v1/habits/analyze=1', COST_SETTLEMENT_MICROS: '7' }, 7],
  ])('%j', (env, micros) => expect(load(env).costMicros(path)).toBe(micros));
});

describe('chain access', () => {
  it.each([
    [undefined, null],
    ['none', null],
    ['https://rpc.example/key', 'https://rpc.example/key'],
    ['http://127.0.0.1:8402/rpc', 'http://127.0.0.1:8402/rpc'],
  ])('X402_RPC_URL=%s', (X402_RPC_URL, url) => expect(load({ X402_RPC_URL }).rpcUrl).toBe(url));
});

describe('in production', () => {
  const production = { NODE_ENV: 'production', X402_RPC_URL: 'none' };
  it('chain access is decided, not forgotten', () => {
    expect(problemsOf({ ...production, X402_RPC_URL: undefined })[0]).toMatch(
      /^X402_RPC_URL is required when NODE_ENV=production: without chain access payments of unknown outcome stay/,
    );
    expect(problemsOf(production)).toEqual([]);
  });

  it.each([
    ['CRASH_AT', 'agent-gateway:verified'],
    ['FACILITATOR_URL', 'http://127.0.0.1:8402'],
    ['X402_RPC_URL', 'http://127.0.0.1:8402/rpc'],
  ])('%s=%s is refused', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([]);
    expect(problemsOf({ ...production, [name]: value })[0]).toMatch(new RegExp(`^${name} must`));
  });
});

it('knows the pages that may call its tools', () => {
  expect(load().mcpOrigins).toEqual([]);
  const origins = ['https://console.example', 'http://localhost:5173', 'http://[::1]:8080'];
  expect(load({ MCP_ALLOWED_ORIGINS: origins.join(',') }).mcpOrigins).toEqual(origins);
});

it.each([
  'console.example',
  'https://console.example/',
  'https://console.example,',
  '*',
  'https://a.example;b.example',
])('refuses %p as a list of origins', (value) =>
  expect(problemsOf({ MCP_ALLOWED_ORIGINS: value })[0]).toMatch(/^MCP_ALLOWED_ORIGINS must be a list of origins/),
);
