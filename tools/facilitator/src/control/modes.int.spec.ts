import { eventually } from '@evenkeel/platform/testing';
import { aBody, aPayment, aSigned } from '../payment.fixture';
import { FacilitatorAtNoon } from '../running-facilitator.fixture';
import type { ControlCommand } from './control-command';
import type { Loss } from './mode-switch';

let facilitator: FacilitatorAtNoon;
beforeEach(async () => {
  facilitator = await FacilitatorAtNoon.start();
});
afterEach(() => facilitator.running.close());

/** The way of tests in another process. */
async function set(command: ControlCommand): Promise<void> {
  expect(await facilitator.post('/control', command)).toEqual({ status: 200, body: { done: true } });
}

const settlements = () => facilitator.running.ledger().settlements;

/** Gives up a while after the facilitator was called. */
async function settleUnanswered(payment: unknown): Promise<void> {
  const gaveUp = new AbortController();
  const waiting = facilitator.post('/settle', payment, gaveUp.signal);
  await eventually(() => facilitator.running.ledger().calls.settle === 1);
  const soon = new Promise((resolve) => setTimeout(resolve, 200, 'no answer'));
  expect(await Promise.race([waiting, soon])).toBe('no answer');
  gaveUp.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
}

describe('refusals', () => {
  it('invalid: verify says no, as often as asked for', async () => {
    const payment = await aPayment();
    await set({ mode: 'invalid', count: 2, reason: 'invalid_exact_evm_from_address_kyt', status: 400 });
    const no = { status: 400, body: { isValid: false, invalidReason: 'invalid_exact_evm_from_address_kyt' } };
    expect(await facilitator.verify(payment)).toMatchObject(no);
    expect(await facilitator.verify(payment)).toMatchObject(no);
    expect((await facilitator.verify(payment)).body.isValid).toBe(true);
  });

  it('refused: settle says no, nothing moves', async () => {
    const payment = await aPayment();
    await set({ mode: 'refused', count: 1 });
    expect((await facilitator.verify(payment)).body.isValid).toBe(true);
    expect((await facilitator.settle(payment)).body).toEqual({
      success: false,
      errorReason: 'invalid_exact_evm_insufficient_balance',
      transaction: '',
      network: 'eip155:8453',
      payer: payment.paymentPayload.payload.authorization.from,
    });
    expect(settlements()).toEqual([]);
    expect((await facilitator.settle(payment)).body.success).toBe(true);
  });

  it('reverted: a failure with a hash; the transaction is on the chain, the nonce unspent', async () => {
    const payment = await aPayment();
    await set({ mode: 'reverted', count: 1 });
    const { body } = await facilitator.settle(payment);
    expect(body).toMatchObject({ success: false, errorReason: 'invalid_exact_evm_transaction_failed' });
    const receipt = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [body.transaction] };
    expect((await facilitator.post('/rpc', receipt)).body.result).toMatchObject({ status: '0x0', logs: [] });
    expect(settlements()).toEqual([]);
    expect((await facilitator.settle(payment)).body.success).toBe(true);
  });
});

describe('faults of the line', () => {
  it.each(['verify', 'settle'] as const)('reset: %s breaks off, and nothing moves', async (target) => {
    const payment = await aPayment();
    await set({ mode: 'reset', on: target, count: 1 });
    await expect(facilitator[target](payment)).rejects.toThrow();
    expect(settlements()).toEqual([]);
    expect((await facilitator[target](payment)).status).toBe(200);
  });

  it('hang: no answer, and nothing moves', async () => {
    const payment = await aPayment();
    await set({ mode: 'hang', on: 'settle' });
    await settleUnanswered(payment);
    expect(settlements()).toEqual([]);
  });

  it('slow: the work is done at once, the answer is late', async () => {
    const payment = await aPayment();
    await set({ mode: 'slow', on: ['settle'], ms: 100 });
    const begun = performance.now();
    expect((await facilitator.settle(payment)).body.success).toBe(true);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(95);
  });

  it('500: with a status of choice and no word about the payment', async () => {
    const payment = await aPayment();
    await set({ mode: '500' });
    expect(await facilitator.verify(payment)).toEqual({ status: 500, body: { error: 'internal_error' } });
    await set({ mode: '500', status: 401 });
    expect(await facilitator.settle(payment)).toEqual({ status: 401, body: { error: 'internal_error' } });
  });

  it('500-with-reason: the words of a refusal under a 500', async () => {
    const payment = await aPayment();
    await set({ mode: '500-with-reason', reason: 'unexpected_error' });
    expect(await facilitator.verify(payment)).toMatchObject({
      status: 500,
      body: { isValid: false, invalidReason: 'unexpected_error' },
    });
    expect(await facilitator.settle(payment)).toMatchObject({
      status: 500,
      body: { success: false, errorReason: 'unexpected_error', transaction: '' },
    });
  });

  it('bad-json: an answer that cannot be read', async () => {
    await set({ mode: 'bad-json', on: 'supported' });
    await expect(facilitator.get('/supported')).rejects.toMatchObject({ name: 'SyntaxError' });
  });

  it('aims at the chain alone', async () => {
    const payment = await aPayment();
    await set({ mode: '500', on: 'rpc' });
    expect((await facilitator.post('/rpc', {})).status).toBe(500);
    expect((await facilitator.verify(payment)).status).toBe(200);
  });

  it('down: refuses connections for a while and comes back at the same address', async () => {
    const payment = await aPayment();
    await set({ action: 'down', ms: 2_000 });
    await expect(facilitator.verify(payment)).rejects.toThrow('fetch failed');
    const { body } = await eventually(() => facilitator.verify(payment));
    expect(body.isValid).toBe(true);
  });
});

describe('answers that are lost', () => {
  it.each<[Loss, (payment: unknown) => Promise<void>]>([
    ['reset', (payment) => expect(facilitator.settle(payment)).rejects.toThrow()],
    ['hang', settleUnanswered],
  ])('settled-but-answer-lost: the money moved, then %s', async (then, settle) => {
    const payment = await aPayment();
    await set({ mode: 'settled-but-answer-lost', count: 1, then });
    await settle(payment);
    await eventually(() => expect(settlements()).toHaveLength(1));
    expect((await facilitator.settle(payment)).body).toMatchObject({
      errorReason: 'invalid_exact_evm_nonce_already_used',
      transaction: '',
    });
  });

  it('settled-but-answer-lost: or a 500', async () => {
    await set({ mode: 'settled-but-answer-lost', then: '500' });
    expect((await facilitator.settle(await aPayment())).status).toBe(500);
    expect(settlements()).toHaveLength(1);
  });

  it('settled-without-hash', async () => {
    await set({ mode: 'settled-without-hash' });
    expect((await facilitator.settle(await aPayment())).body).toMatchObject({ success: true, transaction: '' });
    expect(settlements()).toHaveLength(1);
  });

  it('duplicate: the money moved, the answer says duplicate_settlement', async () => {
    await set({ mode: 'duplicate' });
    expect((await facilitator.settle(await aPayment())).body).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
      transaction: '',
    });
    expect(settlements()).toHaveLength(1);
  });
});

describe('pending settlements', () => {
  it('pending-then-success: version 2 finds the transaction of the identical request', async () => {
    const payment = await aPayment();
    await set({ mode: 'pending-then-success', count: 2 });
    const { body } = await facilitator.settle(payment);
    expect(body).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    expect((await facilitator.settle(payment)).body).toEqual(body);
    expect(settlements()).toEqual([]);

    expect((await facilitator.settle(payment)).body).toMatchObject({ success: true, transaction: body.transaction });
    expect(settlements()).toMatchObject([{ transaction: body.transaction }]);
    expect((await facilitator.settle(payment)).body.errorReason).toBe('invalid_exact_evm_nonce_already_used');
  });

  it('pending-then-success: lands in the next block without being asked again', async () => {
    await set({ mode: 'pending-then-success', count: 1 });
    const { body } = await facilitator.settle(await aPayment());
    facilitator.clock.advanceMs(1_999);
    expect(settlements()).toEqual([]);
    facilitator.clock.advanceMs(10_000);
    expect(settlements()).toMatchObject([
      { transaction: body.transaction, settledAt: '2026-01-31T12:00:02.000Z', block: 301 },
    ]);
  });

  it('pending-then-success: copies at once send one transaction', async () => {
    const payment = await aPayment();
    await set({ mode: 'pending-then-success' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => facilitator.settle(payment)));
    expect(new Set(answers.map(({ body }) => body.transaction)).size).toBe(1);
  });

  it('pending-then-success: version 1 does not know its own transaction', async () => {
    const payment = await aPayment({ x402Version: 1 });
    await set({ mode: 'pending-then-success', count: 1 });
    await facilitator.settle(payment);
    facilitator.clock.advanceMs(2_000);
    expect((await facilitator.settle(payment)).body.errorReason).toBe('invalid_exact_evm_nonce_already_used');
  });

  it('pending-then-success: comes too late when somebody else was first', async () => {
    const signed = await aSigned();
    await set({ mode: 'pending-then-success', count: 1 });
    const { body } = await facilitator.settle(aBody(signed));
    await set({ action: 'submit', authorization: signed.authorization });
    facilitator.clock.advanceMs(2_000);
    expect((await facilitator.settle(aBody(signed))).body).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_transaction_failed',
      transaction: body.transaction,
    });
    expect(settlements()).toMatchObject([{ submittedBy: 'third_party' }]);
  });

  it('pending-then-never: pending until the payment expires, and the nonce stays unspent', async () => {
    const payment = await aPayment();
    await set({ mode: 'pending-then-never', count: 1 });
    const { body } = await facilitator.settle(payment);
    expect(body.errorReason).toBe('settlement_pending');
    facilitator.clock.advanceMs(299_000);
    expect((await facilitator.settle(payment)).body).toEqual(body);
    await set({ action: 'advance', ms: 1_000 });
    expect((await facilitator.settle(payment)).body).toMatchObject({
      errorReason: 'invalid_exact_evm_payload_authorization_valid_before',
      transaction: '',
    });
    expect(settlements()).toEqual([]);
  });
});

describe('between verify and settle', () => {
  it.each([
    ['cancelled-after-verify', []],
    ['submitted-after-verify', [expect.objectContaining({ submittedBy: 'third_party' })]],
  ])('%s', async (mode, moved) => {
    const payment = await aPayment();
    await set({ mode, count: 1 });
    expect((await facilitator.verify(payment)).body.isValid).toBe(true);
    expect((await facilitator.settle(payment)).body.errorReason).toBe('invalid_exact_evm_nonce_already_used');
    expect(settlements()).toEqual(moved);
  });

  it('leaves a payment alone that did not verify', async () => {
    const good = await aSigned();
    await set({ mode: 'cancelled-after-verify' });
    await facilitator.verify(aBody(good, { requirements: { payTo: good.authorization.from } }));
    expect((await facilitator.settle(aBody(good))).body.success).toBe(true);
  });
});
