import { startGateway, type Gateway } from '../gateway.fixture';
import { aBuyerWith, aCredit } from '../credits/credit.fixture';
import { callTool, opened } from './mcp.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const sign = () => gateway.aBuyer().sign({ version: 2 });
const redeemed = { 'evenkeel/credit-status': 'redeemed' };

it('a credit pays for a call, once', async () => {
  const { token } = await aCredit(gateway);
  const first = await callTool(gateway, { meta: { 'evenkeel/credit': token } });
  expect(first.isError).toBeUndefined();
  expect(first._meta).toMatchObject(redeemed);
  expect(first._meta['x402/payment-response']).toBeUndefined();

  const second = await callTool(gateway, { meta: { 'evenkeel/credit': token } });
  expect(second).toMatchObject({
    isError: true,
    structuredContent: { error: 'credit_spent', accepts: [expect.anything()], details: { charged: false } },
    _meta: { 'evenkeel/credit-status': 'spent' },
  });
});

it('a caller that shows the key of the first call gets a lost answer again', async () => {
  const { token } = await aCredit(gateway);
  const meta = { 'evenkeel/credit': token, 'evenkeel/idempotency-key': 'order-17' };
  const first = await callTool(gateway, { meta });
  const again = await callTool(gateway, { meta });
  expect(again.content).toEqual(first.content);
  expect(again._meta).toMatchObject({ ...redeemed, 'evenkeel/replayed': true });
});

it('beside a spent credit a good payment pays', async () => {
  const { token } = await aCredit(gateway);
  const meta = { 'evenkeel/credit': token, 'x402/payment': opened((await sign()).header) };
  expect((await callTool(gateway, { meta }))._meta).toMatchObject(redeemed);
  expect((await callTool(gateway, { meta }))._meta).toMatchObject({
    'evenkeel/credit-status': 'spent',
    'x402/payment-response': { success: true, status: 'settled' },
  });
});

it('with a bad credit and a good payment the payment pays', async () => {
  const payment = await sign();
  const meta = { 'evenkeel/credit': 'hrc_nobody', 'x402/payment': opened(payment.header) };
  const result = await callTool(gateway, { meta });
  expect(result.isError).toBeUndefined();
  expect(result._meta).toMatchObject({
    'evenkeel/credit-status': 'invalid',
    'x402/payment-response': { success: true, status: 'settled' },
  });
});

it('an earned credit comes with the result, and pays over HTTP too', async () => {
  const buyer = await aBuyerWith(gateway, { settledMicros: 20_000_000, accruedMicros: 97_500 });
  const payment = await buyer.sign({ version: 2 });
  const { structuredContent, content } = await callTool(gateway, { meta: { 'x402/payment': opened(payment.header) } });
  const { credit_token } = structuredContent['rebate_earned'] as { credit_token: string };
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);

  const headers = { 'content-type': 'application/json', 'x-agent-credit': credit_token };
  const body = JSON.stringify({ habits: [{ name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 }] });
  const reply = await gateway.send('/agent/v1/habits/recommend', { method: 'POST', headers, body });
  expect(reply.status).toBe(200);
});
