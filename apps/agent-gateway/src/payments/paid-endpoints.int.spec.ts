import { PAID_ENDPOINTS, type PaymentErrorCode } from '@evenkeel/contracts';
import type { Wanted } from '../buyer.fixture';
import { Facilitator } from '../facilitator/facilitator';
import { type Gateway, startGateway } from '../gateway.fixture';
import { headerOf, settlementResponseIn, terms } from './payment.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
afterEach(() => jest.restoreAllMocks());

it.each(PAID_ENDPOINTS)(
  '$path takes a version 2 payment with the longest signature, of a smart account',
  async (endpoint) => {
    const facilitator = gateway.app.get(Facilitator);
    jest.spyOn(facilitator, 'verify').mockResolvedValue({ kind: 'valid' });
    jest.spyOn(facilitator, 'settle').mockResolvedValue({ kind: 'settled', transactionHash: `0x${'ab'.repeat(32)}` });
    const { headers } = await gateway.send(endpoint.path, { method: 'POST' });
    const offer = JSON.parse(Buffer.from(headers.get('payment-required')!, 'base64').toString()) as {
      resource: object;
      accepts: object[];
      extensions: Record<string, object>;
    };
    const { authorization } = await gateway.aBuyer().sign({ endpoint });
    const identifier = { info: { required: false, id: 'i'.repeat(128) } };
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
    expect(payment.length).toBeGreaterThan(14_000);
    const answer = await gateway.send(endpoint.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'payment-signature': payment, 'user-agent': 'u'.repeat(100) },
      body: JSON.stringify(endpoint.exampleInput),
    });
    expect([answer.status, answer.body]).toEqual([200, endpoint.exampleResult]);
    expect(settlementResponseIn(answer.headers)).toMatchObject({ success: true, status: 'settled' });
  },
);

const other = '0x00000000000000000000000000000000000000A1';
const inSeconds = (seconds: number) => String(gateway.clock.now().getTime() / 1_000 + seconds);
const tooMuch = { value: '50001' };
const anAmount = (amount: unknown) => ({ offer: { amount } });
const untilIn = (seconds: number) => ({ authorization: { validBefore: inSeconds(seconds) } });
const NETWORK = { expected: 'eip155:8453' };
const RECIPIENT = { expected: terms.payTo };
const TOO_LONG = 'authorization_valid_too_long';
const TOO_EARLY = 'authorization_not_yet_valid';

it.each<[string, () => Wanted, PaymentErrorCode, object?]>([
  ['of another scheme', () => ({ offer: { scheme: 'upto' } }), 'unsupported_scheme'],
  ['of another network', () => ({ offer: { network: 'eip155:1' } }), 'unsupported_network', NETWORK],
  ['of the short network in version 2', () => ({ offer: { network: 'base' } }), 'unsupported_network', NETWORK],
  ['accepted for another', () => ({ offer: { payTo: other } }), 'wrong_recipient', RECIPIENT],
  ['in another token', () => ({ offer: { asset: other } }), 'wrong_asset', { expected: terms.asset }],
  ['of too much', () => ({ authorization: tooMuch }), 'amount_mismatch', { expected: '50000', received: '50001' }],
  ['of too little', () => ({ version: 1, authorization: { value: '49999' } }), 'amount_mismatch'],
  ['that accepted another amount', () => anAmount('1'), 'amount_mismatch', { received: '1' }],
  ['that accepted a long text', () => anAmount('9'.repeat(99)), 'amount_mismatch', { received: '9'.repeat(80) }],
  ['wrong in all', () => ({ authorization: { to: other, ...tooMuch }, offer: { asset: other } }), 'wrong_recipient'],
  ['with 5 s left', () => untilIn(5), 'authorization_expired'],
  ['valid for 901 s', () => untilIn(901), TOO_LONG, { code: TOO_LONG }],
  ['valid in 31 s', () => ({ authorization: { validAfter: inSeconds(31) } }), TOO_EARLY, { code: TOO_EARLY }],
])(
  'a payment %s is 402 with the offer, the facilitator is not asked and nothing is written',
  async (...[, wanted, error, details]) => {
    const payment = await gateway.aBuyer().sign({ version: 2, ...wanted() });
    const accepts = [expect.objectContaining({ scheme: 'exact' })];
    const refusal = { error, details: { ...details, charged: false, retry: 'pay_again' }, accepts };
    expect((await gateway.pay(payment)).body).toMatchObject(refusal);
    expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 0, settle: 0, bodies: 0 });
    expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
  },
);

it.each<[string, () => Wanted]>([
  ['of version 1 with the long name of the network', () => ({ version: 1, offer: { network: 'eip155:8453' } })],
  ['to an address in lower case', () => ({ version: 1, authorization: { to: terms.payTo.toLowerCase() } })],
  ['in a token in lower case', () => ({ offer: { asset: terms.asset.toLowerCase() } })],
  ['with 6 s left', () => untilIn(6)],
  ['valid for the longest time that is allowed', () => untilIn(900)],
])('a payment %s pays', async (_, wanted) => {
  const payment = await gateway.aBuyer().sign({ version: 2, ...wanted() });
  expect((await gateway.pay(payment)).status).toBe(200);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled' });
});

it('the facilitator decides about an authorization that becomes valid within 30 s', async () => {
  const payment = await gateway.aBuyer().sign({ authorization: { validAfter: inSeconds(30) } });
  const { body } = await gateway.pay(payment);
  expect(body).toMatchObject({ error: 'payment_rejected', details: { code: TOO_EARLY } });
});
