import type { Buyer } from '../buyer.fixture';
import { aGateway } from '../gateway.fixture';
import { RecordFailure } from './unsettled-outcomes';

const gateway = aGateway({ silentAtOnce: true, settings: { UNSETTLED_SERVED_MAX: '3' } });
beforeEach(async () => {
  gateway.clock.advanceMs(11_000);
  expect(await pay(gateway.aBuyer(), 'ok')).toMatchObject({ status: 200 }); // closes the circuit that the test before has opened
  await gateway.query('TRUNCATE payments, payment_answers, payment_checks, wallets, calls, outbox');
});

async function pay(buyer: Buyer, settle: string) {
  const payment = await buyer.sign();
  gateway.control({ mode: settle, on: 'settle' });
  const { status, body } = await gateway.pay(payment);
  return { status, error: body.error, payment };
}
/** Settle gives no usable answer. */
const payUnheard = (buyer = gateway.aBuyer()) => pay(buyer, 'reset');

async function fail({ payment }: Awaited<ReturnType<typeof pay>>): Promise<void> {
  const { id } = await gateway.ledger.payment(payment.nonce);
  await gateway.app.get(RecordFailure).record(id, 'void', 'authorization_canceled');
}
const served = async () => (await gateway.query(`SELECT FROM payments WHERE served`)).length;
const UNKNOWN = { status: 502, error: 'settlement_unknown' };

describe('one open answer for a wallet', () => {
  it('an unknown outcome twice: 200, then 502; a payment that settles is served', async () => {
    const buyer = gateway.aBuyer();
    expect((await payUnheard(buyer)).status).toBe(200);
    const second = await payUnheard(buyer);
    expect(second).toMatchObject(UNKNOWN);
    expect(await gateway.ledger.entriesOf(second.payment.nonce)).toMatchObject({ served: false, calls: 0, answers: 0 });
    expect((await pay(buyer, 'ok')).status).toBe(200);
  });

  it('is taken by a payment that waits for a person, served or not', async () => {
    const buyer = gateway.aBuyer();
    expect((await pay(buyer, 'reverted')).status).toBe(502);
    expect(await payUnheard(buyer)).toMatchObject(UNKNOWN);
    expect(await served()).toBe(0);
  });

  it.each([0, 1])('is one, of eight at once, for a wallet that has paid %i times', async (paid) => {
    const buyer = gateway.aBuyer();
    if (paid) await pay(buyer, 'ok');
    const answers = await Promise.all(Array.from({ length: 8 }, () => payUnheard(buyer)));
    expect(answers.filter(({ error }) => error === 'settlement_unknown')).toHaveLength(7);
    expect(await served()).toBe(paid + 1);
  });
});

describe('a wallet that was served and never paid', () => {
  it('is not served unsettled again, and still served when it pays', async () => {
    const buyer = gateway.aBuyer();
    const first = await payUnheard(buyer);
    const { nonce } = first.payment;
    await fail(first);
    await fail(first);
    const events = ['payment.settlement-pending', 'payment.settlement-failed'];
    const failed = { state: 'settlement_failed', served: true, checked: false, events };
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject(failed);
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ unpaidCalls: 1, settledMicros: 0, eventSeq: 2 });
    const event = { served: true, reason: 'authorization_canceled' };
    expect((await gateway.ledger.events(nonce))[1]).toMatchObject(event);

    expect(await payUnheard(buyer)).toMatchObject(UNKNOWN);
    expect((await pay(buyer, 'ok')).status).toBe(200);
    expect((await gateway.pay(first.payment)).body.error).toBe('settlement_failed');
  });

  it('is not the one whose unserved payment failed', async () => {
    const buyer = gateway.aBuyer();
    expect((await pay(buyer, 'refused')).status).toBe(402);
    expect((await payUnheard(buyer)).status).toBe(200);
  });
});

it('over all wallets at most UNSETTLED_SERVED_MAX an hour: one that fails gives no room back, one that settles does', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => payUnheard()));
  const given = answers.filter(({ status }) => status === 200);
  expect([given.length, await served()]).toEqual([3, 3]);
  await fail(given[0]!);
  expect(await payUnheard()).toMatchObject(UNKNOWN);
  await gateway.query(`UPDATE payments SET state = 'settled', settled_at = now() WHERE nonce = $1`, [
    given[1]!.payment.nonce,
  ]);
  expect((await payUnheard()).status).toBe(200);
  expect(await payUnheard()).toMatchObject(UNKNOWN);
  gateway.clock.advanceMs(3_600_000);
  expect((await payUnheard()).status).toBe(200);
});
