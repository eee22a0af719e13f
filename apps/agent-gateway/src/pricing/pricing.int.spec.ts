import { getAddress } from 'viem';
import { aCredit, redeem } from '../credits/credit.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { Offers } from '../offers/offers';
import { terms } from '../payments/payment.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { RATE_LIMIT_SCALE: '1' } });
});
afterAll(() => gateway.close());

const PATH = '/agent/v1/pricing';
const address = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
const standingOf = async (headers: Record<string, string> = {}, query = '') =>
  (await gateway.send(PATH + query, { headers })).body['wallet'];

describe('GET /agent/v1/pricing', () => {
  it('lists prices, ladder and limit', async () => {
    const { status, headers, body } = await gateway.send(PATH);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(body).toEqual({
      currency: 'USD',
      payment: {
        protocol: 'x402',
        x402_version: 1,
        scheme: 'exact',
        network: 'eip155:8453',
        asset: terms.asset,
        asset_symbol: 'USDC',
        asset_decimals: 6,
        pay_to: terms.payTo,
      },
      offer_digest: gateway.app.get(Offers).digest,
      billing_unit: 'request',
      endpoints: expect.anything(),
      rebate: {
        basis: 'lifetime_verified_spend',
        paid_as: 'single_use_call_credit',
        credit_face_value: { usd: 0.1, usd_exact: '0.100000' },
        redeem_header: 'X-Agent-Credit',
        tiers: [
          { tier: 'base', from_usd: 0, rate: 0, rate_limit_multiplier: 1 },
          { tier: 'tier_1', from_usd: 10, rate: 0.05, rate_limit_multiplier: 2 },
          { tier: 'tier_2', from_usd: 100, rate: 0.1, rate_limit_multiplier: 5 },
          { tier: 'tier_3', from_usd: 1000, rate: 0.15, rate_limit_multiplier: 10 },
        ],
      },
      rate_limit: { requests: 600, window_seconds: 60 },
      wallet: null,
    });
  });

  it('is stored by caches, but not for callers who name a wallet', async () => {
    const { headers } = await gateway.send(PATH);
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
      'public, max-age=300',
      'X-PAYMENT, PAYMENT-SIGNATURE, X-Wallet-Address, Accept-Encoding',
    ]);
    const known = { 'if-none-match': headers.get('etag')! };
    expect((await gateway.send(PATH, { headers: known })).status).toBe(304);
    const hinted = await gateway.send(PATH, { headers: { ...known, 'x-wallet-address': address } });
    expect([hinted.status, hinted.headers.get('cache-control'), hinted.headers.get('etag')]).toEqual([
      200,
      'no-store',
      null,
    ]);
  });
});

describe('the standing of a wallet', () => {
  it('that has not been seen before', async () => {
    expect(await standingOf({ 'x-wallet-address': address.toLowerCase() })).toEqual({
      address,
      known: false,
      verified: false,
      tier: 'base',
      rate: 0,
      lifetime_spend: { usd: 0, usd_exact: '0.000000' },
      next_tier: { tier: 'tier_1', from_usd: 10, remaining: { usd: 10, usd_exact: '10.000000' } },
      accrued_rebate: { usd: 0, usd_exact: '0.000000' },
      credits: { issued: 0, redeemed: 0, outstanding: 0 },
      rate_limit: { requests: 600, window_seconds: 60 },
    });
  });

  it('that has paid, earned a credit and spent it', async () => {
    const { buyer, token } = await aCredit(gateway);
    const before = await standingOf({}, `?wallet=${buyer.wallet}`);
    expect(before).toEqual({
      address: getAddress(buyer.wallet),
      known: true,
      verified: false,
      tier: 'tier_1',
      rate: 0.05,
      lifetime_spend: { usd: 20.05, usd_exact: '20.050000' },
      next_tier: { tier: 'tier_2', from_usd: 100, remaining: { usd: 79.95, usd_exact: '79.950000' } },
      accrued_rebate: { usd: 0, usd_exact: '0.000000' },
      credits: { issued: 1, redeemed: 0, outstanding: 1 },
      rate_limit: { requests: 1200, window_seconds: 60 },
    });
    await redeem(gateway, token);
    const after = (await gateway.send(`${PATH}?wallet=${buyer.wallet.toUpperCase().replace('X', 'x')}`)).text;
    expect(JSON.parse(after)).toMatchObject({
      wallet: {
        accrued_rebate: { usd: 0.05, usd_exact: '0.050000' },
        credits: { issued: 1, redeemed: 1, outstanding: 0 },
      },
    });
    expect(after).not.toContain(token);
  });

  it.each<[string, 'x-payment' | 'payment-signature']>([
    ['X-PAYMENT', 'x-payment'],
    ['PAYMENT-SIGNATURE', 'payment-signature'],
  ])('is that of the payer of %s before that of the header, which comes before the query', async (_, name) => {
    const [payer, header, query] = [gateway.aBuyer(), gateway.aBuyer().wallet, gateway.aBuyer().wallet];
    const payment = await payer.sign();
    const hints = { 'x-wallet-address': header, [name]: payment.header };
    expect(await standingOf(hints, `?wallet=${query}`)).toMatchObject({ address: getAddress(payer.wallet) });
    expect(gateway.callsAbout(payment.nonce)).toMatchObject({ verify: 0, settle: 0 });
    expect(await standingOf({ 'x-wallet-address': header }, `?wallet=${query}`)).toMatchObject({
      address: getAddress(header),
    });
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['a query that is no address', {}, '?wallet=me', '/wallet'],
    ['a header that is no address', { 'x-wallet-address': `${address}0` }, '', '/wallet'],
    ['a payment that is none', { 'x-payment': 'bm9uc2Vuc2U=' }, '', '/payment'],
  ])('400 for %s', async (_, headers, query, path) => {
    const { status, body } = await gateway.send(PATH + query, { headers });
    expect([status, body.error]).toEqual([400, 'validation_failed']);
    expect(body.details).toMatchObject({ issues: [{ path, code: 'bad_format' }], retry: 'fix_request' });
  });
});
