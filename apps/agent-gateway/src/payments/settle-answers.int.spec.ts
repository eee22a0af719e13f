import type { ModeCommand } from '@evenkeel/facilitator';
import { eventually } from '@evenkeel/platform/testing';
import { aGateway, PATIENT, type Reply } from '../gateway.fixture';
import { settlementResponseIn } from './payment.fixture';

const HASH = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const gateway = aGateway({ silentAtOnce: true, settings: PATIENT, audited: true });
const waitingFor = (ms: string) => ({ besides: gateway, settings: { ...PATIENT, FACILITATOR_SETTLE_TIMEOUT_MS: ms } });
/** For a facilitator that never answers; the other tests allow the time that a busy machine needs. */
const hurried = aGateway({ ...waitingFor('300'), silentAtOnce: true });
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before

const NO_MONEY = 'invalid_exact_evm_insufficient_balance';
const NONCE_USED = 'invalid_exact_evm_nonce_already_used';
const REVERTED = 'invalid_exact_evm_transaction_failed';

async function payOnce(mode: string, more: Partial<ModeCommand> = {}) {
  const buyer = gateway.aBuyer();
  const payment = await buyer.sign();
  gateway.control({ mode, on: 'settle', ...more, count: 1 });
  const answer = await (mode === 'hang' ? hurried : gateway).pay(payment);
  return { buyer, payment, answer, repeat: () => gateway.pay(payment.respelled()) };
}

/** What a buyer sees. */
const seen = ({ status, headers, body }: Reply) => ({
  status,
  error: body.error,
  details: body.details,
  retryAfter: headers.get('retry-after'),
  isReplay: headers.get('idempotent-replayed') === 'true',
  isOffer: headers.get('payment-required') !== null,
  cache: headers.get('cache-control'),
  settlement: settlementResponseIn(headers),
});

/** What the buyer sees and the ledger has after the first answer, and after the repeat where that changes it. */
type Outcome = Record<'first' | 'again' | 'entries', object> & { entriesAgain?: object; settles: number; paid: number };
type OutcomeOf = (reason: string | null, hash: unknown) => Outcome;

const NO_ENTRIES = { served: false, reason: null, transactionHash: null, calls: 0, answers: 0, checked: false };
const ANSWERED = { ...NO_ENTRIES, served: true, calls: 1, answers: 1 };
const SETTLED = 'payment.settled';
const PENDING = { state: 'settlement_pending', checked: true, events: ['payment.settlement-pending'] };

const settled: OutcomeOf = (_, hash) => {
  const settlement = { success: true, transaction: hash ?? '', network: 'base', amount: '50000', status: 'settled' };
  const first = { status: 200, cache: 'private, no-store', isOffer: false, isReplay: false, settlement };
  const entries = { ...ANSWERED, state: 'settled', transactionHash: hash, events: [SETTLED] };
  return { first, again: { ...first, isReplay: true }, entries, settles: 1, paid: 50_000 };
};
const refused: OutcomeOf = (reason) => {
  const details = { error_reason: reason, charged: false, retry: 'pay_again' };
  const settlement = { success: false, errorReason: reason, transaction: '' };
  const first = { status: 402, error: 'settlement_failed', cache: 'no-store', isOffer: true, details, settlement };
  const entries = { ...NO_ENTRIES, state: 'settlement_failed', reason, events: ['payment.settlement-failed'] };
  return { first, again: first, entries, settles: 1, paid: 0 };
};
const silent: OutcomeOf = (reason) => {
  const settlement = { success: true, transaction: '', status: 'settlement_pending' };
  const first = { status: 200, isReplay: false, settlement };
  const entries = { ...ANSWERED, ...PENDING, reason };
  return { first, again: { ...first, isReplay: true }, entries, settles: 1, paid: 0 };
};
const UNKNOWN = {
  status: 502,
  error: 'settlement_unknown',
  retryAfter: '5',
  details: { charged: null, retry: 'retry_same' },
  isOffer: false,
  settlement: null,
};
const unclear: OutcomeOf = (reason) => ({
  first: UNKNOWN,
  again: { status: 200, isReplay: false, settlement: { status: 'settled', transaction: HASH } },
  entries: { ...NO_ENTRIES, ...PENDING, reason },
  entriesAgain: { ...ANSWERED, state: 'settled', transactionHash: HASH, events: [...PENDING.events, SETTLED] },
  settles: 2,
  paid: 50_000,
});
const contested: OutcomeOf = (reason, hash) => ({
  first: UNKNOWN,
  again: { ...UNKNOWN, retryAfter: '600' },
  entries: { ...NO_ENTRIES, ...PENDING, state: 'needs_reconciliation', reason, transactionHash: hash },
  settles: 1,
  paid: 0,
});

it.each<[string, Partial<ModeCommand>, OutcomeOf, string | null, unknown]>([
  ['ok', {}, settled, null, HASH],
  ['settled-without-hash', {}, settled, null, null],
  ['refused', {}, refused, NO_MONEY, null],
  ['refused', { status: 403, reason: 'kyt_risk_detected' }, refused, 'kyt_risk_detected', null],
  ['reset', {}, silent, null, null],
  ['hang', {}, silent, null, null],
  ['500', {}, silent, null, null],
  ['bad-json', {}, silent, null, null],
  ['settled-but-answer-lost', {}, silent, null, null],
  ['pending-then-success', {}, silent, 'settlement_pending', null],
  ['refused', { reason: 'unexpected_error' }, unclear, 'unexpected_error', null],
  ['500-with-reason', {}, unclear, NO_MONEY, null],
  ['refused', { status: 400, reason: 'invalid_payload' }, unclear, 'invalid_payload', null],
  ['reverted', {}, contested, REVERTED, HASH],
  ['cancelled-after-verify', { on: undefined }, contested, NONCE_USED, null],
  ['submitted-after-verify', { on: undefined }, contested, NONCE_USED, null],
])('settle answers %s %j: what buyer and ledger have, and after a repeat', async (...row) => {
  const [mode, more, outcome, reason, hash] = row;
  const { first, again, entries, entriesAgain = entries, settles, paid } = outcome(reason, hash);
  const { buyer, payment, answer, repeat } = await payOnce(mode, more);
  expect(seen(answer)).toMatchObject(first);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual(entries);

  const repeated = await repeat();
  expect(seen(repeated)).toMatchObject(again);
  if (seen(repeated).isReplay) expect(repeated.text).toBe(answer.text);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toEqual(entriesAgain);
  expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: paid, unpaidCalls: 0 });
  // Another process has not answered it: it verifies once more, as the repeat spells it. Settles have equal bytes.
  const verify = mode === 'hang' ? 2 : 1;
  expect(gateway.callsAbout(payment.nonce)).toEqual({ verify, settle: settles, bodies: verify });
});

describe('silence, unless settle was awaited for three seconds', () => {
  const patient = aGateway(waitingFor('3500'));
  const brief = aGateway(waitingFor('1000'));

  it.each([
    ['reset', patient],
    ['hang', brief],
  ])('%s: 502, and a repeat that meets it again is not served either', async (mode, to) => {
    const payment = await gateway.aBuyer().sign();
    gateway.control({ mode, on: 'settle' });
    for (let times = 0; times < 2; times++) {
      expect(seen(await to.pay(payment))).toMatchObject(UNKNOWN);
      expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ served: false, calls: 0, answers: 0 });
    }
    gateway.control({ mode: 'ok' });
    await eventually(async () => expect((await patient.pay(payment)).status).toBe(200));
  });

  it('then 200 settlement_pending', async () => {
    gateway.control({ mode: 'hang', on: 'settle', count: 1 });
    const answer = await patient.pay(await gateway.aBuyer().sign());
    expect(seen(answer)).toMatchObject({ status: 200, settlement: { status: 'settlement_pending' } });
  });
});

it.each<[string, ModeCommand, object]>([
  ['finds the nonce used: a person must decide', { mode: 'duplicate' }, { state: 'needs_reconciliation' }],
  ['is refused: that proves nothing about the first settle', { mode: 'refused', reason: 'unexpected_error' }, PENDING],
])('a repeat of an unclear settle that %s', async (_, first, entries) => {
  const { payment, answer, repeat } = await payOnce(first.mode, first);
  expect(seen(answer)).toMatchObject(UNKNOWN);
  if (first.mode === 'refused') gateway.control({ mode: 'refused', count: 1 });
  expect(seen(await repeat())).toMatchObject(UNKNOWN);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ ...entries, served: false });
  expect(gateway.callsAbout(payment.nonce)).toMatchObject({ settle: 2, bodies: 1 });
});

it.each<[string, Partial<ModeCommand>]>([
  ['refused', { status: 400, reason: 'invalid_payload' }],
  ['500-with-reason', { reason: 'unexpected_settle_error' }],
])('ten settles that one wallet makes fail (%s) do not keep other wallets from being settled', async (mode, more) => {
  const hostile = gateway.aBuyer();
  gateway.control({ mode, on: 'settle', ...more });
  for (let call = 0; call < 10; call++) expect((await gateway.pay(await hostile.sign())).status).toBe(502);
  gateway.control({ mode: 'ok' });
  expect((await gateway.pay(await gateway.aBuyer().sign())).status).toBe(200);
});
