import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import { startGateway, type Gateway } from '../gateway.fixture';
import { forbidConnections } from './claim.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { PAID_ANSWER_BUDGET_MS: '1000' } });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(() => gateway.facilitator.control({ mode: 'ok' }));

const query = (sql: string) => gateway.ledger.dataSource.query<unknown>(sql);

/** Makes every other statement on a table wait until it is released. */
async function lock(table: string): Promise<() => Promise<void>> {
  const runner = gateway.ledger.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return async () => {
    await runner.rollbackTransaction();
    await runner.release();
  };
}

async function cutConnections(): Promise<() => Promise<void>> {
  const { cut, repair } = await forbidConnections(gateway.database.url);
  await cut();
  return repair;
}

/** @returns what ends it */
type Outage = () => Promise<() => Promise<unknown>>;

const outages: [string, Outage][] = [
  ['answers nothing', () => lock('payments')],
  ['is gone', cutConnections],
];

async function expectUnknown(paying: ReturnType<Gateway['pay']>): Promise<void> {
  const begun = performance.now();
  const { status, headers, body } = await paying;
  expect([status, body.error, headers.get('retry-after')]).toEqual([502, 'settlement_unknown', '5']);
  expect(body.details).toEqual({ charged: null, retry: 'retry_same' });
  expect(performance.now() - begun).toBeLessThan(2_000);
}

const elsewhere = '0x00000000000000000000000000000000000000A1';

describe.each(outages)(
  'a ledger that %s: 502 settlement_unknown, never 402 and never "not charged"',
  (_, breakDown) => {
    it('at the claim and at every look-up before a refusal', async () => {
      const buyer = gateway.aBuyer();
      const [claimed, refused, unverified] = [await buyer.sign(), await buyer.sign(), await buyer.sign()];
      const expired = await buyer.sign({ authorization: { validBefore: '1' } });
      const misdirected = await buyer.sign({ authorization: { to: elsewhere } });
      const repair = await breakDown();

      const answers = [expired, misdirected].map((payment) => gateway.pay(payment));
      for (const [payment, mode] of [
        [refused, 'refused'],
        [unverified, '500'],
        [claimed, 'ok'],
      ] as const) {
        gateway.facilitator.control({ mode, on: 'verify' });
        answers.push(gateway.pay(payment));
        await eventually(() => gateway.callsAbout(payment.nonce).verify === 1);
      }
      await Promise.all(answers.map(expectUnknown));
      expect(gateway.callsAbout(claimed.nonce).settle).toBe(0);
      await repair();

      expect((await gateway.pay(expired)).body.error).toBe('authorization_expired');
      expect((await gateway.pay(misdirected)).body.error).toBe('wrong_recipient');
      gateway.clock.advanceMs(15_000);
      await gateway.ledger.ageClaims(15_000); // the claim may have been written after all
      for (const payment of [claimed, refused, unverified]) {
        await eventually(async () => expect((await gateway.pay(payment)).status).toBe(200));
        expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
      }
    });
  },
);

describe('a ledger that fails after settle was asked for', () => {
  it.each([
    ['ok', 'settled', 200, 1],
    ['refused', 'settlement_failed', 402, 0],
    ['reset', 'settlement_pending', 200, 1],
  ])('and has answered (%s): 502, and the outcome is written when it can be', async (mode, state, status, charges) => {
    const { buyer, payment } = await payDuring(mode, async () => {
      await query('ALTER TABLE outbox RENAME TO outbox_gone');
      return () => query('ALTER TABLE outbox_gone RENAME TO outbox');
    });
    await expectInTheEnd(payment.nonce, { state, served: false, calls: 0 });
    const again = await gateway.pay(payment);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([status, null]);
    await expectCharged(buyer.wallet, payment.nonce, charges);
  });

  it('and writes too late: 502, and what was written stays', async () => {
    const { buyer, payment } = await payDuring('ok', () => lock('outbox'));
    await expectInTheEnd(payment.nonce, { state: 'settled' });
    expect((await gateway.pay(payment)).status).toBe(200);
    await expectCharged(buyer.wallet, payment.nonce, 1);
  });

  it('and is gone when the answer comes: 502, and the settlement is written when it is back', async () => {
    const buyer = gateway.aBuyer();
    const payment = await buyer.sign();
    gateway.facilitator.control({ mode: 'slow', on: 'settle', ms: 500, count: 1 });
    const { cut, repair } = await forbidConnections(gateway.database.url);
    const paying = expectUnknown(gateway.pay(payment));
    await eventually(() => gateway.callsAbout(payment.nonce).settle === 1);
    await cut();
    await paying;
    await repair();
    await expectInTheEnd(payment.nonce, { state: 'settled', served: false });
    expect((await gateway.pay(payment)).status).toBe(200);
    await expectCharged(buyer.wallet, payment.nonce, 1);
  });
});

async function payDuring(mode: string, breakDown: Outage) {
  const buyer = gateway.aBuyer();
  const payment = await buyer.sign();
  gateway.facilitator.control({ mode, on: 'settle', count: 1 });
  const repair = await breakDown();
  await expectUnknown(gateway.pay(payment));
  await repair();
  return { buyer, payment };
}

async function expectInTheEnd(nonce: string, entries: object): Promise<void> {
  await eventually(async () => expect(await gateway.ledger.entriesOf(nonce)).toMatchObject(entries));
}

async function expectCharged(wallet: string, nonce: string, charges: number): Promise<void> {
  expect(gateway.facilitator.ledger(nonce).settlements).toHaveLength(charges);
  expect(await gateway.ledger.wallet(wallet)).toMatchObject({ settledMicros: charges * 50_000, calls: charges });
}

it('leaves no row that the audit objects to', async () => {
  await eventually(async () => expect(await audit(gateway.ledger.dataSource)).toEqual([]));
});
