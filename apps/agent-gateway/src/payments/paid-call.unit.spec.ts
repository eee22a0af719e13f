import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import { Deadline } from '../calls/deadline';
import type { PaymentRow } from '../ledger/ledger.entities';
import type { UnprovedAttempt } from '../limits/caller-limits';
import { PaidCall, ReplayPolicy } from './paid-call';
import { analyze, aPayment } from './payment.fixture';

type Mode = AgentGatewayConfig['PAYMENT_REPLAY'];
const policy = (PAYMENT_REPLAY: Mode) => new ReplayPolicy({ PAYMENT_REPLAY } as AgentGatewayConfig);

interface Keys {
  identifier?: string;
  key?: string;
}
const row = ({ identifier, key }: Keys = {}) =>
  ({ paymentIdentifier: identifier ?? null, idempotencyKey: key ?? null }) as PaymentRow;

function aCall({ identifier, key }: Keys = {}, value: object = analyze.exampleInput): PaidCall {
  const extensions = identifier && { 'payment-identifier': { info: { id: identifier } } };
  const facts = {
    surface: 'http' as const,
    endpoint: analyze,
    value,
    input: value,
    warnings: [],
    idempotencyKey: key ?? null,
    requestId: 'request-1',
    deadline: new Deadline(5_000),
  };
  const payment = aPayment({ version: 2, extensions: extensions || undefined });
  return new PaidCall(facts, payment, {} as UnprovedAttempt);
}

const identifier = 'a-payment-identifier';

describe('who may get an answer a second time', () => {
  it.each<[Mode, Keys, Keys, boolean]>([
    ['identical', {}, {}, true],
    ['identical', { key: 'k' }, {}, true],
    ['off', {}, {}, false],
    ['off', { key: 'k' }, { key: 'k' }, false],
    ['off', { identifier }, { identifier }, false],
    ['keyed', {}, {}, false],
    ['keyed', {}, { key: 'k' }, false],
    ['keyed', { key: 'k' }, {}, false],
    ['keyed', { key: 'k' }, { key: 'other' }, false],
    ['keyed', { key: 'k' }, { key: 'k' }, true],
    ['keyed', { identifier }, { identifier }, true],
  ])('%s: first with %j, then with %j: %p', (mode, first, repeat, allowed) => {
    expect(policy(mode).allows(row(first), aCall(repeat))).toBe(allowed);
  });
});

describe('which copies share an answer while it is made', () => {
  const share = (mode: Mode, one: PaidCall, other: PaidCall) => {
    const [first, second] = [policy(mode).joinKey(one), policy(mode).joinKey(other)];
    return first !== null && first === second;
  };

  it.each<[Mode, Keys, Keys, boolean]>([
    ['identical', {}, {}, true],
    ['identical', { key: 'k' }, { key: 'other' }, true],
    ['keyed', {}, {}, false],
    ['keyed', { key: 'k' }, { key: 'k' }, true],
    ['keyed', { key: 'k' }, { key: 'other' }, false],
    ['keyed', { identifier }, { identifier }, true],
    ['off', {}, {}, false],
    ['off', { key: 'k' }, { key: 'k' }, false],
  ])('%s: with %j and with %j: %p', (mode, one, other, shared) => {
    expect(share(mode, aCall(one), aCall(other))).toBe(shared);
  });

  it('calls with another body or another payment never do', () => {
    const otherBody = aCall({}, { habits: [{ name: 'Read', completion_rate: 1, current_streak: 1, best_streak: 1 }] });
    expect(share('identical', aCall(), otherBody)).toBe(false);
    expect(share('identical', aCall(), aCall({ identifier }))).toBe(false);
  });
});

describe('the fingerprint of a request', () => {
  const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
  const reordered = { best_streak: 2, current_streak: 1, completion_rate: 0.5, name: 'Run' };
  it('is that of the canonical body', () => {
    expect(aCall({}, { habits: [habit] }).fingerprint).toBe(aCall({}, { habits: [reordered] }).fingerprint);
    expect(aCall({}, { habits: [habit] }).fingerprint).not.toBe(aCall({}, { habits: [habit, habit] }).fingerprint);
    expect(aCall({}, { habits: [habit] }).fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });
});
