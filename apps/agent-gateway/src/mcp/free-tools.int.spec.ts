import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { startGateway, type Gateway } from '../gateway.fixture';
import { Offers } from '../offers/offers';
import { analyze } from '../payments/payment.fixture';
import { callTool, opened } from './mcp.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const call = async (name: string, input: object = {}) => callTool(gateway, { name, arguments: input });

describe('list_offers', () => {
  it('answers with the price list of HTTP and the names of the tools', async () => {
    const { structuredContent, content } = await call('list_offers');
    const { body } = await gateway.send('/agent/v1/pricing');
    const endpoints = body['endpoints'] as object[];
    const named = endpoints.map((offer, index) => ({ tool: PAID_ENDPOINTS[index]!.toolName, ...offer }));
    expect(structuredContent).toEqual({ ...body, endpoints: named });
    expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  });

  it('states tier, spend and credits of a wallet', async () => {
    const buyer = gateway.aBuyer();
    await gateway.pay(await buyer.sign());
    const { structuredContent } = await call('list_offers', { wallet: buyer.wallet });
    expect(structuredContent['wallet']).toMatchObject({ known: true, lifetime_spend: { usd_exact: '0.050000' } });
  });

  it('refuses a malformed wallet', async () => {
    expect(await call('list_offers', { wallet: 'mine' })).toMatchObject({
      isError: true,
      structuredContent: { error: 'validation_failed', details: { issues: [{ path: '/wallet' }], charged: false } },
    });
  });
});

describe('check_input', () => {
  it.each(PAID_ENDPOINTS)('states the price of $toolName', async (endpoint) => {
    const input = { tool: endpoint.toolName, arguments: endpoint.exampleInput };
    expect((await call('check_input', input)).structuredContent).toEqual({
      tool: endpoint.toolName,
      valid: true,
      price: { usd: endpoint.priceMicros / 1e6, usd_exact: (endpoint.priceMicros / 1e6).toFixed(6) },
      amount_atomic: String(endpoint.priceMicros),
      max_items: 25,
      offer_digest: gateway.app.get(Offers).digest,
      charged: false,
    });
  });

  it.each<[string, unknown, object]>([
    [
      'a mistake',
      { habits: [{ name: 'x', completion_rate: 2, current_streak: 0, best_streak: 0 }] },
      { path: '/habits/0/completion_rate', code: 'out_of_range' },
    ],
    ['no arguments', undefined, { path: '', code: 'wrong_type' }],
  ])('names %s, as a paid call would', async (_, input, issue) => {
    const { isError, structuredContent } = await call('check_input', { tool: analyze.toolName, arguments: input });
    expect(isError).toBeUndefined();
    expect(structuredContent).toMatchObject({ valid: false, issues: [issue] });
  });

  it('knows only the paid tools', async () => {
    expect(await call('check_input', { tool: 'list_offers', arguments: {} })).toMatchObject({
      isError: true,
      structuredContent: { error: 'validation_failed', details: { issues: [{ path: '/tool', code: 'not_in_enum' }] } },
    });
  });
});

describe('payment_status', () => {
  it('answers as HTTP does', async () => {
    const payment = await gateway.aBuyer().sign({ version: 2 });
    await callTool(gateway, { meta: { 'x402/payment': opened(payment.header) } });
    const { structuredContent } = await call('payment_status', { nonce: payment.nonce });
    expect(structuredContent).toEqual((await gateway.send(`/agent/v1/payments/${payment.nonce}`)).body);
    expect(structuredContent).toMatchObject({ state: 'settled', charged: true, retry: 'retry_same' });
  });

  it.each([
    ['an unknown nonce', { nonce: `0x${'0'.repeat(64)}` }, 'not_found'],
    ['no nonce', {}, 'validation_failed'],
    ['a malformed payer', { nonce: `0x${'0'.repeat(64)}`, payer: 'me' }, 'validation_failed'],
  ])('%s is an error of ours', async (_, input, error) => {
    expect(await call('payment_status', input)).toMatchObject({ isError: true, structuredContent: { error } });
  });

  it('says of an unknown nonce that nothing was charged for it, and nothing of addresses', async () => {
    const { structuredContent } = await call('payment_status', { nonce: `0x${'0'.repeat(64)}` });
    expect(structuredContent['message']).toMatch(/^No payment with this nonce .* nothing was charged for it\.$/);
    const { body } = await gateway.send(`/agent/v1/payments/0x${'0'.repeat(64)}`);
    expect(body.message).toBe(structuredContent['message']);
  });
});
