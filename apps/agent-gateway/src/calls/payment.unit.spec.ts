import { aPayment } from '../payments/payment.fixture';
import { settlementResponse } from './payment';

const hash = `0x${'1f'.repeat(32)}`;

function responseOf(...[payment, outcome]: Parameters<typeof settlementResponse>): unknown {
  const headers = settlementResponse(payment, outcome);
  expect(Object.keys(headers)).toEqual(['X-PAYMENT-RESPONSE', 'PAYMENT-RESPONSE']);
  expect(headers['X-PAYMENT-RESPONSE']).toBe(headers['PAYMENT-RESPONSE']);
  return JSON.parse(Buffer.from(headers['PAYMENT-RESPONSE']!, 'base64').toString());
}

describe('settlementResponse', () => {
  const payer = '0x857b06519E91e3A54538791bDbb0E22373e36b66';

  it('states the settlement and the checksummed payer', () => {
    const lower = aPayment({ authorization: { from: payer.toLowerCase() } });
    expect(responseOf(lower, { status: 'settled', transactionHash: hash })).toEqual({
      success: true,
      transaction: hash,
      network: 'base',
      payer,
      amount: '50000',
      status: 'settled',
    });
  });

  it.each([
    [1 as const, 'base'],
    [1 as const, 'eip155:8453'],
    [2 as const, 'eip155:8453'],
  ])('names the chain as the payment of version %i did: %s', (version, network) => {
    const response = responseOf(aPayment({ version, offer: { network } }), {
      status: 'settled',
      transactionHash: hash,
    });
    expect(response).toMatchObject({ network });
  });

  it('has no hash while the payment is pending, even when one is known', () => {
    const response = responseOf(aPayment(), { status: 'settlement_pending', transactionHash: hash });
    expect(response).toMatchObject({ success: true, transaction: '', status: 'settlement_pending' });
  });

  it('has an empty hash when the facilitator gave none', () => {
    const response = responseOf(aPayment(), { status: 'settled', transactionHash: null });
    expect(response).toMatchObject({ success: true, transaction: '' });
  });

  it('states why settlement failed', () => {
    const outcome = { status: 'settlement_failed' as const, transactionHash: hash, errorReason: 'insufficient_funds' };
    expect(responseOf(aPayment(), outcome)).toMatchObject({
      success: false,
      errorReason: 'insufficient_funds',
      transaction: '',
      status: 'settlement_failed',
    });
  });
});
