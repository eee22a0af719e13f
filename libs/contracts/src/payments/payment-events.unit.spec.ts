import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { Class } from '../schema/json-schema';
import { CreditIssued } from './credit-issued';
import { CreditRedeemed } from './credit-redeemed';
import { PaymentSettled } from './payment-settled';
import { PaymentSettlementFailed } from './payment-settlement-failed';
import { PaymentSettlementPending } from './payment-settlement-pending';

const common = {
  paymentId: '0194b3a0-7c1e-7d2a-9f00-0123456789ab',
  wallet: '0x857b06519e91e3a54538791bdbb0e22373e36b66',
  endpoint: '/agent/v1/habits/analyze',
  amountMicros: 50_000,
  chainId: 8453,
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  verifiedAt: '2026-01-31T11:58:00.120Z',
  attributedCostMicros: 400,
  requestId: 'req-12345678',
};
const transactionHash = `0x${'1234'.repeat(16)}`;
const settled = {
  ...common,
  transactionHash,
  settledAt: '2026-01-31T11:58:00.910Z',
  tier: 'tier_1',
  rebateMicros: 2_500,
};
const pending = { ...common, state: 'settlement_pending', served: true, reason: null };
const failed = {
  ...common,
  transactionHash: null,
  failedAt: '2026-01-31T11:59:31.200Z',
  served: false,
  reason: 'invalid',
};
const issued = {
  creditId: '0194b6a0-7c1e-7d2a-9f00-0123456789ab',
  wallet: common.wallet,
  faceMicros: 100_000,
  paymentId: common.paymentId,
  tier: 'tier_1',
  issuedAt: '2026-01-31T11:58:00.910Z',
};
const redeemed = {
  creditId: issued.creditId,
  wallet: common.wallet,
  endpoint: common.endpoint,
  priceMicros: 50_000,
  changeMicros: 50_000,
  attributedCostMicros: 400,
  redeemedAt: '2026-01-31T12:03:00.000Z',
  requestId: common.requestId,
};

const wrongFields = (type: Class, data: object) =>
  validateSync(plainToInstance(type, data)).map((error) => error.property);

describe('payment events', () => {
  it.each([
    [PaymentSettled, settled],
    [PaymentSettled, { ...settled, transactionHash: null }],
    [PaymentSettled, { ...settled, nonce: `0x${'ab'.repeat(32)}`, served: true }],
    [PaymentSettled, { ...settled, nonce: null, served: null }],
    [PaymentSettlementPending, pending],
    [PaymentSettlementPending, { ...pending, nonce: `0x${'ab'.repeat(32)}` }],
    [PaymentSettlementPending, { ...pending, state: 'needs_reconciliation', reason: 'duplicate_settlement' }],
    [PaymentSettlementFailed, failed],
    [PaymentSettlementFailed, { ...failed, nonce: `0x${'ab'.repeat(32)}` }],
    [CreditIssued, issued],
    [CreditIssued, { ...issued, expiresAt: null }],
    [CreditIssued, { ...issued, expiresAt: '2026-03-02T11:58:00.910Z' }],
    [CreditRedeemed, redeemed],
  ])('%p takes what the ledger writes', (type, data) => expect(wrongFields(type as Class, data)).toEqual([]));

  it.each([
    ['wallet', '0x857B06519E91E3A54538791BDBB0E22373E36B66'],
    ['asset', '0x83'],
    ['amountMicros', 2 ** 53],
    ['amountMicros', -1],
    ['amountMicros', '50000'],
    ['transactionHash', undefined],
    ['transactionHash', ''],
    ['settledAt', '2026-01-31'],
    ['tier', 'gold'],
    ['paymentId', '1'],
    ['nonce', '0x12'],
    ['served', 'yes'],
    ['rebateMicros', 0.5],
  ])('refuses %s %p', (field, value) =>
    expect(wrongFields(PaymentSettled, { ...settled, [field]: value })).toEqual([field]),
  );

  it('belong to one stream', () => {
    const events = [PaymentSettled, PaymentSettlementPending, PaymentSettlementFailed, CreditIssued, CreditRedeemed];
    expect(events.map(({ type }) => type)).toEqual([
      'payment.settled',
      'payment.settlement-pending',
      'payment.settlement-failed',
      'credit.issued',
      'credit.redeemed',
    ]);
    expect(new Set(events.map(({ stream }) => stream))).toEqual(new Set(['evenkeel.payments.v1']));
  });
});
