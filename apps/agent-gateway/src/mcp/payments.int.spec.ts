import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { ControlCommand } from '@evenkeel/facilitator';
import { audit } from '@evenkeel/ops/audit';
import type { SignedPayment } from '../buyer.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { analyze } from '../payments/payment.fixture';
import { RepeatCall } from '../payments/repeat-call';
import { callTool, opened, type ToolResult, type ToolWish } from './mcp.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(async () => {
  control({ mode: 'ok' });
  expect(await audit(gateway.ledger.dataSource)).toEqual([]);
});

const control = (command: ControlCommand) => gateway.facilitator.control(command);
const sign = (version: 1 | 2 = 2) => gateway.aBuyer().sign({ version });
const settlementsOf = ({ nonce }: SignedPayment) => gateway.facilitator.ledger(nonce).settlements.length;
const pay = (payment: SignedPayment, wish: ToolWish = {}) =>
  callTool(gateway, { meta: { 'x402/payment': opened(payment.header) }, ...wish });
const priced = (result: ToolResult) => result.structuredContent.accepts?.length === 1;
const otherInput = { ...analyze.exampleInput, horizon_days: 8 };

it.each(PAID_ENDPOINTS)('$toolName answers a payment as HTTP does, byte for byte', async (endpoint) => {
  const { toolName: name, exampleInput } = endpoint;
  const payment = await gateway.aBuyer().sign({ endpoint, version: 2 });
  const result = await pay(payment, { name, arguments: exampleInput });
  expect(result.isError).toBeUndefined();
  expect(result.structuredContent).toEqual(endpoint.exampleResult);

  const overHttp = await gateway.pay(await gateway.aBuyer().sign({ endpoint }), { endpoint });
  expect(result.content).toEqual([{ type: 'text', text: overHttp.text }]);
  expect(result._meta).toMatchObject({
    'x402/payment-response': { success: true, status: 'settled', network: 'eip155:8453' },
    'evenkeel/content-digest': overHttp.headers.get('content-digest'),
    'evenkeel/engine-version': overHttp.headers.get('x-engine-version'),
  });
  expect(result._meta['evenkeel/receipt']).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  const row = await gateway.ledger.payment(payment.nonce);
  expect(row).toMatchObject({ endpoint: endpoint.path, priceMicros: endpoint.priceMicros, state: 'settled' });
});

it('the facilitator learns the tool, so that listings know it', async () => {
  const payment = await sign();
  await pay(payment);
  const [requirements] = await gateway.ledger.dataSource.query<[{ head: string; tail: string }]>(
    'SELECT head, tail FROM facilitator_wordings w JOIN payments p ON p.wording_id = w.id WHERE p.nonce = $1',
    [payment.nonce.toLowerCase()],
  );
  expect(requirements.head).toContain('"url":"https://api.example/mcp"');
  expect(requirements.tail).toContain('"toolName":"analyze_habits"');
});

describe('a payment is found', () => {
  it.each<[string, 1 | 2, (header: string) => ToolWish]>([
    ['as an object', 2, (header) => ({ meta: { 'x402/payment': opened(header) } })],
    ['as base64', 2, (header) => ({ meta: { 'x402/payment': header } })],
    ['in PAYMENT-SIGNATURE', 2, (header) => ({ headers: { 'payment-signature': header } })],
    ['twice', 2, (h) => ({ meta: { 'x402/payment': opened(h) }, headers: { 'payment-signature': h } })],
  ])('%s', async (_, version, wish) => {
    const payment = await sign(version);
    const result = await callTool(gateway, wish(payment.header));
    expect(result._meta['x402/payment-response']).toMatchObject({ success: true, status: 'settled' });
    expect(result._meta['x402.payment-response']).toBeUndefined();
    expect(settlementsOf(payment)).toBe(1);
  });

  it('under the key of an early client, which gets its settlement response under that key', async () => {
    const result = await callTool(gateway, { meta: { 'x402.payment': (await sign(1)).header } });
    expect(result._meta['x402.payment-response']).toMatchObject({ success: true, network: 'base' });
    expect(result._meta['x402.payment-response']).toEqual(result._meta['x402/payment-response']);
  });
});

describe('the same payment again', () => {
  it('for the same call gets the same answer, charged once', async () => {
    const payment = await sign();
    const first = await pay(payment);
    const again = await pay(payment);
    expect(again.content).toEqual(first.content);
    expect(again._meta).toEqual({ ...first._meta, 'evenkeel/replayed': true });
    expect(settlementsOf(payment)).toBe(1);
  });

  it('for other arguments gets the price, so that its sender signs again', async () => {
    const payment = await sign();
    await pay(payment);
    const other = await pay(payment, { arguments: otherInput });
    expect(other).toMatchObject({
      isError: true,
      structuredContent: { error: 'payment_already_used', details: { charged: false, retry: 'do_not_retry' } },
    });
    expect(priced(other)).toBe(true);
    expect(settlementsOf(payment)).toBe(1);
  });
});

describe('refused, and not charged:', () => {
  it('two different payments with one call', async () => {
    const [one, two] = [await sign(), await sign()];
    const result = await pay(one, { headers: { 'payment-signature': two.header } });
    expect([result.isError, result.structuredContent.error]).toEqual([true, 'invalid_payment_payload']);
    expect(priced(result)).toBe(true);
    expect([one, two].map(({ nonce }) => gateway.callsAbout(nonce).verify)).toEqual([0, 0]);
  });

  const overLong = { x402Version: 2, filler: 'x'.repeat(13_000) };
  it.each<[string, ToolWish, string]>([
    ['no base64', { meta: { 'x402/payment': 'pay me' } }, '_meta["x402/payment"]: the payment is not base64'],
    ['empty', { meta: { 'x402.payment': {} } }, '_meta["x402.payment"]: x402Version must be 1 or 2'],
    ['a number', { meta: { 'x402/payment': 5 } }, '_meta["x402/payment"]: the payment is neither an object nor base64'],
    ['too long', { meta: { 'x402/payment': overLong } }, '_meta["x402/payment"]: the payment is longer than 12 KB'],
    [
      'in a header',
      { headers: { 'payment-signature': '!' } },
      'the header PAYMENT-SIGNATURE: the payment is not base64',
    ],
  ])('a payment that is %s: the price, and a sentence that says where it is', async (_, wish, reason) => {
    const result = await callTool(gateway, wish);
    expect([result.isError, result.structuredContent.error]).toEqual([true, 'invalid_payment_payload']);
    expect(result.structuredContent['message']).toContain(reason);
    expect(priced(result)).toBe(true);
  });

  it('a payment that fails to settle: the price, and the settlement response of the failure', async () => {
    control({ mode: 'refused', reason: 'insufficient_funds', count: 1 });
    const result = await pay(await sign());
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: 'settlement_failed', details: { charged: false, retry: 'pay_again' } },
      _meta: { 'x402/payment-response': { success: false, transaction: '' } },
    });
    expect(priced(result)).toBe(true);
  });

  it('invalid arguments, before the payment is checked', async () => {
    const payment = await sign();
    const result = await pay(payment, { arguments: { habits: [] } });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        error: 'validation_failed',
        details: { issues: [{ path: '/habits', code: 'too_few_items' }], charged: false, retry: 'fix_request' },
      },
    });
    expect(JSON.stringify(result)).not.toContain('accepts');
    expect(gateway.callsAbout(payment.nonce).verify).toBe(0);
    // The same payment still pays for valid arguments.
    expect((await pay(payment)).isError).toBeUndefined();
  });
});

it('a failed repeat of a charged call does not say "not charged"', async () => {
  const payment = await sign();
  await pay(payment);
  const failing = jest.spyOn(RepeatCall.prototype, 'ifRepeated').mockRejectedValueOnce(new Error('a defect'));
  const result = await pay(payment);
  failing.mockRestore();
  expect(result.structuredContent).toMatchObject({
    error: 'internal_error',
    details: { charged: null, retry: 'retry_same' },
  });
});

it('an unknown outcome has no price in it: a client that finds one signs again', async () => {
  const payment = await sign();
  control({ mode: 'refused', reason: 'invalid_exact_evm_nonce_already_used', count: 1 });
  const result = await pay(payment);
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { error: 'settlement_unknown', details: { charged: null, retry: 'retry_same' } },
  });
  expect(result._meta).toBeUndefined();
  expect(JSON.stringify(result)).not.toMatch(/accepts|x402/);
});
