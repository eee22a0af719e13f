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
    const payment = await hurried.aBuyer().sign();
    hurried.facilitator.control({ mode: 'slow', on: 'settle', ms, count: 1 });
    const reply = await hurried.pay(payment);
    if (reply.status === 200 || more === 0) return { payment, reply };
  }
}

/** Its facilitator lists only version 1. */
let gateway: Gateway;
/** Another process of it, begun when the facilitator lists only version 2. */
let second: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ prepare: ({ control }) => control({ action: 'versions', versions: [1] }) });
});
afterAll(async () => {
  await second.close();
  await gateway.close();
});
beforeEach(() => gateway.clock.advanceMs(11_000));
afterEach(() => gateway.facilitator.control({ mode: 'ok' }));

const versionSpoken = (of: Gateway) => of.app.get(Facilitator).requirementsVersion();
const entriesOf = ({ nonce }: { nonce: string }) => gateway.ledger.entriesOf(nonce);

async function expectPays(of: Gateway, version: 1 | 2, v2Grade: boolean): Promise<void> {
  const payment = await of.aBuyer().sign({ version });
  const { status, headers } = await of.pay(payment);
  const network = version === 1 ? 'base' : 'eip155:8453';
  expect([status, settlementResponseIn(headers)]).toMatchObject([200, { network, status: 'settled' }]);
  expect(await gateway.ledger.payment(payment.nonce)).toMatchObject({ v2Grade });
}

describe('a facilitator of version 1', () => {
  it('gets requirements in version 1 for buyers of either version', async () => {
    expect(versionSpoken(gateway)).toBe(1);
    for (const version of [1, 2] as const) await expectPays(gateway, version, false);
  });

  it('checks neither nonce nor balance: an uncertain payment is never served', async () => {
    const payment = await gateway.aBuyer().sign();
    gateway.facilitator.control({ mode: 'reset', on: 'settle', count: 1 });
    expect((await gateway.pay(payment)).body.error).toBe('settlement_unknown');
    expect(await entriesOf(payment)).toMatchObject({ state: 'settlement_pending', served: false });
    const again = await gateway.pay(payment);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 1, settle: 2, bodies: 1 });
  });

  it('answers late: 502, then settled in the background, and the repeat gets its answer', async () => {
    const hurried = await startHurried(gateway);
    const buyer = gateway.aBuyer();
    const payment = await buyer.sign();
    gateway.facilitator.control({ mode: 'slow', on: 'settle', ms: 1_100, count: 1 });
    expect((await hurried.pay(payment)).body.error).toBe('settlement_unknown');
    await eventually(async () => expect(await entriesOf(payment)).toMatchObject({ state: 'settled', calls: 0 }));
    await hurried.close();
    const again = await gateway.pay(payment);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(await entriesOf(payment)).toMatchObject({ served: true, calls: 1, answers: 1 });
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000, calls: 1, eventSeq: 2 });
  });
});

describe('a facilitator of version 2', () => {
  beforeAll(async () => {
    const prepare = () => gateway.facilitator.control({ action: 'versions', versions: [2] });
    second = await startGateway({ besides: gateway, prepare });
  });

  it('gets requirements in version 2 for buyers of either version', async () => {
    expect(versionSpoken(second)).toBe(2);
    for (const version of [1, 2] as const) await expectPays(second, version, true);
  });

  it('answers late: 200 settlement_pending, then settled in the background, once', async () => {
    const hurried = await startHurried(gateway);
    const { payment, reply } = await payWhileSlow(hurried, 3_000);
    expect([reply.status, settlementResponseIn(reply.headers)?.status]).toEqual([200, 'settlement_pending']);
    const events = ['payment.settlement-pending', 'payment.settled'];
    const settled = { state: 'settled', calls: 1, answers: 1, checked: false, events };
    await eventually(async () => expect(await entriesOf(payment)).toMatchObject(settled));
    await hurried.close();
    const again = await second.pay(payment);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([reply.text, 'true']);
    const transaction = expect.stringMatching(/^0x/);
    expect(settlementResponseIn(again.headers)).toMatchObject({ status: 'settled', transaction });
    expect(second.callsAbout(payment.nonce).settle).toBe(1);
  });

  it('answers after the process was asked to end: its answer is recorded before the end', async () => {
    const leaving = await startHurried(gateway);
    const { payment, reply } = await payWhileSlow(leaving, 1_100);
    expect(reply.status).toBe(200);
    await leaving.close();
    expect(await entriesOf(payment)).toMatchObject({ state: 'settled', served: true, calls: 1 });
  });
});
