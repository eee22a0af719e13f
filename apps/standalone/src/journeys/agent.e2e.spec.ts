import { payFor, type PaidCall } from '@evenkeel/agent';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { ask } from '@evenkeel/platform/testing/service';
import { generatePrivateKey } from 'viem/accounts';
import { connect } from '../e2e/mcp/lines.fixture';
import { findSurroundings, ledgerOf, type Surroundings } from './surroundings.fixture';

jest.setTimeout(120_000);

const PATIENT = { withinMs: 60_000 };
const [plan, recommend] = [PAID_ENDPOINTS[1]!, PAID_ENDPOINTS[3]!];
/** At 0.10 USD: the first hundred reach the tier that pays back 5 %, and twenty more are one credit. */
const CALLS_FOR_A_CREDIT = 120;
const AT_ONCE = 4;

let product: Surroundings & { close(): Promise<void> };
beforeAll(async () => {
  product = await findSurroundings();
}, 180_000);
afterAll(() => product?.close(), 60_000);

const buy = (client: 'v1' | 'v2', endpoint = recommend, privateKey = generatePrivateKey()): Promise<PaidCall> =>
  payFor({ url: product.url, operation: endpoint.operation, body: endpoint.exampleInput, client, privateKey });

const post = (endpoint: typeof plan, headers: Record<string, string>, body = JSON.stringify(endpoint.exampleInput)) =>
  ask(product.url + endpoint.path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

it.each(['v1', 'v2'] as const)('a client of %s buys an answer with a receipt that holds, once', async (client) => {
  const call = await buy(client);
  expect([call.status, call.receipt?.success, (await call.verdict())?.holds]).toEqual([200, true, true]);
  const { header, value } = call.payment!;
  const again = await post(recommend, { [header]: value }, call.sent);
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, call.received, 'true']);
  expect((await post(plan, { [header]: value })).status).toBe(402);

  const signed = JSON.parse(Buffer.from(value, 'base64').toString()) as {
    payload: { authorization: { nonce: string } };
  };
  const { nonce } = signed.payload.authorization;
  const { settlements, payments } = await ledgerOf(product, nonce);
  const { transaction } = call.receipt!;
  expect(settlements).toMatchObject([{ value: String(recommend.priceMicros), transaction }]);
  expect(payments).toMatchObject([{ settle: 1 }]);
  const status = await ask(`${product.url}/agent/v1/payments/${nonce}`);
  expect([status.status, status.body['state']]).toEqual([200, 'settled']);
});

it('a wallet that has spent enough gets a credit, which pays for one call', async () => {
  const wallet = generatePrivateKey();
  const tokens: string[] = [];
  let bought = 0;
  const pay = async (): Promise<void> => {
    while (tokens.length === 0 && bought < CALLS_FOR_A_CREDIT + AT_ONCE) {
      bought++;
      const { status, body } = await buy('v2', plan, wallet);
      expect(status).toBe(200);
      const { credit_token: token } = (body as { rebate_earned?: { credit_token?: string } }).rebate_earned ?? {};
      if (token !== undefined) tokens.push(token);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, pay));
  expect(tokens).toHaveLength(1);
  const redeem = () => post(recommend, { 'x-agent-credit': tokens[0]! });
  const redeemed = await redeem();
  expect([redeemed.status, redeemed.headers.get('x-agent-credit-status')]).toEqual([200, 'redeemed']);
  const second = await redeem();
  expect([second.status, second.body.error]).toEqual([402, 'credit_spent']);
});

it('an MCP client lists the tools, and is asked to pay for one', async () => {
  const client = await connect('client 2.x, new era', product.url);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(PAID_ENDPOINTS.map(({ toolName }) => toolName)));
  const { toolName: name, exampleInput } = recommend;
  const result = await client.callTool({ name, arguments: exampleInput as Record<string, unknown> });
  await client.close();
  expect(result).toMatchObject({ isError: true, structuredContent: { error: 'payment_required' } });
});

it('an operator sees the payment among the others, and its revenue', async () => {
  const read = (path: string) =>
    ask(`${product.url}/v1/admin/revenue/${path}`, { headers: { 'x-admin-token': product.adminToken } });
  const paidCalls = async () => ((await read('summary')).body['today'] as { paid_calls: number }).paid_calls;
  const before = await paidCalls();
  const call = await buy('v2');
  await eventually(async () => {
    expect((await read('payments?limit=50')).text).toContain(call.receipt!.transaction);
    expect(await paidCalls()).toBeGreaterThan(before);
  }, PATIENT);
  expect((await ask(`${product.url}/v1/admin/revenue/summary`)).status).toBe(401);
});

it.each([
  ['/', 'application/json'],
  ['/openapi.json', 'application/json'],
  ['/llms.txt', 'text/plain'],
  ['/docs', 'text/html'],
  ['/dashboard', 'text/html'],
  ['/v1/capabilities', 'application/json'],
  ['/v1/billing/plans', 'application/json'],
  ['/.well-known/x402.json', 'application/json'],
  ['/.well-known/jwks.json', 'application/json'],
  ['/.well-known/receipt-jwks.json', 'application/json'],
])('the document %s is there', async (path, type) => {
  const { status, headers } = await ask(product.url + path);
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
});
