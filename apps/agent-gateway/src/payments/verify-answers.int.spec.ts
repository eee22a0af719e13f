import type { ControlCommand, ModeCommand } from '@evenkeel/facilitator';
import { type Gateway, startGateway } from '../gateway.fixture';
import { settlementResponseIn } from './payment.fixture';

let gateway: Gateway;
/** For a facilitator that answers too late or never; the other tests allow the time that a busy machine needs. */
let hurried: Gateway;
beforeAll(async () => {
  const patience = { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000' };
  gateway = await startGateway({ settings: { ...patience, TRUSTED_PROXY_HOPS: '1' } });
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
    ['500', {}],
    ['500', { status: 403 }],
    ['500', { status: 429 }],
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

describe('the circuit of verify', () => {
  beforeEach(() => gateway.clock.advanceMs(50_000)); // with those of every test longer than what a circuit remembers

  const HOSTILE = '192.0.2.66';
  const HONEST = '198.51.100.7';

  async function payFrom(address: string) {
    const payment = await gateway.aBuyer().sign();
    const { status, body } = await gateway.pay(payment, { headers: { 'x-forwarded-for': address } });
    return { status, error: body.error, asked: gateway.callsAbout(payment.nonce).verify > 0 };
  }

  async function payOften(times: number, addressOf: (index: number) => string) {
    const answers: Awaited<ReturnType<typeof payFrom>>[] = [];
    for (let index = 0; index < times; index++) answers.push(await payFrom(addressOf(index)));
    return answers;
  }

  const ok = { status: 200, error: undefined, asked: true };
  const unavailable = { status: 502, error: 'payment_verification_unavailable' };
  const rejected = { status: 402, error: 'payment_rejected' };

  describe('ten verifies that one buyer makes fail do not open the circuit for others', () => {
    it.each<[string, Partial<ModeCommand>, object]>([
      ['unexpected_verify_error', { reason: 'unexpected_verify_error' }, unavailable],
      ['unexpected_error under 400', { reason: 'unexpected_error', status: 400 }, unavailable],
      ['unexpected_verify_error under 500', { reason: 'unexpected_verify_error', status: 500 }, unavailable],
      ['kyt_risk_detected under 403', { reason: 'kyt_risk_detected', status: 403 }, rejected],
      ['a verdict under 429', { reason: 'insufficient_funds', status: 429 }, rejected],
    ])('%s', async (_, mode, answer) => {
      at('invalid', mode);
      for (const one of await payOften(10, () => HOSTILE)) expect(one).toEqual({ ...answer, asked: true });
      at('ok');
      expect(await payFrom(HONEST)).toEqual(ok);
    });
  });

  describe('a facilitator that is down opens the circuit', () => {
    it.each<[string, string, Partial<ModeCommand>]>([
      ['503 without a verdict', '500', { status: 503 }],
      ['403 without a verdict', '500', { status: 403 }],
      ['broken connections', 'reset', {}],
      ['unexpected_verify_error to ten addresses', 'invalid', { reason: 'unexpected_verify_error' }],
    ])('%s', async (_, mode, more) => {
      at(mode, more);
      await payOften(10, (index) => `203.0.113.${index}`);
      expect(await payFrom(HONEST)).toEqual({ ...unavailable, asked: false });
      at('ok');
      gateway.clock.advanceMs(5_000);
      expect(await payFrom(HONEST)).toEqual(ok);
    });
  });

  describe('a circuit that is half open', () => {
    beforeEach(async () => {
      at('500');
      await payOften(10, () => HONEST);
      gateway.clock.advanceMs(5_000);
    });

    it('lets the next caller probe when one caller wastes the probe on purpose', async () => {
      at('invalid', { reason: 'unexpected_verify_error' });
      const answers = await payOften(3, () => HOSTILE);
      expect(answers.map(({ asked }) => asked)).toEqual([true, false, false]);
      at('ok');
      expect(await payFrom(HONEST)).toEqual(ok);
      expect(await payFrom(HOSTILE)).toEqual(ok);
    });

    it('lets five callers probe a facilitator that is still down, then waits again', async () => {
      const answers = await payOften(8, (index) => `203.0.113.${index}`);
      expect(answers.map(({ asked }) => asked)).toEqual([true, true, true, true, true, false, false, false]);
      gateway.clock.advanceMs(5_000);
      at('ok');
      expect(await payFrom(HONEST)).toEqual(ok);
    });
  });
});
