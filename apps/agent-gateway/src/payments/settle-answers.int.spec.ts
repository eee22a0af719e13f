import type { ControlCommand, ModeCommand } from '@evenkeel/facilitator';
import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { startGateway, type Gateway } from '../gateway.fixture';
import type { PaymentEntries } from '../ledger/claim.fixture';
import { settlementResponseIn } from './payment.fixture';

let gateway: Gateway;
/** For a facilitator that never answers; the other tests allow the time that a busy machine needs. */
let hurried: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    silentAtOnce: true,
    settings: { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000' },
  });
  hurried = await startGateway({
    silentAtOnce: true,
    besides: gateway,
    settings: { FACILITATOR_SETTLE_TIMEOUT_MS: '300' },
  });
});
afterAll(async () => {
  await hurried.close();
  await gateway.close();
});
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(() => control({ mode: 'ok' }));

const control = (command: ControlCommand) => gateway.facilitator.control(command);
const at = (mode: string, more: Partial<ModeCommand>) => control({ mode, ...more });

const HASH = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const NO_MONEY = 'invalid_exact_evm_insufficient_balance';
const NONCE_USED = 'invalid_exact_evm_nonce_already_used';
const REVERTED = 'invalid_exact_evm_transaction_failed';

const base: PaymentEntries = {
  state: 'settled',
  served: false,
  reason: null,
  transactionHash: null,
  calls: 0,
  answers: 0,
  checked: false,
  events: [],
};
const answered = { served: true, calls: 1, answers: 1 };
const pending = { state: 'settlement_pending', checked: true, events: ['payment.settlement-pending'] } as const;
const contested = { ...pending, state: 'needs_reconciliation' } as const;

const paid = { settledMicros: 50_000, calls: 1, unpaidCalls: 0, eventSeq: 1 };
const unpaid = { settledMicros: 0, calls: 0, unpaidCalls: 0, eventSeq: 1 };

async function payOnce(mode: string, more: Partial<ModeCommand>) {
  const buyer = gateway.aBuyer();
  const payment = await buyer.sign();
  at(mode, { ...more, count: 1 });
  const answer = await (mode === 'hang' ? hurried : gateway).pay(payment);
  return { buyer, payment, answer, repeat: () => gateway.pay(payment.respelled()) };
}

describe('settled', () => {
  it.each<[string, Partial<ModeCommand>, unknown]>([
    ['ok', {}, HASH],
    ['settled-without-hash', {}, null],
  ])(
    '%s %j: 200 with a settlement response; a repeat gets the same answer and settles nothing',
    async (mode, more, hash) => {
      const { buyer, payment, answer, repeat } = await payOnce(mode, more);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
      const receipt = { success: true, transaction: hash ?? '', network: 'base', amount: '50000', status: 'settled' };
      expect(settlementResponseIn(answer.headers)).toEqual({ ...receipt, payer: payment.authorization.from });
      const recorded = { ...base, ...answered, transactionHash: hash, events: ['payment.settled'] };
      expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual(recorded);
      expect(await gateway.ledger.wallet(buyer.wallet)).toEqual(paid);

      const again = await repeat();
      expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, answer.text, 'true']);
      expect(settlementResponseIn(again.headers)).toEqual(settlementResponseIn(answer.headers));
      expect(again.headers.get('content-digest')).toBe(answer.headers.get('content-digest'));
      expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual(recorded);
      expect(await gateway.ledger.wallet(buyer.wallet)).toEqual(paid);
      expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 1, settle: 1, bodies: 1 });
    },
  );
});

describe('a definite refusal', () => {
  it.each<[string, Partial<ModeCommand>, string]>([
    ['refused', {}, NO_MONEY],
    ['refused', { status: 403, reason: 'kyt_risk_detected' }, 'kyt_risk_detected'],
  ])('%s %j: 402 settlement_failed, and 402 again without another settle', async (mode, more, reason) => {
    const { buyer, payment, answer, repeat } = await payOnce(mode, more);
    const recorded = { ...base, state: 'settlement_failed', reason, events: ['payment.settlement-failed'] };
    for (const { status, headers, body } of [answer, await repeat()]) {
      expect([status, body.error, headers.get('cache-control')]).toEqual([402, 'settlement_failed', 'no-store']);
      expect(body.details).toEqual({ error_reason: reason, charged: false, retry: 'pay_again' });
      expect(settlementResponseIn(headers)).toMatchObject({ success: false, errorReason: reason, transaction: '' });
      expect(headers.get('payment-required')).not.toBeNull();
      expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual(recorded);
    }
    expect(await gateway.ledger.wallet(buyer.wallet)).toEqual(unpaid);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  });
});

describe('no usable answer', () => {
  it.each<[string, Partial<ModeCommand>, string | null]>([
    ['reset', {}, null],
    ['hang', {}, null],
    ['500', {}, null],
    ['bad-json', {}, null],
    ['settled-but-answer-lost', {}, null],
    ['pending-then-success', {}, 'settlement_pending'],
    ['pending-then-never', {}, 'settlement_pending'],
  ])('%s %j: 200 settlement_pending, and the same again without another settle', async (mode, more, reason) => {
    const { buyer, payment, answer, repeat } = await payOnce(mode, { on: 'settle', ...more });
    const again = await repeat();
    for (const { status, headers, text } of [answer, again]) {
      expect([status, text]).toEqual([200, answer.text]);
      expect(settlementResponseIn(headers)).toMatchObject({
        success: true,
        transaction: '',
        status: 'settlement_pending',
      });
    }
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual({ ...base, ...answered, ...pending, reason });
    expect(await gateway.ledger.wallet(buyer.wallet)).toEqual(unpaid);
    expect((await gateway.ledger.events(payment.nonce))[0]).toMatchObject({ served: true, reason });
    // Another process has not answered it: it verifies once more, as the repeat spells it.
    const verify = mode === 'hang' ? 2 : 1;
    expect(gateway.callsAbout(payment.nonce)).toEqual({ verify, settle: 1, bodies: verify });
  });
});

describe('silence, unless settle was awaited for three seconds', () => {
  let patient: Gateway;
  let brief: Gateway;
  beforeAll(async () => {
    const times = { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000' };
    const settleWithin = (ms: number) => ({ ...times, FACILITATOR_SETTLE_TIMEOUT_MS: String(ms) });
    patient = await startGateway({ besides: gateway, settings: settleWithin(3_500) });
    brief = await startGateway({ besides: gateway, settings: settleWithin(1_000) });
  });
  afterAll(() => Promise.all([patient.close(), brief.close()]));

  it.each<[string, Partial<ModeCommand>, () => Gateway]>([
    ['reset', {}, () => patient],
    ['500', {}, () => patient],
    ['bad-json', {}, () => patient],
    ['hang', {}, () => brief],
  ])('%s %j: 502, and a repeat that meets it again is not served either', async (mode, more, to) => {
    const payment = await gateway.aBuyer().sign();
    at(mode, { on: 'settle', ...more });
    for (let times = 0; times < 2; times++) {
      const { status, body } = await to().pay(payment);
      expect([status, body.error, body.details?.charged]).toEqual([502, 'settlement_unknown', null]);
      expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ served: false, calls: 0, answers: 0 });
    }
    control({ mode: 'ok' });
    await eventually(async () => expect((await patient.pay(payment)).status).toBe(200));
  });

  it('then 200 settlement_pending', async () => {
    at('hang', { on: 'settle', count: 1 });
    const { status, headers } = await patient.pay(await gateway.aBuyer().sign());
    expect([status, settlementResponseIn(headers)?.status]).toEqual([200, 'settlement_pending']);
  });
});

describe('an answer that decides nothing', () => {
  it.each<[string, Partial<ModeCommand>, string | null]>([
    ['refused', { reason: 'unexpected_error' }, 'unexpected_error'],
    ['500-with-reason', { on: 'settle' }, NO_MONEY],
    ['refused', { status: 400, reason: 'invalid_payload' }, 'invalid_payload'],
  ])('%s %j: 502, never served; the repeat settles the same bytes and is answered', async (mode, more, reason) => {
    const { buyer, payment, answer, repeat } = await payOnce(mode, more);
    const { status, headers, body } = answer;
    expect([status, body.error, headers.get('retry-after')]).toEqual([502, 'settlement_unknown', '5']);
    expect(body.details).toEqual({ charged: null, retry: 'retry_same' });
    expect([headers.get('payment-required'), settlementResponseIn(headers)]).toEqual([null, null]);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual({ ...base, ...pending, reason });
    expect(await gateway.ledger.wallet(buyer.wallet)).toEqual(unpaid);

    const again = await repeat();
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(settlementResponseIn(again.headers)).toMatchObject({ status: 'settled', transaction: HASH });
    const events = [...pending.events, 'payment.settled'];
    const recorded = { ...base, ...answered, transactionHash: HASH, events };
    expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual(recorded);
    expect(await gateway.ledger.wallet(buyer.wallet)).toEqual({ ...paid, eventSeq: 2 });
    expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 1, settle: 2, bodies: 1 });
    expect((await repeat()).headers.get('idempotent-replayed')).toBe('true');
  });

  it('duplicate: 502; the repeat finds the nonce used: a person must decide', async () => {
    const { payment, answer, repeat } = await payOnce('duplicate', {});
    expect([answer.status, answer.body.error]).toEqual([502, 'settlement_unknown']);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual({
      ...base,
      ...pending,
      reason: 'duplicate_settlement',
    });

    const again = await repeat();
    expect([again.status, again.body.error]).toEqual([502, 'settlement_unknown']);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({
      state: 'needs_reconciliation',
      served: false,
    });
    expect(gateway.callsAbout(payment.nonce)).toMatchObject({ settle: 2, bodies: 1 });
  });

  it('refused at the repeat: a later refusal proves nothing about the first settle', async () => {
    const { payment, repeat } = await payOnce('refused', { reason: 'unexpected_error' });
    at('refused', { count: 1 });
    const again = await repeat();
    expect([again.status, again.body.error]).toEqual([502, 'settlement_unknown']);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ ...pending, reason: 'unexpected_error' });
  });
});

describe('ten settles that one wallet makes fail', () => {
  it.each<[string, Partial<ModeCommand>]>([
    ['refused', { status: 400, reason: 'invalid_payload' }],
    ['500-with-reason', { reason: 'unexpected_settle_error' }],
  ])('%s %j: do not keep other wallets from being settled', async (mode, more) => {
    const hostile = gateway.aBuyer();
    at(mode, { on: 'settle', ...more });
    for (let i = 0; i < 10; i++) expect((await gateway.pay(await hostile.sign())).status).toBe(502);
    control({ mode: 'ok' });
    expect((await gateway.pay(await gateway.aBuyer().sign())).status).toBe(200);
  });
});

describe('the chain has decided', () => {
  it.each<[string, string, unknown]>([
    ['reverted', REVERTED, HASH],
    ['cancelled-after-verify', NONCE_USED, null],
    ['submitted-after-verify', NONCE_USED, null],
  ])('%s: 502, neither served nor revenue, and a repeat waits for a person', async (mode, reason, transactionHash) => {
    const { buyer, payment, answer, repeat } = await payOnce(mode, {});
    expect([answer.status, answer.body.error]).toEqual([502, 'settlement_unknown']);
    const recorded = { ...base, ...contested, reason, transactionHash };
    expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual(recorded);

    const { status, body, headers } = await repeat();
    expect([status, body.error, headers.get('retry-after')]).toEqual([502, 'settlement_unknown', '600']);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual(recorded);
    expect(await gateway.ledger.wallet(buyer.wallet)).toEqual(unpaid);
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  });
});

it('the audit finds nothing', async () => {
  await eventually(async () => expect(await audit(gateway.ledger.dataSource)).toEqual([]));
});
