import { getAddress } from 'viem';
import { aCredit, redeem } from '../credits/credit.fixture';
import { aGateway } from '../gateway.fixture';
import { Offers } from '../offers/offers';
import { terms } from '../payments/payment.fixture';

const gateway = aGateway({ settings: { RATE_LIMIT_SCALE: '1' } });

const PATH = '/agent/v1/pricing';
const address = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
const read = (headers: Record<string, string> = {}, query = '') => gateway.send(PATH + query, { headers });
const walletIn = async (headers: Record<string, string> = {}, query = '') =>
  (await read(headers, query)).body['wallet'];
const usd = (amount: number) => ({ usd: amount, usd_exact: amount.toFixed(6) });

it('lists prices, ladder and limit, stored by caches, but not for callers who name a wallet', async () => {
  const { status, headers, body } = await read();
  const vary = 'X-PAYMENT, PAYMENT-SIGNATURE, X-Wallet-Address, Accept-Encoding';
  const seen = [status, headers.get('cache-control'), headers.get('vary')];
  expect(seen).toEqual([200, 'public, max-age=300', vary]);
  const [currency, network] = ['USD', 'eip155:8453'];
  const token = { asset: terms.asset, asset_symbol: 'USDC', asset_decimals: 6, pay_to: terms.payTo };
  expect(body).toEqual({
    currency,
    payment: { protocol: 'x402', x402_version: 1, scheme: 'exact', network, ...token },
    offer_digest: gateway.app.get(Offers).digest,
    billing_unit: 'request',
    endpoints: expect.anything(),
    rebate: {
      basis: 'lifetime_verified_spend',
      paid_as: 'single_use_call_credit',
      credit_face_value: usd(0.1),
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
  const known = { 'if-none-match': headers.get('etag')! };
  expect((await read(known)).status).toBe(304);
  const hinted = await read({ ...known, 'x-wallet-address': address });
  const stored = ['cache-control', 'etag'].map((name) => hinted.headers.get(name));
  expect([hinted.status, ...stored]).toEqual([200, 'no-store', null]);
});

it('states the status of a wallet that has not been seen before', async () => {
  expect(await walletIn({ 'x-wallet-address': address.toLowerCase() })).toEqual({
    address,
    known: false,
    verified: false,
    tier: 'base',
    rate: 0,
    lifetime_spend: usd(0),
    next_tier: { tier: 'tier_1', from_usd: 10, remaining: usd(10) },
    accrued_rebate: usd(0),
    credits: { issued: 0, redeemed: 0, outstanding: 0 },
    rate_limit: { requests: 600, window_seconds: 60 },
  });
});

it('states the status of a wallet that has paid, earned a credit and spent it', async () => {
  const { buyer, token } = await aCredit(gateway);
  expect(await walletIn({}, `?wallet=${buyer.wallet}`)).toEqual({
    address: getAddress(buyer.wallet),
    known: true,
    verified: false,
    tier: 'tier_1',
    rate: 0.05,
    lifetime_spend: usd(20.05),
    next_tier: { tier: 'tier_2', from_usd: 100, remaining: usd(79.95) },
    accrued_rebate: usd(0),
    credits: { issued: 1, redeemed: 0, outstanding: 1 },
    rate_limit: { requests: 1200, window_seconds: 60 },
  });
  await redeem(gateway, token);
  const { text, body } = await read({}, `?wallet=${buyer.wallet.toUpperCase().replace('X', 'x')}`);
  const credits = { issued: 1, redeemed: 1, outstanding: 0 };
  expect(body).toMatchObject({ wallet: { accrued_rebate: usd(0.05), credits } });
  expect(text).not.toContain(token);
});

it.each(['x-payment', 'payment-signature'])('takes the payer of %s before header and query', async (name) => {
  const [payer, header, query] = [gateway.aBuyer(), gateway.aBuyer().wallet, gateway.aBuyer().wallet];
  const payment = await payer.sign();
  const hints = { 'x-wallet-address': header, [name]: payment.header };
  expect(await walletIn(hints, `?wallet=${query}`)).toMatchObject({ address: getAddress(payer.wallet) });
  expect(gateway.callsAbout(payment.nonce)).toMatchObject({ verify: 0, settle: 0 });
  const ofHeader = await walletIn({ 'x-wallet-address': header }, `?wallet=${query}`);
  expect(ofHeader).toMatchObject({ address: getAddress(header) });
});

it.each<[string, Record<string, string>, string, string]>([
  ['a query that is no address', {}, '?wallet=me', '/wallet'],
  ['a header that is no address', { 'x-wallet-address': `${address}0` }, '', '/wallet'],
  ['a payment that is none', { 'x-payment': 'bm9uc2Vuc2U=' }, '', '/payment'],
])('answers 400 to %s', async (_, headers, query, path) => {
  const { status, body } = await read(headers, query);
  expect([status, body.error]).toEqual([400, 'validation_failed']);
  expect(body.details).toMatchObject({ issues: [{ path, code: 'bad_format' }], retry: 'fix_request' });
});
