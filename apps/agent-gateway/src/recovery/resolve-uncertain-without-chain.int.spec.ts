import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import type { ModeCommand } from '@evenkeel/facilitator';
import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { freePort } from '@evenkeel/services/free-port';
import { StubFacilitator } from '../facilitator/stub-facilitator.fixture';
import { type Gateway, startGateway } from '../gateway.fixture';
import { checkDue, recoveryByHand, untilPayment } from './resolve-uncertain.fixture';
import { Chain } from './chain';

const DAY_MS = 24 * 3_600_000;
const VALID_MS = 300_000;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true, modules: recoveryByHand });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(() => gateway.facilitator.control({ mode: 'ok' }));

async function payWith(mode: string, more: Partial<ModeCommand> = {}, buyer = gateway.aBuyer()) {
  const payment = await buyer.sign();
  gateway.facilitator.control({ mode, count: 1, ...more });
  const { status, text } = await gateway.pay(payment);
  return { buyer, payment, status, text, nonce: payment.nonce };
}

const served = () => payWith('reset', { on: 'settle' });

/** A check is passed over while the outcome of the last one is being written. */
async function checkAfter(ms: number, nonce: string): Promise<void> {
  gateway.clock.advanceMs(ms);
  await eventually(async () => expect(await checkDue(gateway)).toContain(nonce));
}

async function noCheckAfter(ms: number, nonce: string): Promise<void> {
  gateway.clock.advanceMs(ms);
  expect(await checkDue(gateway)).not.toContain(nonce);
}

describe('what was served', () => {
  it('is settled again with the same bytes', async () => {
    const { buyer, nonce } = await served();
    await checkAfter(5_000, nonce);
    await untilPayment(gateway, nonce, { state: 'settled', served: true, calls: 1, checked: false });
    expect(gateway.callsAbout(nonce)).toEqual({ verify: 1, settle: 2, bodies: 1 });
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000, calls: 1 });
  });

  it('and had been paid for meets its used nonce: a person decides, the buyer has the answer', async () => {
    const { payment, nonce, text } = await payWith('settled-but-answer-lost');
    await checkAfter(5_000, nonce);
    const events = ['payment.settlement-pending', 'payment.settlement-pending'];
    await untilPayment(gateway, nonce, { state: 'needs_reconciliation', served: true, checked: true, events });
    const again = await gateway.pay(payment);
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, text, 'true']);
  });

  it('is looked at after 5 s, then in pauses that double', async () => {
    const { nonce } = await payWith('pending-then-never');
    gateway.facilitator.control({ mode: 'pending-then-never' });
    for (const pauseSeconds of [5, 10, 20, 40, 80, 160, 320, 600, 600]) {
      await noCheckAfter(pauseSeconds * 1_000 - 1, nonce);
      await checkAfter(1, nonce);
    }
    expect(gateway.callsAbout(nonce)).toMatchObject({ settle: 6, bodies: 1 }); // none after it expired
  });
});

describe('what was not served', () => {
  it('is asked about only: a valid payment is left to its buyer', async () => {
    const { payment, nonce } = await payWith('refused', { reason: 'unexpected_error' });
    await checkAfter(5_000, nonce);
    expect(gateway.callsAbout(nonce)).toEqual({ verify: 2, settle: 1, bodies: 1 });
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settlement_pending', checked: true });
    expect((await gateway.pay(payment)).status).toBe(200);
  });

  it('is asked about only: a used nonce is for a person', async () => {
    const { payment, nonce } = await payWith('duplicate');
    await checkAfter(5_000, nonce);
    expect(gateway.callsAbout(nonce)).toEqual({ verify: 2, settle: 1, bodies: 1 });
    const reason = 'invalid_exact_evm_nonce_already_used';
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({
      state: 'needs_reconciliation',
      served: false,
      reason,
    });
    const again = await gateway.pay(payment);
    expect([again.status, again.headers.get('retry-after')]).toEqual([502, '600']);
  });

  it('but is on its way, as the facilitator said, is settled again', async () => {
    const { buyer } = await served(); // takes the one open answer of the wallet
    const { status, nonce } = await payWith('pending-then-success', {}, buyer);
    expect(status).toBe(502);
    await checkAfter(5_000, nonce);
    await untilPayment(gateway, nonce, { state: 'settled', served: false, calls: 0 });
    expect(gateway.callsAbout(nonce)).toMatchObject({ settle: 2, bodies: 1 });
  });
});

describe('nothing known', () => {
  it('a day after it expired: a person decides', async () => {
    const { nonce } = await payWith('pending-then-never');
    await checkAfter(VALID_MS + DAY_MS - 1_000, nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settlement_pending' });
    await checkAfter(600_000, nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'needs_reconciliation', checked: true });
    expect(gateway.callsAbout(nonce).settle).toBe(1);
  });
});

describe('a settle circuit that is open', () => {
  it('lets neither worker nor requests ask, until it is time for a probe', async () => {
    const [{ nonce }] = [await served()];
    gateway.clock.advanceMs(4_000);
    for (let i = 0; i < 9; i++) await served();
    await checkAfter(1_000, nonce);
    expect(gateway.callsAbout(nonce).settle).toBe(1);
    const payment = await gateway.aBuyer().sign();
    expect((await gateway.pay(payment)).body.error).toBe('payment_verification_unavailable');
    expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();

    gateway.clock.advanceMs(4_000);
    expect((await gateway.pay(payment)).status).toBe(200);
    await checkAfter(6_000, nonce);
    await untilPayment(gateway, nonce, { state: 'settled' });
  });

  it('lets the repeat of an unserved payment be the probe', async () => {
    const { payment } = await payWith('refused', { reason: 'unexpected_error' });
    gateway.facilitator.control({ mode: 'reset', on: 'settle' });
    for (let i = 0; i < 9; i++) await gateway.pay(await gateway.aBuyer().sign());
    gateway.facilitator.control({ mode: 'ok' });
    const early = await gateway.pay(payment);
    expect([early.status, early.body.error]).toEqual([502, 'settlement_unknown']);
    gateway.clock.advanceMs(5_000);
    expect((await gateway.pay(payment)).status).toBe(200);
  });
});

it('leaves no row that the audit objects to', async () => {
  await eventually(async () => expect(await audit(gateway.ledger.dataSource)).toEqual([]));
});

describe('a chain that cannot be read is named by its host alone', () => {
  const key = randomBytes(16).toString('hex');
  const hash = `0x${'ab'.repeat(32)}`;
  const address = `0x${'12'.repeat(20)}`;

  let node: StubFacilitator;
  let url: string;
  beforeAll(async () => {
    node = new StubFacilitator();
    url = `${await node.start()}/v2/${key}?apikey=${key}`;
  });
  afterAll(() => node.close());

  async function failuresAt(rpcUrl: string): Promise<Error[]> {
    const chain = new Chain(rpcUrl);
    const payment = { payer: address, nonce: hash, asset: address, authorization: '{}', priceMicros: 1 };
    const attempts = [
      chain.head(),
      chain.transaction(hash, address),
      chain.evidence({ ...payment, createdAt: new Date(0) }),
    ];
    const settled = await Promise.allSettled(attempts);
    return settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  }

  function expectHostOnly(errors: Error[], because: RegExp): void {
    expect(errors).toHaveLength(3);
    for (const error of errors) {
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(key);
      expect(error.message).toMatch(/The chain at 127\.0\.0\.1:\d+ cannot be read/);
      expect(error.message).toMatch(because);
    }
  }

  it.each<[string, () => void, RegExp]>([
    ['an error that repeats the address', () => node.answers(500, { error: `no ${url}` }), /it answers 500/],
    [
      'a page',
      () => (node.behave = (_, response) => void response.writeHead(200).end(`<html>Sign in at ${url}</html>`)),
      /cannot be read/,
    ],
    ['a connection that ends', () => (node.behave = (_, response) => void response.destroy()), /cannot be read/],
  ])('%s', async (_, misbehave, because) => {
    misbehave();
    expectHostOnly(await failuresAt(url), because);
  });

  it('no listener', async () => {
    const unused = `http://127.0.0.1:${await freePort()}/v2/${key}`;
    expectHostOnly(await failuresAt(unused), /ECONNREFUSED/);
  });
});
