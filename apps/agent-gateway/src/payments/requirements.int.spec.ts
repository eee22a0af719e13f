import { eventually } from '@evenkeel/platform/testing';
import { startGateway, type Gateway } from '../gateway.fixture';
import { Facilitator } from '../facilitator/facilitator';
import { settlementResponseIn } from './payment.fixture';

/** For a facilitator that answers too late; all others have the time that a busy machine needs. */
async function startHurried(besides: Gateway): Promise<Gateway> {
  const settings = { FACILITATOR_SETTLE_TIMEOUT_MS: '10000', PAID_ANSWER_BUDGET_MS: '1000' };
  const hurried = await startGateway({ silentAtOnce: true, besides, settings });
  await hurried.pay(await hurried.aBuyer().sign()); // the first call of a process is the slowest
  return hurried;
}

/**
 * Pays while the facilitator settles too slowly. A gateway in a hurry has 800 ms to verify and 100 ms to record that it waits,
 * so a busy machine may need another payment, at most two.
 */
async function payWhileSlow(hurried: Gateway, ms: number) {
  for (let more = 2; ; more--) {
    const buyer = hurried.aBuyer();
    const payment = await buyer.sign();
    hurried.facilitator.control({ mode: 'slow', on: 'settle', ms, count: 1 });
    const begun = performance.now();
    const reply = await hurried.pay(payment);
    if (reply.status === 200 || more === 0) return { buyer, payment, reply, tookMs: performance.now() - begun };
  }
}

/** Its facilitator lists only version 1. */
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    prepare: ({ control }) => control({ action: 'versions', versions: [1] }),
  });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(11_000));
afterEach(() => gateway.facilitator.control({ mode: 'ok' }));

const versionSpoken = (of: Gateway) => of.app.get(Facilitator).requirementsVersion();

describe('a facilitator of version 1', () => {
  it.each([1, 2] as const)('gets requirements in version 1 for a buyer of version %i', async (version) => {
    expect(versionSpoken(gateway)).toBe(1);
    const payment = await gateway.aBuyer().sign({ version });
    const { status, headers } = await gateway.pay(payment);
    expect(status).toBe(200);
    expect(settlementResponseIn(headers)).toMatchObject({
      network: version === 1 ? 'base' : 'eip155:8453',
      status: 'settled',
    });
    expect(await gateway.ledger.payment(payment.nonce)).toMatchObject({ v2Grade: false });
  });

  it('checks neither nonce nor balance: an uncertain payment is never served', async () => {
    const payment = await gateway.aBuyer().sign();
    gateway.facilitator.control({ mode: 'reset', on: 'settle', count: 1 });
    const { status, body } = await gateway.pay(payment);
    expect([status, body.error]).toEqual([502, 'settlement_unknown']);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settlement_pending', served: false });

    const again = await gateway.pay(payment);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 1, settle: 2, bodies: 1 });
  });

  it('of an older engine verifies an empty wallet: no result is given', async () => {
    const buyer = gateway.aBuyer();
    gateway.facilitator.control({ action: 'engine', v1: 'older' });
    gateway.facilitator.control({ action: 'balance', wallet: buyer.wallet, value: '0' });
    const payment = await buyer.sign();
    const { status, body } = await gateway.pay(payment);
    gateway.facilitator.control({ action: 'engine', v1: 'current' });
    expect([status, body.error]).toEqual([502, 'settlement_unknown']); // its reason is no code: nothing definite
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ served: false, reason: null, calls: 0 });
  });

  it('answers late: 502, then settled in the background, and the repeat gets its answer', async () => {
    const first = await startHurried(gateway);
    const buyer = gateway.aBuyer();
    const payment = await buyer.sign();
    gateway.facilitator.control({ mode: 'slow', on: 'settle', ms: 1_100, count: 1 });
    const { body } = await first.pay(payment);
    expect(body.error).toBe('settlement_unknown');
    await eventually(async () =>
      expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({
        state: 'settled',
        served: false,
        calls: 0,
      }),
    );
    await first.close();
    const again = await gateway.pay(payment);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ served: true, calls: 1, answers: 1 });
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000, calls: 1, eventSeq: 2 });
    expect((await gateway.pay(payment)).headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('a facilitator of version 2', () => {
  let second: Gateway;
  beforeAll(async () => {
    second = await startGateway({
      besides: gateway,
      prepare: ({ control }) => control({ action: 'versions', versions: [2] }),
    });
  });
  afterAll(() => second.close());

  it.each([1, 2] as const)('gets requirements in version 2 for a buyer of version %i', async (version) => {
    expect(versionSpoken(second)).toBe(2);
    const payment = await second.aBuyer().sign({ version });
    expect((await second.pay(payment)).status).toBe(200);
    expect(await second.ledger.payment(payment.nonce)).toMatchObject({ v2Grade: true });
  });

  it('answers late: 200 settlement_pending in time, then settled in the background, once', async () => {
    const first = await startHurried(gateway);
    const { buyer, payment, reply, tookMs } = await payWhileSlow(first, 3_000);
    const { status, headers, text } = reply;
    expect(tookMs).toBeLessThan(3_000);
    expect([status, settlementResponseIn(headers)?.status]).toEqual([200, 'settlement_pending']);
    await eventually(async () =>
      expect(await second.ledger.entriesOf(payment.nonce)).toMatchObject({
        state: 'settled',
        calls: 1,
        answers: 1,
        checked: false,
        events: ['payment.settlement-pending', 'payment.settled'],
      }),
    );
    await first.close();
    expect(await second.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000, calls: 1, eventSeq: 2 });
    const again = await second.pay(payment);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([text, 'true']);
    expect(settlementResponseIn(again.headers)).toMatchObject({
      status: 'settled',
      transaction: expect.stringMatching(/^0x/),
    });
    expect(second.callsAbout(payment.nonce).settle).toBe(1);
  });

  it('answers after the process was asked to end: its answer is recorded before the end', async () => {
    const leaving = await startHurried(gateway);
    const { payment, reply } = await payWhileSlow(leaving, 1_100);
    expect(reply.status).toBe(200);
    await leaving.close();
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', served: true, calls: 1 });
  });

  it('that now refuses version 2 is asked for its versions again', async () => {
    second.facilitator.control({ action: 'versions', versions: [1] });
    second.clock.advanceMs(60_000);
    const payment = await second.aBuyer().sign();
    expect((await second.pay(payment)).body.error).toBe('payment_rejected');
    await eventually(() => expect(versionSpoken(second)).toBe(1));
    expect((await second.pay(payment)).status).toBe(200);
  });
});

it('a facilitator that does not list its versions gets requirements in version 1', async () => {
  gateway.facilitator.control({ mode: 'bad-json', on: 'supported' });
  const third = await startGateway({ besides: gateway });
  expect(versionSpoken(third)).toBe(1);
  await third.close();
});
