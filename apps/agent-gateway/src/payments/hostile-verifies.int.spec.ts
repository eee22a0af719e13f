import type { ModeCommand } from '@evenkeel/facilitator';
import { startGateway, type Gateway } from '../gateway.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { TRUSTED_PROXY_HOPS: '1' } });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(61_000)); // the circuit breaker forgets the test before
afterEach(() => gateway.facilitator.control({ mode: 'ok' }));

const HOSTILE = '192.0.2.66';
const HONEST = '198.51.100.7';
const at = (mode: string, more: Partial<ModeCommand> = {}) =>
  gateway.facilitator.control({ mode, on: 'verify', ...more });

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
