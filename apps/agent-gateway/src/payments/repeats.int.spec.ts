import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { ModeCommand } from '@evenkeel/facilitator';
import { eventually } from '@evenkeel/platform/testing';
import type { Environment } from '@evenkeel/platform/config';
import type { SignedPayment, Wanted } from '../buyer.fixture';
import { aGateway, PATIENT, type Gateway, type PaidRequest, type Reply, startGateway } from '../gateway.fixture';
import type { PaymentState } from '../ledger/payment-state';
import { analyze, otherBody, settlementResponseIn } from './payment.fixture';

const [, , insights, recommend] = PAID_ENDPOINTS;
const OTHER_ADDRESS = '0x00000000000000000000000000000000000000A1';

const gateway = aGateway({ silentAtOnce: true, settings: PATIENT });
beforeEach(() => gateway.clock.advanceMs(11_000));

/** A gateway with other settings on the same ledger. */
const beside = (settings: Environment) => aGateway({ besides: gateway, silentAtOnce: true, settings });

const said = ({ status, headers, body }: Reply) => [status, body.error ?? headers.get('idempotent-replayed')];
const FIRST_ANSWER = [200, null];
const REPLAY = [200, 'true'];
const USED = [402, 'payment_already_used'];
const WRONG_PRICE = [402, 'amount_mismatch'];
const key32 = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const key = (value: string) => ({ headers: { 'idempotency-key': value } });

/** How a first request brings its row into a state, and its answer. */
const FIRST: Record<string, [ModeCommand | null, number, PaymentState]> = {
  'settled, answered': [null, 200, 'settled'],
  'settlement_pending, answered': [{ mode: 'reset', on: 'settle' }, 200, 'settlement_pending'],
  'settlement_pending, not answered': [{ mode: 'refused', reason: 'unexpected_error' }, 502, 'settlement_pending'],
  'needs_reconciliation, not answered': [{ mode: 'reverted' }, 502, 'needs_reconciliation'],
  settlement_failed: [{ mode: 'refused' }, 402, 'settlement_failed'],
};

async function firstCall(expected = 'settled, answered', wanted: Wanted = {}) {
  const [mode, status, state] = FIRST[expected]!;
  const payment = await gateway.aBuyer().sign(wanted);
  if (mode) gateway.control({ ...mode, count: 1 });
  const first = await gateway.pay(payment);
  const before = await gateway.ledger.entriesOf(payment.nonce);
  expect([first.status, before]).toMatchObject([status, { state, served: status === 200 }]);
  return { payment, first, before };
}

const change = ({ nonce }: SignedPayment, sql: string) =>
  gateway.query(`UPDATE payments SET ${sql} WHERE nonce = $1`, [nonce]);

describe('the identical request again', () => {
  it('needs_reconciliation, answered: the stored answer, pending', async () => {
    const { payment, first } = await firstCall('settlement_pending, answered');
    await change(payment, `state = 'needs_reconciliation'`);
    const again = await gateway.pay(payment);
    expect([said(again), again.text]).toEqual([REPLAY, first.text]);
    const pending = { success: true, transaction: '', status: 'settlement_pending' };
    expect(settlementResponseIn(again.headers)).toMatchObject(pending);
  });

  it('settled, never answered: 200 now, then a replay, whatever the order of members', async () => {
    const { payment } = await firstCall('needs_reconciliation, not answered');
    await change(payment, `state = 'settled', settled_at = now()`);
    const again = await gateway.pay(payment);
    const reordered = Object.fromEntries(Object.entries(analyze.exampleInput).toReversed());
    const more = await gateway.pay(payment, { body: reordered });
    expect([said(again), said(more), more.text]).toEqual([FIRST_ANSWER, REPLAY, again.text]);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ served: true, calls: 1, answers: 1 });
  });

  it('settling: waits to the end of its time, then 429; once its process must be gone it settles', async () => {
    const hurried = await startGateway({ besides: gateway, settings: { PAID_ANSWER_BUDGET_MS: '1000' } });
    const { payment } = await firstCall('settlement_pending, not answered');
    await change(payment, `state = 'settling'`);
    const begun = performance.now();
    const answer = await hurried.pay(payment);
    expect(performance.now() - begun).toBeGreaterThan(700);
    await hurried.close();
    expect([said(answer), answer.headers.get('retry-after')]).toEqual([[429, 'rate_limited'], '1']);
    expect(answer.body.details).toEqual({ scope: 'payment_in_progress', charged: null, retry: 'retry_same' });
    expect(said(await gateway.pay(payment, { body: otherBody }))).toEqual(USED);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);

    await gateway.ledger.ageClaims(15_000);
    expect(said(await gateway.pay(payment))).toEqual(FIRST_ANSWER);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', served: true, calls: 1 });
  });

  it('is answered after its authorization has expired, until the replay time is over', async () => {
    const { payment, first } = await firstCall();
    gateway.clock.advanceMs(3_599_000);
    const again = await gateway.pay(payment);
    expect([said(again), again.text]).toEqual([REPLAY, first.text]);
    expect(said(await gateway.pay(payment, { body: otherBody }))).toEqual(USED);
    gateway.clock.advanceMs(1_000);
    const over = await gateway.pay(payment);
    expect([said(over), over.body.details]).toEqual([USED, { charged: false, retry: 'do_not_retry' }]);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  });
});

describe('anything else with the authorization is 402 and changes nothing:', () => {
  type Other = (payment: SignedPayment) => Parameters<Gateway['pay']>;
  const bodies = Object.keys(FIRST).map((first): [string, Other, string] => {
    return ['another body', (payment) => [payment, { body: otherBody }], first];
  });

  it.each<[string, Other, string?, unknown?]>([
    ...bodies,
    ['another endpoint of that price', (payment) => [payment, { endpoint: insights }]],
    ['an endpoint of another price', (payment) => [payment, { endpoint: recommend }], undefined, WRONG_PRICE],
    ['another header', ({ reworded }) => [reworded({ offer: { network: 'eip155:8453' } })]],
    ['another version', ({ reworded }) => [reworded({ version: 2 })]],
    ['another form of signature', ({ resigned }) => [resigned()]],
  ])('%s', async (...[, other, first, refusal = USED]) => {
    const { payment, before } = await firstCall(first);
    const { settle } = gateway.callsAbout(payment.nonce);
    expect(said(await gateway.pay(...other(payment)))).toEqual(refusal);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual(before);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(settle);
  });

  it('a payment identifier of its payer with another payment', async () => {
    const [buyer, wanted] = [gateway.aBuyer(), { version: 2, identifier: 'i'.repeat(128) } as const];
    const [one, other] = [await buyer.sign(wanted), await buyer.sign(wanted)];
    expect(said(await gateway.pay(one))).toEqual(FIRST_ANSWER);
    const refused = await gateway.pay(other);
    // The authorization is new: who signs a new one with the same identifier meets this again.
    expect([said(refused), refused.body.message]).toEqual([USED, expect.stringContaining('payment identifier')]);
    expect(await gateway.ledger.entriesOf(other.nonce)).toBeNull();
    expect(said(await gateway.pay(await gateway.aBuyer().sign(wanted)))).toEqual(FIRST_ANSWER);
  });
});

/** What the free status of a payment says about a repeat; the time until which it gets the answer has to agree. */
async function adviceOf(asked: Gateway, { nonce }: SignedPayment): Promise<unknown> {
  const { body } = await asked.send(`/agent/v1/payments/${nonce}`);
  const { retry, answer_available_until: until } = body as { retry?: string; answer_available_until?: string | null };
  expect(typeof until).toBe(retry === 'retry_same' ? 'string' : 'object');
  return retry;
}

describe('PAYMENT_REPLAY=keyed', () => {
  const keyed = beside({ PAYMENT_REPLAY: 'keyed' });

  it.each<[string, Wanted, PaidRequest, PaidRequest, unknown]>([
    ['the same key', {}, key('k1'), key('k1'), REPLAY],
    ['another key', {}, key('k1'), key('k2'), USED],
    ['no key the first time', {}, {}, key('k1'), USED],
    ['no key at all', {}, {}, {}, USED],
    ['a payment identifier', { version: 2, identifier: 'an-identifier-of-mine' }, {}, {}, REPLAY],
  ])('%s', async (_, wanted, first, again, expected) => {
    const payment = await gateway.aBuyer().sign(wanted);
    expect(said(await keyed.pay(payment, first))).toEqual(FIRST_ANSWER);
    expect(said(await keyed.pay(payment, again))).toEqual(expected);
    // The caller with the key of the first request may repeat it; without a key, none may.
    const hasKey = first.headers !== undefined || wanted.identifier !== undefined;
    expect(await adviceOf(keyed, payment)).toBe(hasKey ? 'retry_same' : 'do_not_retry');
  });

  it('copies that come at once share an answer by an equal key alone', async () => {
    const payment = await gateway.aBuyer().sign();
    gateway.control({ mode: 'slow', on: 'settle', ms: 1_000, count: 1 });
    const first = keyed.pay(payment, key('k1'));
    await eventually(() => gateway.callsAbout(payment.nonce).settle === 1);
    const copies = await Promise.all([key('k1'), key('k2'), {}].map((request) => keyed.pay(payment, request)));
    expect([await first, ...copies].map(said)).toEqual([FIRST_ANSWER, REPLAY, USED, USED]);
  });
});

const off = beside({ PAYMENT_REPLAY: 'off' });
it('PAYMENT_REPLAY=off gives an answer once, and still settles once', async () => {
  const payment = await gateway.aBuyer().sign();
  const answers = await Promise.all([1, 2, 3].map(() => off.pay(payment, key('k1'))));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 402, 402]);
  expect(said(await off.pay(payment, key('k1')))).toEqual(USED);
  expect(await adviceOf(off, payment)).toBe('do_not_retry');
  expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  expect((await off.send('/llms.txt')).text).toContain('after its answer it is refused (402 payment_already_used)');
});

describe.each<[string, Environment, 1 | 2, string]>([
  ['recipient', { X402_PAY_TO: OTHER_ADDRESS }, 1, 'wrong_recipient'],
  ['token', { X402_ASSET: OTHER_ADDRESS, X402_ASSET_NAME: 'Play' }, 2, 'wrong_asset'],
])('another %s since', (_, settings, version, code) => {
  const changed = beside({ ...settings, ANSWER_KEYS: `new:${key32(8)},test:${key32(7)}` });

  it('and a newer key: a paid call is still answered, anything else is refused', async () => {
    const { payment, first } = await firstCall('settled, answered', { version });
    const again = await changed.pay(payment);
    expect([said(again), again.text]).toEqual([REPLAY, first.text]);
    expect(settlementResponseIn(again.headers)).toEqual(settlementResponseIn(first.headers));
    expect(said(await changed.pay(payment, { body: otherBody }))).toEqual([402, code]);
    expect(said(await changed.pay(await gateway.aBuyer().sign({ version })))).toEqual([402, code]);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  });
});
