import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHAINS, PAID_ENDPOINTS, requestSchema } from '@evenkeel/contracts';
import { startFacilitator, type RunningFacilitator } from '@evenkeel/facilitator';
import { freePort } from '@evenkeel/services/free-port';
import Ajv from 'ajv/dist/2020';
import { privateKeyToAddress } from 'viem/accounts';
import { aPaidServer, type PaidServer } from './paid-server.fixture';
import { run } from './run';

// The version 1 library is fetched once, and brings a few thousand modules along.
jest.setTimeout(300_000);

let folder: string;
let facilitator: RunningFacilitator;
let server: PaidServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agent-'));
  facilitator = await startFacilitator({ port: 0, chain: CHAINS[0]!, control: true });
  server = await aPaidServer(facilitator.url);
});
afterEach(async () => {
  server.close();
  await facilitator.close();
  rmSync(folder, { recursive: true });
});

async function agent(...args: string[]) {
  const said = { out: '', err: '' };
  const streams = { out: (text: string) => void (said.out += text), err: (text: string) => void (said.err += text) };
  const code = await run(args, { DATA_DIR: join(folder, 'data') }, streams);
  return { code, ...said };
}

it.each(PAID_ENDPOINTS)('pays for $operation with the sample body, a valid one', async (endpoint) => {
  const { code, out } = await agent(endpoint.operation, '--url', server.url);
  expect(code).toBe(0);
  const [{ transaction, value } = { transaction: '', value: '' }] = facilitator.ledger().settlements;
  expect(out).toContain(`Price        ${(Number(value) / 1e6).toFixed(6)} USD`);
  expect(out).toContain('Status       200\n');
  expect(out).toContain(`Transaction  ${transaction}`);
  expect(out).toContain('"generated_for_habits": 2');
  const validate = new Ajv({ strict: false }).compile(requestSchema(endpoint));
  expect(validate(server.requests[1]!.body)).toBe(true);
});

it('makes a wallet once, for its owner alone, and keeps using it', async () => {
  await agent('recommend', '--url', server.url);
  await agent('recommend', '--url', server.url, '--client', 'v1');
  const file = join(folder, 'data/agent.key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const wallet = privateKeyToAddress(readFileSync(file, 'utf8').trim() as `0x${string}`).toLowerCase();
  expect(facilitator.ledger().settlements.map(({ payer }) => payer)).toEqual([wallet, wallet]);
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
  const call = `${program} recommend --url ${server.url}`;
  await expect(asProgram(`ulimit -f 0; ${call}`)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('EFBIG') as string,
  });
  expect(readdirSync(join(folder, 'data'))).toEqual([]);
  expect((await asProgram(call)).stdout).toContain('Status       200\n');
}, 60_000);

it.each([
  ['v1', 'x-payment', 1],
  ['v2-only', 'payment-signature', 2],
] as const)('pays with the client %s', async (client, header, version) => {
  expect((await agent('recommend', '--url', server.url, '--client', client)).code).toBe(0);
  const sent = Buffer.from(String(server.requests[1]!.headers[header]), 'base64').toString();
  expect(JSON.parse(sent)).toMatchObject({ x402Version: version });
});

it('uses the key of the command line, and then makes none', async () => {
  const key = `0x${'1f'.repeat(32)}` as const;
  await agent('recommend', '--url', server.url, '--wallet-key', key);
  expect(facilitator.ledger().settlements).toMatchObject([{ payer: privateKeyToAddress(key).toLowerCase() }]);
  expect(() => statSync(join(folder, 'data'))).toThrow('ENOENT');
});

it('leaves alone a key file with something else in it', async () => {
  const file = join(folder, 'data/agent.key');
  await agent('recommend', '--url', server.url);
  writeFileSync(file, 'not a key');
  const { code, err } = await agent('recommend', '--url', server.url);
  expect([code, err]).toEqual([1, `${file} holds no wallet key. Remove it to get a new wallet.\n`]);
});

it('sends the body of a file, and keeps what was bought', async () => {
  const [file, kept] = [join(folder, 'body.json'), join(folder, 'kept')];
  writeFileSync(file, '{"habits":[]}');
  await agent('recommend', '--url', server.url, '--body', file, '--save', kept);
  expect(server.requests[1]!.body).toEqual({ habits: [] });
  expect(JSON.parse(readFileSync(join(kept, 'request.json'), 'utf8'))).toEqual({ habits: [] });
  expect(readFileSync(join(kept, 'answer.json'), 'utf8')).toBe('{"generated_for_habits":2}');
  expect(() => statSync(join(kept, 'receipt.jws'))).toThrow('ENOENT');
});

it('ends with 1 and the reason when the payment is refused', async () => {
  facilitator.control({ mode: 'invalid', reason: 'insufficient_funds' });
  const { code, out, err } = await agent('plan', '--url', server.url);
  expect(code).toBe(1);
  expect(out).toContain('Status       402 (not paid)');
  expect(err).toBe('Not paid: 402 insufficient_funds, X-PAYMENT header is required\n');
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
  const { code, err } = await agent('--url', server.url, ...line);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(err).toContain('See npm run agent -- --help');
  expect(err).not.toContain('secret');
  expect(server.requests).toEqual([]);
});
