import type { ModeCommand } from '@evenkeel/facilitator';
import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { startGateway, type Gateway } from '../gateway.fixture';
import type { Authorization } from '../calls/payment';
import { settlementResponseIn } from '../payments/payment.fixture';
import { checkDue, recoveryByHand, untilPayment } from './resolve-uncertain.fixture';

const elsewhere = '0x00000000000000000000000000000000000000A1';
const HASH = expect.stringMatching(/^0x[0-9a-f]{64}$/);
/** Three blocks of the chain: what happened before is confirmed. */
const CONFIRMED_MS = 6_000;
const EXPIRED_FOR_GOOD_MS = 300_000 + 600_000;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true, chain: true, modules: recoveryByHand });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(() => gateway.facilitator.control({ mode: 'ok', on: ['verify', 'settle', 'rpc'] }));

async function payWith(mode: string, more: Partial<ModeCommand> = {}) {
  const buyer = gateway.aBuyer();
  const payment = await buyer.sign();
  gateway.facilitator.control({ mode, count: 1, ...more });
  const { status } = await gateway.pay(payment);
  return { buyer, payment, status, nonce: payment.nonce };
}

const served = () => payWith('reset', { on: 'settle' });
const notServed = () => payWith('refused', { reason: 'unexpected_error' });

/** A check is passed over while the outcome of the last one is being written. */
async function checkAfter(ms: number, nonce: string): Promise<void> {
  gateway.clock.advanceMs(ms);
  await eventually(async () => expect(await checkDue(gateway)).toContain(nonce));
}

describe('a transfer to us', () => {
  it('of a served payment settles it with its hash; the receipt says so from then on', async () => {
    const { buyer, payment, nonce } = await payWith('settled-but-answer-lost');
    await checkAfter(CONFIRMED_MS, nonce);
    const { transaction } = gateway.facilitator.ledger(nonce).settlements[0]!;
    expect(await gateway.ledger.entriesOf(nonce)).toEqual({
      state: 'settled',
      served: true,
      reason: null,
      transactionHash: transaction,
      calls: 1,
      answers: 1,
      checked: false,
      events: ['payment.settlement-pending', 'payment.settled'],
    });
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000, calls: 1, eventSeq: 2 });
    expect(settlementResponseIn((await gateway.pay(payment)).headers)).toMatchObject({
      status: 'settled',
      transaction,
    });
    expect(gateway.callsAbout(nonce).settle).toBe(1);
  });

  it('by a third party settles what waited for a person; the buyer gets the answer at the repeat', async () => {
    const { payment, nonce } = await payWith('submitted-after-verify');
    await checkAfter(CONFIRMED_MS, nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({
      state: 'settled',
      served: false,
      transactionHash: HASH,
    });
    const again = await gateway.pay(payment);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  it('is compared with the recipient of its time, not with the present setting', async () => {
    const moved = await startGateway({
      besides: gateway,
      chain: true,
      modules: recoveryByHand,
      settings: { X402_PAY_TO: elsewhere },
    });
    const { nonce } = await payWith('settled-but-answer-lost');
    gateway.clock.advanceMs(CONFIRMED_MS);
    expect(await checkDue(moved)).toContain(nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settled' });
    await moved.close();
  });
});

describe('nothing on the chain yet', () => {
  it('what was served is settled again with the same bytes', async () => {
    const { nonce } = await served();
    await checkAfter(CONFIRMED_MS, nonce);
    await untilPayment(gateway, nonce, { state: 'settled', served: true, transactionHash: HASH, calls: 1 });
    expect(gateway.callsAbout(nonce)).toEqual({ verify: 1, settle: 2, bodies: 1 });
  });

  it('what was not served is left to its buyer', async () => {
    const { payment, nonce } = await notServed();
    await checkAfter(CONFIRMED_MS, nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settlement_pending', checked: true });
    expect(gateway.callsAbout(nonce)).toEqual({ verify: 1, settle: 1, bodies: 1 });
    expect((await gateway.pay(payment)).status).toBe(200);
  });
});

describe('what can never pay us', () => {
  it.each<[string, () => ReturnType<typeof served>, (paid: Awaited<ReturnType<typeof served>>) => void, string]>([
    ['cancelled', served, ({ buyer, nonce }) => cancel(buyer.wallet, nonce), 'authorization_canceled'],
    ['cancelled, not served', notServed, ({ buyer, nonce }) => cancel(buyer.wallet, nonce), 'authorization_canceled'],
    ['spent elsewhere', served, ({ payment }) => spendElsewhere(payment.authorization), 'authorization_used_elsewhere'],
  ])('%s: settlement_failed', async (_, first, happen, reason) => {
    const paid = await first();
    happen(paid);
    await checkAfter(CONFIRMED_MS, paid.nonce);
    const wasServed = paid.status === 200;
    expect(await gateway.ledger.entriesOf(paid.nonce)).toMatchObject({
      state: 'settlement_failed',
      served: wasServed,
      reason,
      checked: false,
      events: ['payment.settlement-pending', 'payment.settlement-failed'],
    });
    expect(await gateway.ledger.wallet(paid.buyer.wallet)).toMatchObject({
      settledMicros: 0,
      unpaidCalls: wasServed ? 1 : 0,
    });
    const again = await gateway.pay(paid.payment);
    expect([again.status, again.body.error]).toEqual([402, 'settlement_failed']);
  });

  it.each([
    ['pending', notServed],
    ['reverted', () => payWith('reverted')],
  ])('%s and unused ten minutes after it expired, by the time of a confirmed block', async (_, first) => {
    const { nonce } = await first();
    await checkAfter(EXPIRED_FOR_GOOD_MS, nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ checked: true }); // the block is older than now
    await checkAfter(600_000, nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({
      state: 'settlement_failed',
      served: false,
      reason: 'authorization_expired',
      checked: false,
    });
  });
});

describe('the last look at what was refused', () => {
  it('finds the transfer of a third party', async () => {
    const { payment, nonce, status } = await payWith('refused');
    expect(status).toBe(402);
    gateway.clock.advanceMs(CONFIRMED_MS);
    expect(await checkDue(gateway)).not.toContain(nonce);
    gateway.facilitator.control({ action: 'submit', authorization: payment.authorization });
    await checkAfter(EXPIRED_FOR_GOOD_MS, nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({
      state: 'settled',
      served: false,
      transactionHash: HASH,
    });
    expect((await gateway.pay(payment)).status).toBe(200);
  });

  it('ends the checks when there is none, as soon as a late block shows it', async () => {
    const { nonce } = await payWith('refused');
    await checkLastLook(nonce, true);
    await checkLastLook(nonce, false);
  });

  it('waits while the chain cannot be read', async () => {
    const { nonce } = await payWith('refused');
    gateway.clock.advanceMs(CONFIRMED_MS);
    gateway.facilitator.control({ mode: '500', on: 'rpc' });
    await checkLastLook(nonce, true);
    gateway.facilitator.control({ mode: 'ok', on: 'rpc' });
    await checkLastLook(nonce, false);
  });

  async function checkLastLook(nonce: string, checked: boolean): Promise<void> {
    await checkAfter(EXPIRED_FOR_GOOD_MS, nonce);
    const events = ['payment.settlement-failed'];
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settlement_failed', checked, events });
  }
});

function cancel(payer: string, nonce: string): void {
  gateway.facilitator.control({ action: 'cancel', payer, nonce });
}

function spendElsewhere(authorization: Authorization): void {
  gateway.facilitator.control({ action: 'submit', authorization: { ...authorization, to: elsewhere } });
}

it('leaves no row that the audit objects to', async () => {
  await eventually(async () => expect(await audit(gateway.ledger.dataSource)).toEqual([]));
});
