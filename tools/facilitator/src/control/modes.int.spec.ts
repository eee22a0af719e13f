import { eventually } from '@evenkeel/platform/testing';
import { aBody, aPayment, aSigned, FacilitatorAtNoon } from '../payment.fixture';
import type { ControlCommand } from './control';

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
const USED = 'invalid_exact_evm_nonce_already_used';

describe('control and ledger', () => {
  it('a mode lasts for so many calls, and ok ends every mode or the one at a target', async () => {
    const payment = await aPayment();
    await set({ mode: '500', count: 2, status: 401 });
    expect(await facilitator.verify(payment)).toEqual({ status: 401, body: { error: 'internal_error' } });
    await set({ mode: 'ok', on: 'verify' });
    expect((await facilitator.verify(payment)).body.isValid).toBe(true);
    expect([(await facilitator.settle(payment)).status, (await facilitator.settle(payment)).status]).toEqual([
      401, 401,
    ]);
    expect((await facilitator.settle(payment)).body.success).toBe(true);
  });

  it('proves one verify, one settle, and the same bytes', async () => {
    const signed = await aSigned();
    const { nonce } = signed.authorization;
    await facilitator.verify(aBody(signed));
    await facilitator.settle(aBody(signed));
    await facilitator.verify(await aPayment());
    const { body } = await facilitator.get(`/ledger?nonce=${nonce}`);
    expect(body).toMatchObject({
      calls: { supported: 0, verify: 2, settle: 1, rpc: 0 },
      payments: [{ nonce, verify: 1, settle: 1, bodies: 1, settleBodies: 1 }],
      settlements: [{ nonce, value: '50000' }],
    });
    await facilitator.settle(aBody(signed, { requirements: { maxTimeoutSeconds: 60 } }));
    expect(facilitator.running.ledger(nonce).payments).toMatchObject([{ settle: 2, bodies: 2, settleBodies: 2 }]);
  });

  it.each([
    [{ mode: 'constructor' }, 'mode must be one of: ok, '],
    [{ action: 'constructor' }, 'action must be one of: cancel, submit'],
    [{ action: 'cancel', payer: '0x1' }, 'payer is missing or has another form'],
    [[], 'a command is a JSON object'],
  ])('refuses %j', async (command, message) => {
    expect(await facilitator.post('/control', command)).toEqual({
      status: 400,
      body: { error: 'bad_command', message: expect.stringContaining(message) },
    });
  });

  it('a mode of one payer leaves all others alone, and a mode for all applies beside it', async () => {
    const [hostile, honest] = [await aPayment(), await aPayment()];
    const payer = hostile.paymentPayload.payload.authorization.from;
    await set({ mode: 'invalid', reason: 'unexpected_verify_error', payer });
    await set({ mode: 'reset', on: 'settle' });
    expect((await facilitator.verify(hostile)).body.invalidReason).toBe('unexpected_verify_error');
    expect((await facilitator.verify(honest)).body.isValid).toBe(true);
    await expect(facilitator.settle(honest)).rejects.toThrow();
    await set({ mode: 'ok', payer });
    expect((await facilitator.verify(hostile)).body.isValid).toBe(true);
    await expect(facilitator.settle(hostile)).rejects.toThrow();
    expect(settlements()).toEqual([]);
  });

  it('down: refuses connections for a while and comes back at the same address', async () => {
    const payment = await aPayment();
    await set({ action: 'down', ms: 2_000 });
    await expect(facilitator.verify(payment)).rejects.toThrow('fetch failed');
    const { body } = await eventually(() => facilitator.verify(payment));
    expect(body.isValid).toBe(true);
  });
});

describe('answers at settle', () => {
  it.each([
    ['refused', { errorReason: 'invalid_exact_evm_insufficient_balance', transaction: '' }, 0],
    ['500-with-reason', { errorReason: 'invalid_exact_evm_insufficient_balance', transaction: '' }, 0],
    ['settled-without-hash', { success: true, transaction: '' }, 1],
    ['duplicate', { errorReason: 'duplicate_settlement', transaction: '' }, 1],
    ['answered-with-block', { success: true }, 1],
  ])('%s', async (mode, body, moved) => {
    await set({ mode, on: 'settle', count: 1, ms: 10 });
    expect(await facilitator.settle(await aPayment())).toMatchObject({
      status: mode === '500-with-reason' ? 500 : 200,
      body,
    });
    expect(settlements()).toHaveLength(moved);
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

  it('settled-but-answer-lost: the money moved', async () => {
    const payment = await aPayment();
    await set({ mode: 'settled-but-answer-lost', count: 1 });
    await expect(facilitator.settle(payment)).rejects.toThrow();
    expect(settlements()).toHaveLength(1);
    expect((await facilitator.settle(payment)).body).toMatchObject({ errorReason: USED, transaction: '' });
  });
});

describe('pending settlements', () => {
  it('pending-then-success: version 2 finds the transaction of the identical request', async () => {
    const payment = await aPayment();
    await set({ mode: 'pending-then-success', count: 10 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => facilitator.settle(payment)));
    const { transaction } = answers[0]!.body;
    for (const { body } of answers) expect(body).toMatchObject({ errorReason: 'settlement_pending', transaction });
    expect(settlements()).toEqual([]);

    expect((await facilitator.settle(payment)).body).toMatchObject({ success: true, transaction });
    expect(settlements()).toMatchObject([{ transaction }]);
    expect((await facilitator.settle(payment)).body.errorReason).toBe(USED);
  });

  it('pending-then-success: lands in the next block; version 1 does not know its own transaction', async () => {
    const payment = await aPayment({ x402Version: 1 });
    await set({ mode: 'pending-then-success', count: 1 });
    const { body } = await facilitator.settle(payment);
    facilitator.clock.advanceMs(1_999);
    expect(settlements()).toEqual([]);
    facilitator.clock.advanceMs(10_000);
    expect(settlements()).toMatchObject([
      { transaction: body.transaction, settledAt: '2026-01-31T12:00:02.000Z', block: 301 },
    ]);
    expect((await facilitator.settle(payment)).body.errorReason).toBe(USED);
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
    facilitator.clock.advanceMs(1_000);
    expect((await facilitator.settle(payment)).body).toMatchObject({
      errorReason: 'invalid_exact_evm_payload_authorization_valid_before',
      transaction: '',
    });
    expect(settlements()).toEqual([]);
  });
});

it.each([
  ['cancelled-after-verify', []],
  ['submitted-after-verify', [expect.objectContaining({ submittedBy: 'third_party' })]],
])('%s: only a payment that verified', async (mode, moved) => {
  const good = await aSigned();
  await set({ mode });
  const bad = aBody(good, { requirements: { payTo: good.authorization.from } });
  expect((await facilitator.verify(bad)).body.isValid).toBe(false);
  expect((await facilitator.verify(aBody(good))).body.isValid).toBe(true);
  expect((await facilitator.settle(aBody(good))).body.errorReason).toBe(USED);
  expect(settlements()).toEqual(moved);
});
