import { PAID_ENDPOINTS, type PaymentErrorCode } from '@evenkeel/contracts';
import type { Wanted } from '../buyer.fixture';
import { Facilitator } from '../facilitator/facilitator';
import { type Gateway, startGateway } from '../gateway.fixture';
import { headerOf, settlementResponseIn, terms } from './payment.fixture';

const NETWORK = { expected: 'eip155:8453' };
const TOO_LONG = { code: 'authorization_valid_too_long' } as const;
const TOO_EARLY = { code: 'authorization_not_yet_valid' } as const;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

describe('a version 2 payment with the longest signature, as of a smart account that is not deployed yet', () => {
  beforeAll(() => {
    const facilitator = gateway.app.get(Facilitator);
    jest.spyOn(facilitator, 'verify').mockResolvedValue({ kind: 'valid' });
    jest.spyOn(facilitator, 'settle').mockResolvedValue({ kind: 'settled', transactionHash: `0x${'ab'.repeat(32)}` });
  });
  afterAll(() => jest.restoreAllMocks());

  it.each(PAID_ENDPOINTS)('pays for $path', async (endpoint) => {
    const { headers } = await gateway.send(endpoint.path, { method: 'POST' });
    const offer = JSON.parse(Buffer.from(headers.get('payment-required')!, 'base64').toString()) as {
      resource: object;
      accepts: object[];
      extensions: Record<string, object>;
    };
    const identifier = { info: { required: false, id: 'i'.repeat(128) } };
    const { authorization } = await gateway.aBuyer().sign({ endpoint });
    // As clients do: they return our own offer with the payment.
    const payment = headerOf({
      x402Version: 2,
      resource: offer.resource,
      accepted: offer.accepts[0],
      payload: { signature: `0x${'cd'.repeat(4_096)}`, authorization },
      extensions: {
        ...offer.extensions,
        'payment-identifier': { ...offer.extensions['payment-identifier'], ...identifier },
      },
    });
    const sent = {
      'content-type': 'application/json',
      'payment-signature': payment,
      'access-control-expose-headers': 'PAYMENT-RESPONSE,X-PAYMENT-RESPONSE',
      'user-agent': 'u'.repeat(100),
    };
    const answer = await gateway.send(endpoint.path, {
      method: 'POST',
      headers: sent,
      body: JSON.stringify(endpoint.exampleInput),
    });
    expect(payment.length).toBeGreaterThan(14_000);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    expect(settlementResponseIn(answer.headers)).toMatchObject({ success: true, status: 'settled' });
  });
});

describe('a payment', () => {
  const other = '0x00000000000000000000000000000000000000A1';
  const secondsFromNow = (seconds: number) => String(gateway.clock.now().getTime() / 1_000 + seconds);
  const tooMuch = { value: '50001' };

  /** Refused by themselves, without a question to anybody. Times are those of the test. */
  const REFUSED: [string, () => Wanted, PaymentErrorCode, object][] = [
    ['of another scheme', () => ({ offer: { scheme: 'upto' } }), 'unsupported_scheme', {}],
    ['of no scheme', () => ({ version: 1, offer: { scheme: undefined } }), 'unsupported_scheme', {}],
    ['of another network', () => ({ offer: { network: 'eip155:1' } }), 'unsupported_network', NETWORK],
    ['of the short network in version 2', () => ({ offer: { network: 'base' } }), 'unsupported_network', NETWORK],
    ['of no network', () => ({ version: 1, offer: { network: undefined } }), 'unsupported_network', NETWORK],
    ['signed for another', () => ({ authorization: { to: other } }), 'wrong_recipient', { expected: terms.payTo }],
    ['accepted for another', () => ({ offer: { payTo: other } }), 'wrong_recipient', { expected: terms.payTo }],
    ['in another token', () => ({ offer: { asset: other } }), 'wrong_asset', { expected: terms.asset }],
    ['of too much', () => ({ authorization: tooMuch }), 'amount_mismatch', { expected: '50000', received: '50001' }],
    ['of too little', () => ({ version: 1, authorization: { value: '49999' } }), 'amount_mismatch', {}],
    ['that accepted another amount', () => ({ offer: { amount: '1' } }), 'amount_mismatch', { received: '1' }],
    ['that accepted an object', () => ({ offer: { amount: { toString: 1 } } }), 'amount_mismatch', { received: null }],
    [
      'that accepted a long text',
      () => ({ offer: { amount: '9'.repeat(99) } }),
      'amount_mismatch',
      { received: '9'.repeat(80) },
    ],
    [
      'wrong in all: the recipient is named first',
      () => ({ authorization: { to: other, ...tooMuch }, offer: { asset: other } }),
      'wrong_recipient',
      {},
    ],
    ['with 5 s left', () => ({ authorization: { validBefore: secondsFromNow(5) } }), 'authorization_expired', {}],
    ['that expired long ago', () => ({ authorization: { validBefore: '1' } }), 'authorization_expired', {}],
    ['valid for 901 s', () => ({ authorization: { validBefore: secondsFromNow(901) } }), TOO_LONG.code, TOO_LONG],
    ['valid until 10^60', () => ({ authorization: { validBefore: `1${'0'.repeat(60)}` } }), TOO_LONG.code, TOO_LONG],
    ['valid in 31 s', () => ({ authorization: { validAfter: secondsFromNow(31) } }), TOO_EARLY.code, TOO_EARLY],
  ];

  const TAKEN: [string, () => Wanted][] = [
    ['of version 1 with the long name of the network', () => ({ version: 1, offer: { network: 'eip155:8453' } })],
    ['to an address in lower case', () => ({ version: 1, authorization: { to: terms.payTo.toLowerCase() } })],
    ['in a token in lower case', () => ({ offer: { asset: terms.asset.toLowerCase() } })],
    ['with 6 s left', () => ({ authorization: { validBefore: secondsFromNow(6) } })],
    ['valid for the longest time that is allowed', () => ({ authorization: { validBefore: secondsFromNow(900) } })],
    ['valid since ten minutes ago', () => ({ authorization: { validAfter: secondsFromNow(-600) } })],
  ];

  it.each(REFUSED)(
    '%s is 402 with the offer, the facilitator is not asked and nothing is written',
    async (_, wanted, error, details) => {
      const payment = await gateway.aBuyer().sign({ version: 2, ...wanted() });
      expect((await gateway.pay(payment)).body).toMatchObject({
        error,
        details: { ...details, charged: false, retry: 'pay_again' },
        accepts: [expect.objectContaining({ scheme: 'exact' })],
      });
      expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 0, settle: 0, bodies: 0 });
      expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
    },
  );

  it.each(TAKEN)('%s pays', async (_, wanted) => {
    const payment = await gateway.aBuyer().sign({ version: 2, ...wanted() });
    expect((await gateway.pay(payment)).status).toBe(200);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled' });
  });

  it('the facilitator decides about an authorization that becomes valid within 30 s', async () => {
    const payment = await gateway.aBuyer().sign({ authorization: { validAfter: secondsFromNow(30) } });
    expect((await gateway.pay(payment)).body).toMatchObject({
      error: 'payment_rejected',
      details: { code: 'authorization_not_yet_valid' },
    });
    expect(gateway.callsAbout(payment.nonce).verify).toBe(1);
  });
});
