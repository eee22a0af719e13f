import { randomUUID } from 'node:crypto';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { ModeCommand } from '@evenkeel/facilitator';
import { eventually } from '@evenkeel/platform/testing';
import type { SignedPayment, Wanted } from '../buyer.fixture';
import { type Gateway, type PaidRequest, type Reply, startGateway } from '../gateway.fixture';
import type { PaymentState } from '../ledger/payment-state';
import { analyze, settlementResponseIn } from './payment.fixture';

const [, , insights, recommend] = PAID_ENDPOINTS;
const otherBody = { habits: [{ name: 'Read', completion_rate: 0.5, current_streak: 1, best_streak: 4 }] };

let gateway: Gateway;
beforeAll(async () => {
  // The machine may be busy. The tests check the answer of each state and measure no time.
  const settings = { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000' };
  gateway = await startGateway({ silentAtOnce: true, settings });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(11_000));

const summary = ({ status, headers, body }: Reply) => ({
  status,
  error: body.error,
  retry: body.details?.retry,
  retryAfter: headers.get('retry-after'),
  replayed: headers.get('idempotent-replayed'),
});
const ok = { status: 200, error: undefined, retry: undefined, retryAfter: null, replayed: null };
const replay = { ...ok, replayed: 'true' };
const used = { ...ok, status: 402, error: 'payment_already_used', retry: 'do_not_retry' };
const inProgress = { ...ok, status: 429, error: 'rate_limited', retry: 'retry_same', retryAfter: '1' };

/** How a first request brings its row into a state, and its answer. */
const FIRST = {
  'settled, answered': { mode: undefined, status: 200, state: 'settled' },
  'settlement_pending, answered': { mode: { mode: 'reset', on: 'settle' }, status: 200, state: 'settlement_pending' },
  'settlement_pending, not answered': {
    mode: { mode: 'refused', reason: 'unexpected_error' },
    status: 502,
    state: 'settlement_pending',
  },
  'needs_reconciliation, not answered': { mode: { mode: 'reverted' }, status: 502, state: 'needs_reconciliation' },
  settlement_failed: { mode: { mode: 'refused' }, status: 402, state: 'settlement_failed' },
} satisfies Record<string, { mode: ModeCommand | undefined; status: number; state: PaymentState }>;
type First = keyof typeof FIRST;
const FIRSTS = Object.keys(FIRST) as First[];

async function firstCall(expected: First = 'settled, answered', wanted: Wanted = {}) {
  const { mode, status, state } = FIRST[expected];
  const payment = await gateway.aBuyer().sign(wanted);
  if (mode) gateway.facilitator.control({ ...mode, count: 1 });
  const first = await gateway.pay(payment);
  const before = await gateway.ledger.entriesOf(payment.nonce);
  expect([first.status, before]).toMatchObject([status, { state, served: status === 200 }]);
  return { payment, first, before };
}

const change = ({ nonce }: SignedPayment, sql: string) =>
  gateway.ledger.dataSource.query(`UPDATE payments SET ${sql} WHERE nonce = $1`, [nonce]);

describe('the identical request again', () => {
  it('needs_reconciliation, answered: the stored answer, pending', async () => {
    const { payment, first } = await firstCall('settlement_pending, answered');
    await change(payment, `state = 'needs_reconciliation'`);
    const again = await gateway.pay(payment);
    expect(summary(again)).toEqual(replay);
    expect(again.text).toBe(first.text);
    expect(settlementResponseIn(again.headers)).toMatchObject({
      success: true,
      transaction: '',
      status: 'settlement_pending',
    });
  });

  it('settled, never answered: 200 now, then a replay', async () => {
    const { payment } = await firstCall('needs_reconciliation, not answered');
    await change(payment, `state = 'settled', settled_at = now()`);
    const again = await gateway.pay(payment);
    const { habits, ...rest } = analyze.exampleInput as unknown as { habits: object[] };
    const reordered = habits.map((habit) => Object.fromEntries(Object.entries(habit).toReversed()));
    const more = await gateway.pay(payment, { body: { ...rest, habits: reordered } });
    expect([summary(again), summary(more)]).toEqual([ok, replay]);
    expect(more.text).toBe(again.text);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ served: true, calls: 1, answers: 1 });
  });

  it('settling: waits to the end of the budget, then 429', async () => {
    const settings = { PAID_ANSWER_BUDGET_MS: '1000' };
    const hurried = await startGateway({ silentAtOnce: true, besides: gateway, settings });
    const { payment } = await firstCall('settlement_pending, not answered');
    await change(payment, `state = 'settling'`);
    const begun = performance.now();
    const answer = await hurried.pay(payment);
    const lastedMs = performance.now() - begun;
    await hurried.close();
    expect(lastedMs).toBeGreaterThan(700);
    expect(summary(answer)).toEqual(inProgress);
    expect(answer.body.details).toEqual({ scope: 'payment_in_progress', charged: null, retry: 'retry_same' });
    expect(summary(await gateway.pay(payment, { body: otherBody }))).toEqual(used);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);

    await gateway.ledger.ageClaims(15_000); // the process that was settling is gone
    expect(summary(await gateway.pay(payment))).toEqual(ok);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', served: true, calls: 1 });
  });
});

describe.each(FIRSTS)('anything else with the authorization: %s', (state) => {
  it.each<[string, (payment: SignedPayment) => string, PaidRequest, object]>([
    ['another body', ({ header }) => header, { body: otherBody }, used],
    ['another endpoint of that price', ({ header }) => header, { endpoint: insights }, used],
    ['another header', ({ reworded }) => reworded({ offer: { network: 'eip155:8453' } }), {}, used],
    ['another version', ({ reworded }) => reworded({ version: 2 }), {}, used],
    ['another form of signature', ({ resigned }) => resigned(), {}, used],
    ['an endpoint of another price', ({ header }) => header, { endpoint: recommend }, { error: 'amount_mismatch' }],
  ])('%s is 402 and changes nothing', async (_, headerOf, request, expected) => {
    const { payment, before } = await firstCall(state);
    const { settle } = gateway.callsAbout(payment.nonce);
    const answer = await gateway.pay(headerOf(payment), request);
    expect(summary(answer)).toMatchObject(expected);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual(before);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(settle);
  });
});

describe('late', () => {
  it('a paid call gets its answer after its authorization has expired', async () => {
    const { payment, first } = await firstCall('settled, answered');
    gateway.clock.advanceMs(301_000);
    const again = await gateway.pay(payment);
    expect([summary(again), again.text]).toEqual([replay, first.text]);
    expect(summary(await gateway.pay(payment, { body: otherBody }))).toEqual(used);
  });

  it('after the replay time: 402, the payment is used', async () => {
    const { payment } = await firstCall('settled, answered');
    gateway.clock.advanceMs(3_599_000);
    expect(summary(await gateway.pay(payment))).toEqual(replay);
    gateway.clock.advanceMs(1_000);
    expect(summary(await gateway.pay(payment))).toEqual(used);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  });
});

describe('a payment identifier', () => {
  const identifier = () => `order-${randomUUID()}`;

  it.each([16, 128])('of %i characters with another payment: 402, and nothing is written', async (length) => {
    const buyer = gateway.aBuyer();
    const id = 'i'.repeat(length);
    const [one, other] = [
      await buyer.sign({ version: 2, identifier: id }),
      await buyer.sign({ version: 2, identifier: id }),
    ];
    expect(summary(await gateway.pay(one))).toEqual(ok);
    expect(summary(await gateway.pay(other))).toEqual(used);
    expect(await gateway.ledger.entriesOf(other.nonce)).toBeNull();
    expect(summary(await gateway.pay(one))).toEqual(replay);
  });

  it('belongs to its payer', async () => {
    const id = identifier();
    for (const buyer of [gateway.aBuyer(), gateway.aBuyer()]) {
      expect(summary(await gateway.pay(await buyer.sign({ version: 2, identifier: id })))).toEqual(ok);
    }
  });
});

/** A gateway with other settings on the same ledger. */
const others = new Map<string, Gateway>();
beforeAll(async () => {
  const otherPayTo = '0x00000000000000000000000000000000000000A1';
  for (const [name, settings] of Object.entries({
    keyed: { PAYMENT_REPLAY: 'keyed' },
    off: { PAYMENT_REPLAY: 'off' },
    'other recipient': { X402_PAY_TO: otherPayTo },
    'other token': { X402_ASSET: otherPayTo, X402_ASSET_NAME: 'Play' },
    'other keys': { ANSWER_KEYS: `other:${Buffer.alloc(32, 8).toString('base64')}` },
  })) {
    others.set(name, await startGateway({ besides: gateway, settings }));
  }
});
afterAll(async () => {
  for (const other of others.values()) await other.close();
});

const replayed = ({ status, body, headers }: Reply) => [status, body.error ?? headers.get('idempotent-replayed')];
const key = (value: string) => ({ headers: { 'idempotency-key': value } });

describe('PAYMENT_REPLAY=keyed', () => {
  it.each<[string, object, object, unknown]>([
    ['the same key', key('k1'), key('k1'), [200, 'true']],
    ['another key', key('k1'), key('k2'), [402, 'payment_already_used']],
    ['no key the second time', key('k1'), {}, [402, 'payment_already_used']],
    ['no key the first time', {}, key('k1'), [402, 'payment_already_used']],
    ['no key at all', {}, {}, [402, 'payment_already_used']],
  ])('%s', async (_, first, again, expected) => {
    const keyed = others.get('keyed')!;
    const payment = await keyed.aBuyer().sign();
    expect(replayed(await keyed.pay(payment, first))).toEqual([200, null]);
    expect(replayed(await keyed.pay(payment, again))).toEqual(expected);
  });

  it('copies that come at once share an answer by an equal key alone', async () => {
    const keyed = others.get('keyed')!;
    const payment = await keyed.aBuyer().sign();
    keyed.facilitator.control({ mode: 'slow', on: 'settle', ms: 1_000, count: 1 });
    const first = keyed.pay(payment, key('k1'));
    await eventually(() => keyed.callsAbout(payment.nonce).settle === 1);
    const copies = await Promise.all([key('k1'), key('k2'), {}].map((request) => keyed.pay(payment, request)));
    expect([await first, ...copies].map(replayed)).toEqual([
      [200, null],
      [200, 'true'],
      [402, 'payment_already_used'],
      [402, 'payment_already_used'],
    ]);
  });

  it('a payment identifier is a key', async () => {
    const keyed = others.get('keyed')!;
    const payment = await keyed.aBuyer().sign({ version: 2, identifier: 'an-identifier-of-mine' });
    expect(replayed(await keyed.pay(payment))).toEqual([200, null]);
    expect(replayed(await keyed.pay(payment))).toEqual([200, 'true']);
  });

  it('a settled payment without an answer gets one without a key', async () => {
    const keyed = others.get('keyed')!;
    const payment = await keyed.aBuyer().sign();
    keyed.facilitator.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
    expect((await keyed.pay(payment)).status).toBe(502);
    expect(replayed(await keyed.pay(payment))).toEqual([200, null]);
  });
});

describe('PAYMENT_REPLAY=off', () => {
  it('gives an answer once, and still settles once', async () => {
    const off = others.get('off')!;
    const payment = await off.aBuyer().sign();
    const answers = await Promise.all([1, 2, 3].map(() => off.pay(payment, key('k1'))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 402, 402]);
    expect(replayed(await off.pay(payment, key('k1')))).toEqual([402, 'payment_already_used']);
    expect(off.callsAbout(payment.nonce).settle).toBe(1);
  });
});

describe('settings that have changed since', () => {
  it.each<[string, 1 | 2, string]>([
    ['other recipient', 1, 'wrong_recipient'],
    ['other token', 2, 'wrong_asset'],
  ])('%s: a paid call is still answered, anything else is refused', async (name, version, code) => {
    const changed = others.get(name)!;
    const payment = await gateway.aBuyer().sign({ version });
    const first = await gateway.pay(payment);
    const again = await changed.pay(payment);
    expect(replayed(again)).toEqual([200, 'true']);
    expect(again.text).toBe(first.text);
    expect(settlementResponseIn(again.headers)).toEqual(settlementResponseIn(first.headers));

    const body = { habits: [{ name: 'Read', completion_rate: 1, current_streak: 1, best_streak: 1 }] };
    expect(replayed(await changed.pay(payment, { body }))).toEqual([402, code]);
    expect(replayed(await changed.pay(await gateway.aBuyer().sign({ version })))).toEqual([402, code]);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  });

  it('without the key of an answer: the answer is read as expired', async () => {
    const payment = await gateway.aBuyer().sign();
    expect((await gateway.pay(payment)).status).toBe(200);
    expect(replayed(await others.get('other keys')!.pay(payment))).toEqual([402, 'payment_already_used']);
    expect(replayed(await gateway.pay(payment))).toEqual([200, 'true']);
  });
});
