import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_GATEWAY, AgentGatewayConfig, ENTITIES, MIGRATIONS } from '@evenkeel/agent-gateway';
import { CHAINS } from '@evenkeel/contracts';
import { startFacilitator, type RunningFacilitator } from '@evenkeel/facilitator';
import { SystemClock } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { serveService, type ServedService } from '@evenkeel/platform/testing/service';
import { freePort } from '@evenkeel/services/free-port';
import { privateKeyToAddress } from 'viem/accounts';
import { CLIENT_KINDS } from './pay-for';
import { run } from './run';

// The version 1 library is fetched once, and brings a few thousand modules along.
jest.setTimeout(300_000);

let facilitator: RunningFacilitator;
let database: TestDatabase;
let gateway: ServedService;
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
});
afterAll(async () => {
  await gateway.running.close();
  await database.drop();
  await facilitator.close();
});

let folder: string;
let keyFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-'));
  keyFile = join(folder, 'data/agent.key');
});
const sellers: Server[] = [];
afterEach(() => {
  for (const seller of sellers.splice(0)) seller.close().closeAllConnections();
  facilitator.control({ mode: 'ok' });
  rmSync(folder, { recursive: true });
});

const settlements = () => facilitator.ledger().settlements;

async function agent(...args: string[]) {
  const { url } = gateway.running;
  return agentAt(url, ...args);
}

async function agentAt(url: string, ...args: string[]) {
  const said = { out: '', err: '' };
  const streams = { out: (text: string) => void (said.out += text), err: (text: string) => void (said.err += text) };
  const code = await run([...args, '--url', url], { DATA_DIR: join(folder, 'data') }, streams);
  return { code, ...said };
}

it('makes a wallet once, for its owner alone, and pays with it with every client', async () => {
  for (const client of CLIENT_KINDS) {
    const { code, out } = await agent('recommend', '--client', client);
    expect(code).toBe(0);
    expect(out).toContain(
      `Price        0.030000 USD\nStatus       200\nTransaction  ${settlements().at(-1)!.transaction}`,
    );
    expect(out).toMatch(/^Signed +receipt holds, key test$[^]*^\{$/m);
  }
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  const wallet = privateKeyToAddress(readFileSync(keyFile, 'utf8').trim() as `0x${string}`).toLowerCase();
  expect(settlements().filter(({ payer }) => payer === wallet)).toHaveLength(3);
});

it('leaves alone a key file with something else in it', async () => {
  await agent('recommend');
  writeFileSync(keyFile, 'not a key');
  const { code, err } = await agent('recommend');
  expect([code, err]).toEqual([1, `${keyFile} holds no wallet key. Remove it to get a new wallet.\n`]);
});

it('sends the body of a file, and keeps what was bought: its receipt is that of both', async () => {
  const [file, kept] = [join(folder, 'body.json'), join(folder, 'kept')];
  const habit = { name: 'Evening run', completion_rate: 0.82, current_streak: 9, best_streak: 21 };
  const body = JSON.stringify({ habits: [habit] });
  writeFileSync(file, body);
  expect((await agent('recommend', '--body', file, '--save', kept)).code).toBe(0);
  const [answer, receipt, request] = readdirSync(kept).map((name) => join(kept, name)) as [string, string, string];
  expect(readFileSync(request, 'utf8')).toBe(body);
  expect(await agent('verify-receipt', receipt, '--request', request, '--answer', answer)).toMatchObject({ code: 0 });
});

it('pays for nothing that it cannot keep, and leaves what was kept as it is when a later call is not paid', async () => {
  const [kept, taken] = [join(folder, 'kept'), join(folder, 'taken')];
  writeFileSync(taken, '');
  const paid = settlements().length;
  expect(await agent('recommend', '--save', taken)).toMatchObject({
    code: 1,
    err: expect.stringContaining(taken) as string,
  });
  expect(settlements()).toHaveLength(paid);

  const inTheWay = join(folder, 'in-the-way');
  mkdirSync(join(inTheWay, 'answer.json'), { recursive: true });
  expect(await agent('recommend', '--save', inTheWay)).toMatchObject({
    code: 1,
    err: expect.stringContaining('EISDIR') as string,
  });
  expect(settlements()).toHaveLength(paid);

  const contents = () => readdirSync(kept).map((name) => readFileSync(join(kept, name), 'utf8'));
  expect((await agent('recommend', '--save', kept)).code).toBe(0);
  const before = contents();
  writeFileSync(taken, '{"habits":[]}');
  expect((await agent('recommend', '--save', kept, '--body', taken)).code).toBe(1);
  expect(contents()).toEqual(before);
});

it('keeps no receipt of an earlier purchase beside the answer of a later one, which has none', async () => {
  const kept = join(folder, 'kept');
  expect((await agent('recommend', '--save', kept)).code).toBe(0);
  const settled = Buffer.from('{"success":true,"transaction":""}').toString('base64');
  const url = await anotherSeller(
    (response) => void response.writeHead(200, { 'payment-response': settled }).end('{}'),
  );
  expect((await agentAt(url, 'recommend', '--save', kept)).code).toBe(0);
  expect(readdirSync(kept)).toEqual(['answer.json', 'request.json']);
});

it('buys what it says, at the price of that, whatever path was copied along with the address', async () => {
  const { url } = gateway.running;
  const { code, out } = await agentAt(`${url}/agent/v1/habits/plan?from=a-page`, 'recommend');
  expect([code, out]).toEqual([0, expect.stringContaining(`POST ${url}/agent/v1/habits/recommend\n`)]);
  expect(settlements().at(-1)).toMatchObject({ value: '30000' });
});

it('ends with 1 and the reason when the payment is refused, or no service answers', async () => {
  facilitator.control({ mode: 'invalid', reason: 'insufficient_funds' });
  expect(await agent('plan')).toMatchObject({
    code: 1,
    out: expect.stringContaining('Status       402 (not paid)') as string,
    err: 'Not paid: 402 payment_rejected, The payment did not verify.\n',
  });
  const streams = { out: () => undefined, err: jest.fn<void, [string]>() };
  const nobody = ['plan', '--url', `http://127.0.0.1:${await freePort()}`];
  expect(await run(nobody, { DATA_DIR: folder }, streams)).toBe(1);
  expect(streams.err.mock.calls[0]![0]).toContain('Start the service with "npm start"');
});

it('does not say that nothing was paid while that is not known, and names the address that tells', async () => {
  facilitator.control({ mode: 'refused', reason: 'unexpected_error' });
  const { code, out, err } = await agent('plan');
  const { nonce } = facilitator.ledger().payments.at(-1)!;
  const address = `/agent/v1/payments/${nonce} says what became of`;
  expect([code, out]).toEqual([1, expect.stringContaining('Status       502 (perhaps paid)')]);
  expect([err.startsWith('Perhaps paid: 502 settlement_unknown, '), err.includes(address)]).toEqual([true, true]);

  const failed = await agentAt(await anotherSeller((response) => void response.destroy()), 'plan');
  expect(failed).toMatchObject({
    code: 1,
    err: expect.stringMatching(/The payment was sent: .*0x\w{64} says/) as string,
  });
});

/** It has the offers of the gateway, or what it makes of them, and answers payments by itself. @returns its address */
async function anotherSeller(paid: (response: ServerResponse) => void, changed = (offer: string) => offer) {
  const server = createServer((request, response) => {
    if (request.headers['payment-signature']) return paid(response);
    void fetch(gateway.running.url + request.url!, { method: 'POST' }).then(({ headers }) => {
      const offer = Buffer.from(headers.get('payment-required') ?? '', 'base64').toString();
      const header = Buffer.from(changed(offer)).toString('base64');
      response.writeHead(402, { 'payment-required': header }).end('{"price":null}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  sellers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('states the amount that it has signed, whatever the seller says of the price, and names the payment before it is sent', async () => {
  const dear = (offer: string) => offer.replaceAll('"30000"', '"900000"');
  const url = await anotherSeller((response) => void response.end('{"price":{"usd_exact":"0.030000"}}'), dear);
  const { code, out } = await agentAt(url, 'recommend');
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/^Payment {6}nonce 0x[0-9a-f]{64}\nPrice {8}0\.900000 USD\nStatus {7}200 \(perhaps paid\)$/m),
  ]);
});

it('sends no payment of another kind, of which nobody could say what became of it', async () => {
  const paid = jest.fn<void, [ServerResponse]>();
  const permit = (offer: string) => offer.replaceAll('"extra":{', '"extra":{"assetTransferMethod":"permit2",');
  const { code, err } = await agentAt(await anotherSeller(paid, permit), 'recommend');
  expect([code, err]).toEqual([1, expect.stringContaining('None was sent.')]);
  expect(paid).not.toHaveBeenCalled();
});

it.each<[string[], string]>([
  [[], "missing required argument 'operation'"],
  [['analyse'], 'Allowed choices are analyze, plan, insights, recommend, reliability.'],
  [['analyze', '--client', 'v3'], "'--client <kind>' argument 'v3' is invalid. Allowed choices are v1, v2, v2-only."],
  [['analyze', '--body', '/nowhere.json'], '/nowhere.json'],
])('ends with 2 and what is wrong with %j, without a call', async (line, message) => {
  const { calls } = facilitator.ledger();
  const before = calls.verify;
  const { code, err } = await agent(...line);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(err).toContain('See npm run agent -- --help');
  expect(calls.verify).toBe(before);
});
