import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import type { SignedPayment } from '../buyer.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { forbidConnections } from './claim.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { PAID_ANSWER_BUDGET_MS: '1000' } });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(async () => {
  gateway.facilitator.control({ mode: 'ok' });
  await eventually(async () => expect(await audit(gateway.ledger.dataSource)).toEqual([]));
});

/** @returns what ends it */
type Outage = () => Promise<() => Promise<unknown>>;

/** Makes every other statement on a table wait. */
const lock =
  (table: string): Outage =>
  async () => {
    const runner = gateway.ledger.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return async () => {
      await runner.rollbackTransaction();
      await runner.release();
    };
  };
const cutConnections: Outage = async () => {
  const { cut, repair } = await forbidConnections(gateway.database.url);
  await cut();
  return repair;
};
const removeOutbox: Outage = async () => {
  await gateway.ledger.dataSource.query('ALTER TABLE outbox RENAME TO outbox_gone');
  return () => gateway.ledger.dataSource.query('ALTER TABLE outbox_gone RENAME TO outbox');
};

async function expectUnknown(paying: ReturnType<Gateway['pay']>): Promise<void> {
  const { status, headers, body } = await paying;
  expect([status, body.error, headers.get('retry-after')]).toEqual([502, 'settlement_unknown', '5']);
  expect(body.details).toEqual({ charged: null, retry: 'retry_same' });
}

it.each<[string, Outage]>([
  ['answers nothing', lock('payments')],
  ['is gone', cutConnections],
])(
  'a ledger that %s at the claim and at look-ups before a refusal: 502, never 402 or "not charged"',
  async (_, breakDown) => {
    const buyer = gateway.aBuyer();
    const [claimed, refused, unverified] = [await buyer.sign(), await buyer.sign(), await buyer.sign()];
    const expired = await buyer.sign({ authorization: { validBefore: '1' } });
    const misdirected = await buyer.sign({ authorization: { to: '0x00000000000000000000000000000000000000A1' } });
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
  },
);

describe('a ledger that fails after settle was asked for: 502, and the outcome is written when it can be', () => {
  /** In the end the row is in this state; the repeat of the buyer is answered and charges once, or never. */
  async function expectRecovered(
    { nonce, authorization }: SignedPayment,
    state: string,
    repeat: () => Promise<number>,
  ) {
    await eventually(async () => expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state }));
    const charges = state === 'settlement_failed' ? 0 : 1;
    expect(await repeat()).toBe(charges === 0 ? 402 : 200);
    expect(gateway.facilitator.ledger(nonce).settlements).toHaveLength(charges);
    const wallet = await gateway.ledger.wallet(authorization.from.toLowerCase());
    expect(wallet).toMatchObject({ settledMicros: charges * 50_000, calls: charges });
  }

  it.each<[string, string, Outage]>([
    ['ok', 'settled', removeOutbox],
    ['refused', 'settlement_failed', removeOutbox],
    ['reset', 'settlement_pending', removeOutbox],
    ['ok', 'settled', lock('outbox')],
  ])('and has answered (%s): %s', async (mode, state, breakDown) => {
    const payment = await gateway.aBuyer().sign();
    gateway.facilitator.control({ mode, on: 'settle', count: 1 });
    const repair = await breakDown();
    await expectUnknown(gateway.pay(payment));
    await repair();
    await expectRecovered(payment, state, async () => (await gateway.pay(payment)).status);
  });

  it('and is gone when the answer comes', async () => {
    const payment = await gateway.aBuyer().sign();
    gateway.facilitator.control({ mode: 'slow', on: 'settle', ms: 500, count: 1 });
    const { cut, repair } = await forbidConnections(gateway.database.url);
    const paying = expectUnknown(gateway.pay(payment));
    await eventually(() => gateway.callsAbout(payment.nonce).settle === 1);
    await cut();
    await paying;
    await repair();
    await expectRecovered(payment, 'settled', async () => (await gateway.pay(payment)).status);
  });
});
