import type { ControlCommand, ModeCommand } from '@evenkeel/facilitator';
import { eventually } from '@evenkeel/platform/testing';
import { startGateway, type Gateway } from '../gateway.fixture';
import { settlementResponseIn } from './payment.fixture';

let gateway: Gateway;
/** For a facilitator that answers too late or never; the other tests allow the time that a busy machine needs. */
let hurried: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    settings: { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000' },
  });
  hurried = await startGateway({ besides: gateway, settings: { FACILITATOR_VERIFY_TIMEOUT_MS: '300' } });
});
afterAll(async () => {
  await hurried.close();
  await gateway.close();
});
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(() => control({ mode: 'ok' }));

const control = (command: ControlCommand) => gateway.facilitator.control(command);
const at = (mode: string, more: Partial<ModeCommand> = {}) => control({ mode, on: 'verify', ...more });

async function expectNothingWritten(nonce: string): Promise<void> {
  expect(await gateway.ledger.entriesOf(nonce)).toBeNull();
  expect(gateway.callsAbout(nonce).settle).toBe(0);
}

describe('verify refuses', () => {
  const trace = 'The contract function reverted:\nERC20: transfer amount exceeds balance';
  it.each<[string, Partial<ModeCommand>, object]>([
    [
      'no money',
      { reason: 'insufficient_funds' },
      { invalid_reason: 'insufficient_funds', code: 'insufficient_funds' },
    ],
    ['under 400', { reason: 'invalid_payload', status: 400 }, { invalid_reason: 'invalid_payload' }],
    ['signature', { reason: 'invalid_exact_evm_signature' }, { code: 'invalid_signature' }],
    ['in many lines', { reason: trace }, {}],
  ])('%s: 402 payment_rejected, nothing written, and the same payment may come again', async (_, mode, details) => {
    const payment = await gateway.aBuyer().sign();
    at('invalid', { ...mode, count: 1 });
    const { status, headers, body } = await gateway.pay(payment);
    expect([status, body.error, headers.get('retry-after')]).toEqual([402, 'payment_rejected', null]);
    expect(body.details).toEqual(expect.objectContaining({ ...details, charged: false, retry: 'pay_again' }));
    expect(body).toMatchObject({ x402Version: 1, accepts: [expect.objectContaining({ network: 'base' })] });
    expect(JSON.stringify(body)).not.toContain('ERC20');
    expect([settlementResponseIn(headers), headers.get('cache-control')]).toEqual([null, 'no-store']);
    const challenge = JSON.parse(Buffer.from(headers.get('payment-required')!, 'base64').toString()) as object;
    expect(challenge).toMatchObject({ x402Version: 2, error: 'payment_rejected' });
    await expectNothingWritten(payment.nonce);

    expect((await gateway.pay(payment)).status).toBe(200);
  });
});

describe('verify gives no usable answer', () => {
  it.each<[string, Partial<ModeCommand>]>([
    ['reset', {}],
    ['hang', {}],
    ['slow', { ms: 600 }],
    ['500', {}],
    ['500', { status: 401 }],
    ['500', { status: 403 }],
    ['500', { status: 404 }],
    ['500', { status: 429 }],
    ['500', { status: 302 }],
    ['500-with-reason', {}],
    ['invalid', { reason: 'unexpected_error' }],
    ['invalid', { reason: 'unexpected_verify_error' }],
    ['bad-json', {}],
  ])('%s %j: 502, nothing written, and the same payment may come again', async (mode, more) => {
    const payment = await gateway.aBuyer().sign();
    at(mode, more);
    const isLate = mode === 'hang' || mode === 'slow';
    const { status, headers, body } = await (isLate ? hurried : gateway).pay(payment);
    expect([status, body.error, headers.get('retry-after')]).toEqual([502, 'payment_verification_unavailable', '2']);
    expect(body.details).toEqual({ charged: false, retry: 'retry_same' });
    expect([headers.get('payment-required'), headers.get('cache-control')]).toEqual([null, 'no-store']);
    await expectNothingWritten(payment.nonce);

    control({ mode: 'ok' });
    const second = await gateway.pay(payment);
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  it('an address without a server: 502, until there is one', async () => {
    const payment = await gateway.aBuyer().sign();
    control({ action: 'down', ms: 2_000 });
    expect((await gateway.pay(payment)).body.error).toBe('payment_verification_unavailable');
    await expectNothingWritten(payment.nonce);
    // Not by paying: ten failures would open the circuit.
    await eventually(() => fetch(`${gateway.facilitator.url}/supported`));
    expect((await gateway.pay(payment)).status).toBe(200);
  });

  it('a broken connection is tried once more', async () => {
    const payment = await gateway.aBuyer().sign();
    at('reset', { count: 1 });
    expect((await gateway.pay(payment)).status).toBe(200);
    expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 2, settle: 1, bodies: 1 });
  });

  it('a slow answer within the time limit counts', async () => {
    const payment = await gateway.aBuyer().sign();
    at('slow', { ms: 100 });
    expect((await gateway.pay(payment)).status).toBe(200);
  });
});

describe('a payment that was answered before', () => {
  it.each<[string, Partial<ModeCommand>]>([
    ['reset', {}],
    ['500', {}],
    ['bad-json', {}],
    ['invalid', { reason: 'invalid_exact_evm_nonce_already_used' }],
    ['invalid', { reason: 'insufficient_funds' }],
    ['invalid', { reason: 'unexpected_error' }],
  ])('gets its answer again while verify says %s %j', async (mode, more) => {
    const payment = await gateway.aBuyer().sign();
    const first = await gateway.pay(payment);
    expect(first.status).toBe(200);
    at(mode, more);
    const again = await gateway.pay(payment);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.text).toBe(first.text);
    expect(settlementResponseIn(again.headers)).toEqual(settlementResponseIn(first.headers));
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  });
});

describe('the circuit', () => {
  it('opens after ten failures, then answers 502 without a call, and closes after a good probe', async () => {
    at('500');
    const buyer = gateway.aBuyer();
    for (let i = 0; i < 10; i++) await gateway.pay(await buyer.sign());
    const payment = await buyer.sign();
    const { body } = await gateway.pay(payment);
    expect(body.error).toBe('payment_verification_unavailable');
    expect(gateway.callsAbout(payment.nonce).verify).toBe(0);

    control({ mode: 'ok' });
    gateway.clock.advanceMs(5_000);
    expect((await gateway.pay(payment)).status).toBe(200);
    expect((await gateway.pay(await buyer.sign())).status).toBe(200);
  });
});
