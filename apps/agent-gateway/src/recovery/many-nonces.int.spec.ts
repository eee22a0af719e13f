import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import type { Buyer, SignedPayment } from '../buyer.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { checkDue, recoveryByHand } from './resolve-uncertain.fixture';

/** Three blocks of the chain: what happened before is confirmed. */
const CONFIRMED_MS = 6_000;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true, chain: true, modules: recoveryByHand });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(() => gateway.facilitator.control({ mode: 'ok', on: ['verify', 'settle', 'rpc'] }));

/** A check is passed over while the outcome of the last one is being written. */
async function checkAfter(ms: number, nonce: string): Promise<void> {
  gateway.clock.advanceMs(ms);
  await eventually(async () => expect(await checkDue(gateway)).toContain(nonce));
}

describe('many nonces in one transaction', () => {
  async function uncertain(buyer: Buyer, count: number) {
    const payments: SignedPayment[] = [];
    for (let call = 0; call < count; call++) {
      payments.push(await buyer.sign());
      gateway.facilitator.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
      expect((await gateway.pay(payments.at(-1)!)).status).toBe(502);
    }
    return payments;
  }

  const toItself = ({ authorization }: SignedPayment) => ({ ...authorization, to: authorization.from, value: '0' });

  async function untilDecided(payments: readonly SignedPayment[]): Promise<(string | undefined)[]> {
    gateway.clock.advanceMs(CONFIRMED_MS);
    const states = () => Promise.all(payments.map(({ nonce }) => gateway.ledger.entriesOf(nonce)));
    await eventually(async () => {
      await checkDue(gateway);
      const open = (await states()).filter((entries) => entries?.checked);
      if (open.length > 0) gateway.clock.advanceMs(CONFIRMED_MS);
      expect(open).toEqual([]);
    });
    return (await states()).map((entries) => entries?.state);
  }

  it.each([
    ['of a nonce among them', (real: SignedPayment) => real.authorization, ['settled']],
    ['without a nonce', ({ authorization: { from, to, value } }: SignedPayment) => ({ from, to, value }), []],
  ])('and one real transfer, %s: six calls are not settled for the price of one', async (_, real, settled) => {
    const buyer = gateway.aBuyer();
    const payments = await uncertain(buyer, 6);
    const [first, ...others] = payments;
    const transfers = [...others.map(toItself), real(first!)];
    if (settled.length === 0) transfers.unshift(toItself(first!));
    gateway.facilitator.control({ action: 'batch', transfers });
    const states = await untilDecided(payments);
    expect(states.filter((state) => state === 'settled')).toEqual(settled);
    expect(states.filter((state) => state === 'settlement_failed')).toHaveLength(6 - settled.length);
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000 * settled.length });
  });

  it('and each with its own transfer: each settles, by its own', async () => {
    const [one, other] = [gateway.aBuyer(), gateway.aBuyer()];
    const payments = [...(await uncertain(one, 3)), ...(await uncertain(other, 2))];
    gateway.facilitator.control({ action: 'batch', transfers: payments.map(({ authorization }) => authorization) });
    expect(new Set(await untilDecided(payments))).toEqual(new Set(['settled']));
    expect(await gateway.ledger.wallet(one.wallet)).toMatchObject({ settledMicros: 150_000 });
    const rows = await gateway.ledger.dataSource.query<{ log_index: number }[]>(
      `SELECT log_index FROM payment_transfers t JOIN payments p ON p.id = t.payment_id WHERE p.nonce = ANY($1)
       ORDER BY log_index`,
      [payments.map(({ nonce }) => nonce)],
    );
    expect(rows.map(({ log_index: index }) => index - rows[0]!.log_index)).toEqual([0, 2, 4, 6, 8]);
  });

  it('a transfer that has paid another payment pays no second one', async () => {
    const [payment] = await uncertain(gateway.aBuyer(), 1);
    gateway.facilitator.control({ action: 'submit', authorization: payment!.authorization });
    const { transaction } = gateway.facilitator.ledger(payment!.nonce).settlements[0]!;
    await gateway.ledger.dataSource.query(
      `INSERT INTO payment_transfers SELECT 8453, $1, n, gen_random_uuid() FROM generate_series(0, 20) AS n`,
      [transaction],
    );
    await checkAfter(CONFIRMED_MS, payment!.nonce);
    expect(await gateway.ledger.entriesOf(payment!.nonce)).toMatchObject({
      state: 'settlement_pending',
      checked: true,
    });
    await gateway.ledger.dataSource.query(`DELETE FROM payment_transfers WHERE transaction_hash = $1`, [transaction]);
    await checkAfter(60_000, payment!.nonce);
    expect(await gateway.ledger.entriesOf(payment!.nonce)).toMatchObject({ state: 'settled' });
  });
});

it('leaves no row that the audit objects to', async () => {
  expect(await audit(gateway.ledger.dataSource)).toEqual([]);
});
