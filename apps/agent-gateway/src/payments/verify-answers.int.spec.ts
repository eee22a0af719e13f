import type { ModeCommand } from '@evenkeel/facilitator';
import { aGateway, PATIENT, upTo } from '../gateway.fixture';
import { settlementResponseIn } from './payment.fixture';

const gateway = aGateway({ settings: { ...PATIENT, TRUSTED_PROXY_HOPS: '1' } });
/** For a facilitator that never answers; the other tests allow the time that a busy machine needs. */
const hurried = aGateway({ besides: gateway, settings: { FACILITATOR_VERIFY_TIMEOUT_MS: '300' } });
beforeEach(() => gateway.clock.advanceMs(61_000)); // longer than what a circuit remembers

const at = (mode: string, more: Partial<ModeCommand> = {}) => gateway.control({ mode, on: 'verify', ...more });

const trace = 'The contract function reverted:\nERC20: transfer amount exceeds balance';
const VERDICT = { charged: false, retry: 'pay_again' };
const rejected = (details: object) => [402, 'payment_rejected', { ...details, ...VERDICT }, null];
const NO_FUNDS = 'insufficient_funds';
const unavailable = [502, 'payment_verification_unavailable', { charged: false, retry: 'retry_same' }, '2'];

it.each<[string, Partial<ModeCommand>, unknown[]]>([
  ['invalid', { reason: NO_FUNDS }, rejected({ invalid_reason: NO_FUNDS, code: NO_FUNDS })],
  ['invalid', { reason: 'invalid_payload', status: 400 }, rejected({ invalid_reason: 'invalid_payload' })],
  ['invalid', { reason: trace }, rejected({})],
  ['invalid', { reason: 'unexpected_error' }, unavailable],
  ['reset', {}, unavailable],
  ['hang', {}, unavailable],
  ['500', {}, unavailable],
  ['500', { status: 429 }, unavailable],
  ['bad-json', {}, unavailable],
])('verify answers %s %j: nothing is written, and the same payment may come again', async (mode, more, expected) => {
  const payment = await gateway.aBuyer().sign();
  at(mode, more);
  const { status, headers, body, text } = await (mode === 'hang' ? hurried : gateway).pay(payment);
  expect([status, body.error, body.details, headers.get('retry-after')]).toEqual(expected);
  expect([settlementResponseIn(headers), headers.get('cache-control')]).toEqual([null, 'no-store']);
  const offer = headers.get('payment-required');
  if (status === 402) {
    expect(body).toMatchObject({ x402Version: 1, accepts: [expect.objectContaining({ network: 'base' })] });
    const challenge = JSON.parse(Buffer.from(offer!, 'base64').toString()) as object;
    expect(challenge).toMatchObject({ x402Version: 2, error: 'payment_rejected' });
  } else expect(offer).toBeNull();
  expect(text).not.toContain('ERC20');
  expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
  expect(gateway.callsAbout(payment.nonce).settle).toBe(0);

  gateway.control({ mode: 'ok' });
  const second = await gateway.pay(payment);
  expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, null]);
});

it.each<[string, Partial<ModeCommand>]>([
  ['invalid', { reason: 'invalid_exact_evm_nonce_already_used' }],
  ['500', {}],
])('a payment that was answered by another process gets its answer when verify answers %s', async (mode, more) => {
  const payment = await gateway.aBuyer().sign();
  const first = await gateway.pay(payment);
  at(mode, more);
  const again = await hurried.pay(payment);
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true']);
  expect(settlementResponseIn(again.headers)).toEqual(settlementResponseIn(first.headers));
  expect(gateway.callsAbout(payment.nonce)).toMatchObject({ verify: 2, settle: 1 });
});

describe('the circuit of verify', () => {
  const HOSTILE = '192.0.2.66';
  const HONEST = '198.51.100.7';
  const OK = [200, undefined, true];

  async function payFrom(address: string) {
    const payment = await gateway.aBuyer().sign();
    const { status, body } = await gateway.pay(payment, { headers: { 'x-forwarded-for': address } });
    return [status, body.error, gateway.callsAbout(payment.nonce).verify > 0];
  }

  it.each<[string, Partial<ModeCommand>]>([
    ['unexpected_verify_error', { reason: 'unexpected_verify_error' }],
    ['kyt_risk_detected under 403', { reason: 'kyt_risk_detected', status: 403 }],
    ['a verdict under 429', { reason: 'insufficient_funds', status: 429 }],
  ])('is not opened for others by ten verifies that one buyer makes fail: %s', async (_, mode) => {
    at('invalid', mode);
    for (const _ of upTo(10)) expect((await payFrom(HOSTILE)).at(-1)).toBe(true);
    at('ok');
    expect(await payFrom(HONEST)).toEqual(OK);
  });

  it.each<[string, string, Partial<ModeCommand>]>([
    ['503 without a verdict', '500', { status: 503 }],
    ['broken connections', 'reset', {}],
    ['unexpected_verify_error to ten addresses', 'invalid', { reason: 'unexpected_verify_error' }],
  ])('is opened by %s', async (_, mode, more) => {
    at(mode, more);
    for (const index of upTo(10)) await payFrom(`203.0.113.${index}`);
    expect(await payFrom(HONEST)).toEqual([502, 'payment_verification_unavailable', false]);
    at('ok');
    gateway.clock.advanceMs(5_000);
    expect(await payFrom(HONEST)).toEqual(OK);
  });
});
