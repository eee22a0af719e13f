import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { SignedPayment } from '../buyer.fixture';
import { aCredit } from '../credits/credit.fixture';
import { aGateway } from '../gateway.fixture';
import { Offers } from '../offers/offers';
import { analyze, settlementResponseIn, terms } from '../payments/payment.fixture';
import { RepeatCall } from '../payments/repeat-call';
import { callTool, opened, type ToolResult, type ToolWish } from './mcp.fixture';

const gateway = aGateway();
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before

const sign = (version: 1 | 2 = 2) => gateway.aBuyer().sign({ version });
const settlementsOf = ({ nonce }: SignedPayment) => gateway.facilitator.ledger(nonce).settlements.length;
const pay = (payment: SignedPayment, wish: ToolWish = {}) =>
  callTool(gateway, { meta: { 'x402/payment': opened(payment.header) }, ...wish });

/** Refused with the price, so that its sender pays, or signs again. */
function expectPriced({ isError, structuredContent }: ToolResult, error: string): void {
  expect([isError, structuredContent.error, structuredContent.accepts?.length]).toEqual([true, error, 1]);
  expect(structuredContent.details).toMatchObject({ charged: false });
}

it.each(PAID_ENDPOINTS)('unpaid, $toolName states its price wherever clients look, in ASCII', async (endpoint) => {
  const { toolName, exampleInput, priceMicros, description } = endpoint;
  const result = await callTool(gateway, { name: toolName, arguments: exampleInput });
  const money = { asset: terms.asset, payTo: terms.payTo, maxTimeoutSeconds: 300 };
  const common = { scheme: 'exact', ...money, extra: { name: 'USD Coin', version: '2' } };
  const entry = { ...common, network: 'eip155:8453', amount: String(priceMicros) };
  expectPriced(result, 'payment_required');
  const offer = result.structuredContent;
  const input = { type: 'mcp', toolName, transport: 'streamable-http', example: exampleInput };
  expect(offer).toMatchObject({
    x402Version: 2,
    resource: { url: 'https://api.example/mcp', mimeType: 'application/json', serviceName: expect.any(String) },
    accepts: [entry],
    details: { retry: 'pay_again' },
    offer_digest: gateway.app.get(Offers).digest,
    extensions: { bazaar: { info: { input } }, preflight: { body_present: true, valid: true } },
  });
  expect(JSON.parse(result.content[0]!.text)).toEqual(offer);
  expect(result.content[1]!.text).toContain(`costs ${(priceMicros / 1e6).toFixed(2)} USD`);
  const resource = { resource: 'https://api.example/mcp', description, mimeType: 'application/json' };
  const version1 = { ...common, ...resource, network: 'base', maxAmountRequired: String(priceMicros) };
  expect(result._meta['x402/error']).toEqual({ ...offer, accepts: [entry, version1] });
  // One client sends it back encoded with btoa.
  expect(JSON.stringify(result)).toMatch(/^[\x20-\x7e]*$/);
});

it.each(PAID_ENDPOINTS)('$toolName answers a payment as HTTP does, byte for byte', async (endpoint) => {
  const { toolName: name, exampleInput } = endpoint;
  const payment = await gateway.aBuyer().sign({ endpoint, version: 2 });
  const result = await pay(payment, { name, arguments: exampleInput });
  const overHttp = await gateway.pay(await gateway.aBuyer().sign({ endpoint }), { endpoint });
  expect([result.isError, result.structuredContent]).toEqual([undefined, endpoint.exampleResult]);
  expect(result.content).toEqual([{ type: 'text', text: overHttp.text }]);
  expect(result._meta).toMatchObject({
    'x402/payment-response': { success: true, status: 'settled', network: 'eip155:8453' },
    'evenkeel/content-digest': overHttp.headers.get('content-digest'),
    'evenkeel/engine-version': overHttp.headers.get('x-engine-version'),
    'evenkeel/receipt': expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  });
  const row = await gateway.ledger.payment(payment.nonce);
  expect(row).toMatchObject({ endpoint: endpoint.path, priceMicros: endpoint.priceMicros, state: 'settled' });
});

it('the audit finds nothing wrong with paid tools', () => gateway.expectAudited());

it('the facilitator learns the tool, so that listings know it', async () => {
  const payment = await sign();
  await pay(payment);
  const [requirements] = await gateway.query<{ head: string; tail: string }>(
    'SELECT head, tail FROM facilitator_wordings w JOIN payments p ON p.wording_id = w.id WHERE p.nonce = $1',
    [payment.nonce.toLowerCase()],
  );
  expect(requirements!.head).toContain('"url":"https://api.example/mcp"');
  expect(requirements!.tail).toContain('"toolName":"analyze_habits"');
});

it.each<[string, 1 | 2, (header: string) => ToolWish]>([
  ['as base64', 2, (header) => ({ meta: { 'x402/payment': header } })],
  ['in PAYMENT-SIGNATURE', 2, (header) => ({ headers: { 'payment-signature': header } })],
  ['twice', 2, (h) => ({ meta: { 'x402/payment': opened(h) }, headers: { 'payment-signature': h } })],
  ['under the key of an early client', 1, (header) => ({ meta: { 'x402.payment': header } })],
])('a payment is found %s, and its settlement response comes under the same key', async (_, version, wish) => {
  const payment = await sign(version);
  const { _meta: meta } = await callTool(gateway, wish(payment.header));
  expect(meta['x402/payment-response']).toMatchObject({ success: true, status: 'settled' });
  expect(meta['x402.payment-response']).toEqual(version === 1 ? meta['x402/payment-response'] : undefined);
  expect(settlementsOf(payment)).toBe(1);
});

it('the same payment again gets the same answer, charged once', async () => {
  const payment = await sign();
  const first = await pay(payment);
  const again = await pay(payment);
  expect(again.content).toEqual(first.content);
  expect(again._meta).toEqual({ ...first._meta, 'evenkeel/replayed': true });
  expect(settlementsOf(payment)).toBe(1);
});

const other = { ...analyze.exampleInput, horizon_days: 8 };
const defect = () => jest.spyOn(RepeatCall.prototype, 'ifRepeated').mockRejectedValueOnce(new Error('a secret defect'));
const fails = (reason: string) => () => gateway.control({ mode: 'refused', reason, count: 1 });

/** Each call is made once over HTTP and once as a tool, after what happens before it. */
it.each<[string, number, () => unknown, object?, 'paid before'?]>([
  ['invalid arguments', 400, () => undefined, { habits: [] }],
  ['a payment that does not verify', 402, () => gateway.control({ mode: 'invalid', on: 'verify', count: 1 })],
  ['a facilitator that is away', 502, () => gateway.control({ mode: '500', on: 'verify', count: 1 })],
  ['a payment that fails to settle', 402, fails('insufficient_funds')],
  ['an unknown outcome', 502, fails('invalid_exact_evm_nonce_already_used')],
  ['a payment that was used for other arguments', 402, () => undefined, other, 'paid before'],
  ['an unexpected failure', 500, defect, undefined, 'paid before'],
])('%s: a tool says what HTTP says with %i; the price is in it where that is 402', async (...row) => {
  const [, status, happens, body, before] = row;
  const [one, two] = [await sign(), await sign()];
  if (before) await Promise.all([one, two].map((payment) => pay(payment)));
  happens();
  const http = await gateway.pay(one, { body });
  happens();
  const tool = await pay(two, { arguments: body });
  const { error, message, details } = http.body;
  expect([http.status, tool.isError]).toEqual([status, true]);
  expect(tool.structuredContent).toMatchObject({ error, message, details });
  expect(JSON.stringify(tool)).not.toContain('secret');
  // A client that finds a price signs again.
  expect(/accepts|x402/.test(JSON.stringify(tool))).toBe(status === 402);
  const response = settlementResponseIn(http.headers);
  const ofOne = { ...response, payer: expect.any(String) };
  expect(tool._meta?.['x402/payment-response']).toEqual(response ? ofOne : undefined);
  const { bodies: _ofSurface, ...calls } = gateway.callsAbout(one.nonce);
  expect(gateway.callsAbout(two.nonce)).toMatchObject(calls);
});

it('two different payments with one call are refused, and neither is used', async () => {
  const [one, two] = [await sign(), await sign()];
  expectPriced(await pay(one, { headers: { 'payment-signature': two.header } }), 'invalid_payment_payload');
  expect([one, two].map(({ nonce }) => gateway.callsAbout(nonce).verify)).toEqual([0, 0]);
});

it.each<[string, ToolWish, string]>([
  ['no base64', { meta: { 'x402/payment': 'pay me' } }, '_meta["x402/payment"]: the payment is not base64'],
  ['empty', { meta: { 'x402.payment': {} } }, '_meta["x402.payment"]: x402Version must be 1 or 2'],
  ['a number', { meta: { 'x402/payment': 5 } }, '_meta["x402/payment"]: the payment is neither an object nor base64'],
  ['in a header', { headers: { 'payment-signature': '!' } }, 'the header PAYMENT-SIGNATURE: the payment is not base64'],
])('a payment that is %s: the price, and a sentence that says where it is', async (_, wish, reason) => {
  const result = await callTool(gateway, wish);
  expectPriced(result, 'invalid_payment_payload');
  expect(result.structuredContent['message']).toContain(reason);
});

it('a key that is no text is refused before anything is charged, and a credit that is none is not passed over', async () => {
  const payment = await sign();
  const meta = { 'x402/payment': opened(payment.header) };
  const keyed = await callTool(gateway, { meta: { ...meta, 'evenkeel/idempotency-key': 12_345 } });
  expect(keyed.structuredContent).toMatchObject({ error: 'validation_failed', details: { charged: false } });
  expect(settlementsOf(payment)).toBe(0);
  expectPriced(await callTool(gateway, { meta: { 'evenkeel/credit': 5 } }), 'credit_invalid');
  const paid = await callTool(gateway, { meta: { ...meta, 'evenkeel/credit': {} } });
  expect(paid._meta).toMatchObject({ 'evenkeel/credit-status': 'invalid' });
  expect(settlementsOf(payment)).toBe(1);
});

it('a credit pays for a call, once; beside a spent one a good payment pays', async () => {
  const { token } = await aCredit(gateway);
  const meta = { 'evenkeel/credit': token };
  const first = await callTool(gateway, { meta });
  expect([first.isError, first._meta['x402/payment-response']]).toEqual([undefined, undefined]);
  expect(first._meta).toMatchObject({ 'evenkeel/credit-status': 'redeemed' });
  const second = await callTool(gateway, { meta });
  expectPriced(second, 'credit_spent');
  expect(second._meta).toMatchObject({ 'evenkeel/credit-status': 'spent' });
  const third = await callTool(gateway, { meta: { ...meta, 'x402/payment': opened((await sign()).header) } });
  const paid = { 'evenkeel/credit-status': 'spent', 'x402/payment-response': { success: true, status: 'settled' } };
  expect(third._meta).toMatchObject(paid);
});
