import type { Buyer } from '../buyer.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { RecordFailure } from './unsettled-outcomes';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true, settings: { UNSETTLED_SERVED_MAX: '3' } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  gateway.clock.advanceMs(11_000);
  expect(await payHeard(gateway.aBuyer())).toBe(200); // closes the circuit that the test before has opened
  await gateway.ledger.dataSource.query('TRUNCATE payments, payment_answers, payment_checks, wallets, calls, outbox');
});
afterEach(() => gateway.facilitator.control({ mode: 'ok' }));

/** Pays while settle gives no usable answer. */
async function payUnheard(buyer: Buyer) {
  const payment = await buyer.sign();
  gateway.facilitator.control({ mode: 'reset', on: 'settle' });
  const { status, body } = await gateway.pay(payment);
  return { status, error: body.error, payment };
}

async function payHeard(buyer: Buyer): Promise<number> {
  gateway.facilitator.control({ mode: 'ok' });
  return (await gateway.pay(await buyer.sign())).status;
}

const idOf = async (nonce: string) => (await gateway.ledger.payment(nonce)).id;
const served = async () =>
  (await gateway.ledger.dataSource.query(`SELECT FROM payments WHERE served`)) as unknown as unknown[];

describe('one open answer for a wallet', () => {
  it('an unknown outcome twice: 200, then 502', async () => {
    const buyer = gateway.aBuyer();
    expect((await payUnheard(buyer)).status).toBe(200);
    const second = await payUnheard(buyer);
    expect([second.status, second.error]).toEqual([502, 'settlement_unknown']);
    expect(await gateway.ledger.entriesOf(second.payment.nonce)).toMatchObject({ served: false, calls: 0, answers: 0 });
    expect(await payHeard(buyer)).toBe(200);
  });

  it('is taken by a payment that waits for a person, served or not', async () => {
    const buyer = gateway.aBuyer();
    gateway.facilitator.control({ mode: 'reverted', count: 1 });
    expect((await gateway.pay(await buyer.sign())).status).toBe(502);
    expect((await payUnheard(buyer)).status).toBe(502);
    expect(await served()).toHaveLength(0);
  });

  it.each([
    ['a new wallet', () => Promise.resolve(200)],
    ['a wallet that paid before', payHeard],
  ])('is one, of eight at once, for %s', async (_, prepare) => {
    const buyer = gateway.aBuyer();
    expect(await prepare(buyer)).toBe(200);
    const before = (await served()).length;
    const answers = await Promise.all(Array.from({ length: 8 }, () => payUnheard(buyer)));
    expect(answers.map(({ error }) => error ?? 'served').toSorted()).toEqual([
      'served',
      ...Array<string>(7).fill('settlement_unknown'),
    ]);
    expect(await served()).toHaveLength(before + 1);
  });
});

describe('a wallet that was served and never paid', () => {
  it('is not served unsettled again, and still served when it pays', async () => {
    const buyer = gateway.aBuyer();
    const { payment } = await payUnheard(buyer);
    const failures = gateway.app.get(RecordFailure);
    await failures.record(await idOf(payment.nonce), 'void', 'authorization_canceled');
    await failures.record(await idOf(payment.nonce), 'void', 'authorization_canceled');
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({
      state: 'settlement_failed',
      served: true,
      checked: false,
      events: ['payment.settlement-pending', 'payment.settlement-failed'],
    });
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ unpaidCalls: 1, settledMicros: 0, eventSeq: 2 });
    expect((await gateway.ledger.events(payment.nonce))[1]).toMatchObject({
      served: true,
      reason: 'authorization_canceled',
    });

    expect((await payUnheard(buyer)).status).toBe(502);
    expect(await payHeard(buyer)).toBe(200);
    const again = await gateway.pay(payment);
    expect([again.status, again.body.error]).toEqual([402, 'settlement_failed']);
  });

  it('is not the one whose unserved payment failed', async () => {
    const buyer = gateway.aBuyer();
    gateway.facilitator.control({ mode: 'refused', count: 1 });
    expect((await gateway.pay(await buyer.sign())).status).toBe(402);
    expect((await payUnheard(buyer)).status).toBe(200);
  });
});

describe('unsettled answers over all wallets', () => {
  it('are at most UNSETTLED_SERVED_MAX in an hour, at any concurrency, and one that fails gives no room back', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => payUnheard(gateway.aBuyer())));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await served()).toHaveLength(3);

    const [{ payment } = answers[0]!] = answers.filter(({ status }) => status === 200);
    await gateway.app.get(RecordFailure).record(await idOf(payment.nonce), 'void', null);
    expect((await payUnheard(gateway.aBuyer())).error).toBe('settlement_unknown');
    gateway.clock.advanceMs(3_600_000);
    expect((await payUnheard(gateway.aBuyer())).status).toBe(200);
  });

  it('have room for another once one has settled', async () => {
    const [first] = await Promise.all(Array.from({ length: 3 }, () => payUnheard(gateway.aBuyer())));
    expect((await payUnheard(gateway.aBuyer())).error).toBe('settlement_unknown');
    const { payment } = first!;
    await gateway.ledger.dataSource.query(
      `UPDATE payments SET state = 'settled', settled_at = now() WHERE nonce = $1`,
      [payment.nonce],
    );
    expect((await payUnheard(gateway.aBuyer())).status).toBe(200);
  });
});
