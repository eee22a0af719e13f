import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AGENT_GATEWAY, AgentGatewayConfig, ENTITIES, MIGRATIONS } from '@evenkeel/agent-gateway';
import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { startFacilitator, type RunningFacilitator } from '@evenkeel/facilitator';
import { SystemClock } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { serveService, type ServedService } from '@evenkeel/platform/testing/service';
import { freePort } from '@evenkeel/services/free-port';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { payFor } from './pay-for';
import { run } from './run';

// The version 1 library is fetched once, and brings a few thousand modules along.
jest.setTimeout(300_000);

let facilitator: RunningFacilitator;
let database: TestDatabase;
let gateway: ServedService;
let url: string;
beforeAll(async () => {
  facilitator = await startFacilitator({ port: 0, chain: CHAINS[0]!, control: true });
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  const config = loadConfig(AgentGatewayConfig, {
    PUBLIC_BASE_URL: 'https://api.example',
    DATABASE_URL: database.url,
    FACILITATOR_URL: facilitator.url,
    X402_RPC_URL: facilitator.rpcUrl,
    X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    RATE_LIMIT_SCALE: '1000',
    ANSWER_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    RECEIPT_KEYS: `test:${Buffer.alloc(32, 9).toString('base64')}`,
  });
  gateway = await serveService(AGENT_GATEWAY, config, { clock: new SystemClock() });
  ({ url } = gateway.running);
});
afterAll(async () => {
  await gateway.running.close();
  await database.drop();
  await facilitator.close();
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-'));
});
afterEach(() => {
  facilitator.control({ mode: 'ok' });
  rmSync(folder, { recursive: true });
});

const settlements = () => facilitator.ledger().settlements;

async function agent(...args: string[]) {
  const said = { out: '', err: '' };
  const streams = { out: (text: string) => void (said.out += text), err: (text: string) => void (said.err += text) };
  const code = await run(args, { DATA_DIR: join(folder, 'data') }, streams);
  return { code, ...said };
}

it.each(PAID_ENDPOINTS)('pays for $operation with the sample body, a valid one', async (endpoint) => {
  const { code, out } = await agent(endpoint.operation, '--url', url);
  expect(code).toBe(0);
  const { transaction, value } = settlements().at(-1)!;
  expect(out).toContain(`Price        ${(Number(value) / 1e6).toFixed(6)} USD`);
  expect(out).toContain('Status       200\n');
  expect(out).toContain(`Transaction  ${transaction}`);
  expect(out).toMatch(/^Signed +receipt holds, key test$[^]*^\{$/m);
});

it('makes a wallet once, for its owner alone, and keeps using it', async () => {
  await agent('recommend', '--url', url);
  await agent('recommend', '--url', url, '--client', 'v1');
  const file = join(folder, 'data/agent.key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const wallet = privateKeyToAddress(readFileSync(file, 'utf8').trim() as `0x${string}`).toLowerCase();
  expect(settlements().filter(({ payer }) => payer === wallet)).toHaveLength(2);
});

it('leaves no part of a key behind when there is no room for it', async () => {
  const program = `exec "${process.execPath}" tools/services/programs/start.js tools/agent/src/main.ts`;
  const asProgram = (line: string) =>
    promisify(execFile)('sh', ['-c', line], {
      cwd: join(__dirname, '../../..'),
      env: { ...process.env, DATA_DIR: join(folder, 'data') },
    });
  // Compiles it, which takes room.
  await asProgram(`${program} --help`);
  const call = `${program} recommend --url ${url}`;
  await expect(asProgram(`ulimit -f 0; ${call}`)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('EFBIG') as string,
  });
  expect(readdirSync(join(folder, 'data'))).toEqual([]);
  expect((await asProgram(call)).stdout).toContain('Status       200\n');
}, 60_000);

it.each([
  ['v1', 'X-PAYMENT', 1],
  ['v2-only', 'PAYMENT-SIGNATURE', 2],
] as const)('pays with the client %s', async (client, header, version) => {
  const body = PAID_ENDPOINTS.find(({ operation }) => operation === 'recommend')!.exampleInput;
  const wanted = { url, operation: 'recommend', body, client, privateKey: generatePrivateKey() } as const;
  const { status, payment } = await payFor(wanted);
  expect([status, payment!.header]).toEqual([200, header]);
  expect(JSON.parse(Buffer.from(payment!.value, 'base64').toString())).toMatchObject({ x402Version: version });
});

it('uses the key of the command line, and then makes none', async () => {
  const key = `0x${'1f'.repeat(32)}` as const;
  await agent('recommend', '--url', url, '--wallet-key', key);
  expect(settlements().at(-1)).toMatchObject({ payer: privateKeyToAddress(key).toLowerCase() });
  expect(() => statSync(join(folder, 'data'))).toThrow('ENOENT');
});

it('leaves alone a key file with something else in it', async () => {
  const file = join(folder, 'data/agent.key');
  await agent('recommend', '--url', url);
  writeFileSync(file, 'not a key');
  const { code, err } = await agent('recommend', '--url', url);
  expect([code, err]).toEqual([1, `${file} holds no wallet key. Remove it to get a new wallet.\n`]);
});

it('sends the body of a file, and keeps what was bought: its receipt is that of both', async () => {
  const [file, kept] = [join(folder, 'body.json'), join(folder, 'kept')];
  const sample = readFileSync(join(__dirname, '../samples/recommend.json'), 'utf8');
  const body = JSON.stringify(JSON.parse(sample.replace('Morning run', 'Evening run')));
  writeFileSync(file, body);
  expect((await agent('recommend', '--url', url, '--body', file, '--save', kept)).code).toBe(0);
  const [answer, receipt, request] = readdirSync(kept).map((name) => join(kept, name)) as [string, string, string];
  expect(readFileSync(request, 'utf8')).toBe(body);
  const verify = ['verify-receipt', receipt, '--request', request, '--answer', answer];
  expect(await agent(...verify, '--url', url)).toMatchObject({ code: 0 });
});

it('ends with 1 and the reason when the payment is refused', async () => {
  facilitator.control({ mode: 'invalid', reason: 'insufficient_funds' });
  const { code, out, err } = await agent('plan', '--url', url);
  expect(code).toBe(1);
  expect(out).toContain('Status       402 (not paid)');
  expect(err).toBe('Not paid: 402 payment_rejected, The payment did not verify.\n');
});

it('ends with 1 and says what to start when no service answers', async () => {
  const { code, err } = await agent('plan', '--url', `http://127.0.0.1:${await freePort()}`);
  expect([code, err]).toEqual([1, expect.stringContaining('Start the service with "npm start"')]);
});

it.each<[string[], string]>([
  [[], 'Name an operation: analyze, plan, insights, recommend, reliability'],
  [['analyse'], 'The operation must be one of analyze, plan, insights, recommend, reliability, not analyse'],
  [['analyze', '--client', 'v3'], '--client must be one of v1, v2, v2-only, not v3'],
  [['analyze', '--url', 'localhost:8080'], '--url must be an http or https address, not localhost:8080'],
  [['analyze', '--wallet-key', 'secret'], '--wallet-key must be 0x and 64 hex digits'],
  [['analyze', '--body', '/nowhere.json'], '/nowhere.json'],
])('ends with 2 and what is wrong with %j, without a call', async (line, message) => {
  const { calls } = facilitator.ledger();
  const before = calls.verify;
  const { code, err } = await agent('--url', url, ...line);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(err).toContain('See npm run agent -- --help');
  expect(err).not.toContain('secret');
  expect(calls.verify).toBe(before);
});
