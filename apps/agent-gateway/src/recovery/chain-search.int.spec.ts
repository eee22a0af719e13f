import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import type { Buyer, SignedPayment } from '../buyer.fixture';
import { aGateway } from '../gateway.fixture';
import { checkDue, CONFIRMED_MS, type LogQuery, RecordedRpc, recoveryByHand } from './resolve-uncertain.fixture';

const rpc = new RecordedRpc(() => gateway.facilitator.rpcUrl);
const gateway = aGateway(async () => {
  return { silentAtOnce: true, modules: recoveryByHand, settings: { X402_RPC_URL: await rpc.start() } };
});
afterAll(() => rpc.close());

beforeEach(async () => {
  await gateway.query('DELETE FROM payment_checks'); // of the test before
  gateway.clock.advanceMs(11_000); // the circuit breaker forgets it, too
  rpc.taken();
});

describe('many nonces in one transaction', () => {
  async function uncertain(buyer: Buyer, count: number) {
    const payments: SignedPayment[] = [];
    for (let call = 0; call < count; call++) {
      payments.push(await buyer.sign());
      gateway.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
      expect((await gateway.pay(payments.at(-1)!)).status).toBe(502);
    }
    return payments;
  }

  const toItself = ({ authorization }: SignedPayment) => ({ ...authorization, to: authorization.from, value: '0' });

  async function untilDecided(payments: readonly SignedPayment[]): Promise<(string | undefined)[]> {
    const states = () => Promise.all(payments.map(({ nonce }) => gateway.ledger.entriesOf(nonce)));
    await eventually(async () => {
      gateway.clock.advanceMs(CONFIRMED_MS);
      await checkDue(gateway);
      expect((await states()).filter((entries) => entries?.checked)).toEqual([]);
    });
    expect(await audit(gateway.ledger.dataSource)).toEqual([]);
    return (await states()).map((entries) => entries?.state);
  }

  it.each([
    ['of a nonce among them', 1],
    ['without a nonce', 0],
  ])('and one real transfer, %s: six calls are not settled for the price of one', async (_, settled) => {
    const buyer = gateway.aBuyer();
    const payments = await uncertain(buyer, 6);
    const [first, ...others] = payments as [SignedPayment, ...SignedPayment[]];
    const { from, to, value } = first.authorization;
    const real = settled ? [first.authorization] : [{ from, to, value }];
    const empty = (settled ? others : payments).map(toItself);
    gateway.control({ action: 'batch', transfers: [...empty, ...real] });
    const states = await untilDecided(payments);
    expect(states.filter((state) => state === 'settled')).toHaveLength(settled);
    expect(states.filter((state) => state === 'settlement_failed')).toHaveLength(6 - settled);
    expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000 * settled });
  });

  it('and each with its own transfer: each settles, by its own', async () => {
    const [one, other] = [gateway.aBuyer(), gateway.aBuyer()];
    const payments = [...(await uncertain(one, 3)), ...(await uncertain(other, 2))];
    gateway.control({ action: 'batch', transfers: payments.map(({ authorization }) => authorization) });
    expect(new Set(await untilDecided(payments))).toEqual(new Set(['settled']));
    expect(await gateway.ledger.wallet(one.wallet)).toMatchObject({ settledMicros: 150_000 });
    const rows = await gateway.query<{ at: number }>(
      `SELECT log_index AS at FROM payment_transfers t JOIN payments p ON p.id = t.payment_id WHERE p.nonce = ANY($1)
       ORDER BY log_index`,
      [payments.map(({ nonce }) => nonce)],
    );
    expect(rows.map(({ at }) => at - rows[0]!.at)).toEqual([0, 2, 4, 6, 8]);
  });

  it('a transfer that has paid another payment pays no second one', async () => {
    const [payment] = (await uncertain(gateway.aBuyer(), 1)) as [SignedPayment];
    gateway.control({ action: 'submit', authorization: payment.authorization });
    const { transaction } = gateway.facilitator.ledger(payment.nonce).settlements[0]!;
    await gateway.query(
      `INSERT INTO payment_transfers SELECT 8453, $1, n, gen_random_uuid() FROM generate_series(0, 20) AS n`,
      [transaction],
    );
    gateway.clock.advanceMs(CONFIRMED_MS);
    expect(await checkDue(gateway)).toEqual([payment.nonce]);
    const open = { state: 'settlement_pending', checked: true };
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject(open);
    await gateway.query(`DELETE FROM payment_transfers WHERE transaction_hash = $1`, [transaction]);
    gateway.clock.advanceMs(60_000);
    expect(await untilDecided([payment])).toEqual(['settled']);
  });
});

it('a payment that settled while it became uncertain is not checked for ever', async () => {
  const payment = await gateway.aBuyer().sign();
  expect((await gateway.pay(payment)).status).toBe(200);
  const check = `INSERT INTO payment_checks (payment_id, payer, next_at) SELECT id, payer, $1 FROM payments WHERE nonce = $2`;
  await gateway.query(check, [gateway.clock.now(), payment.nonce]);
  expect(await checkDue(gateway)).toEqual([payment.nonce]);
  const entries = { state: 'settled', checked: false, events: ['payment.settled'] };
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject(entries);
});

describe('the search for a transfer', () => {
  const BLOCK_MS = 2_000;
  const MOST_BLOCKS_A_QUERY = 2_000;
  const MOST_BLOCKS_A_LOOK = 20_000;
  /** Searched again each time: a node may be behind. */
  const RECENT_BLOCKS = 300;

  /** Its nonce is used; by the ledger it was claimed so much later. */
  async function usedBeforeItsClaim(minutes: number): Promise<string> {
    const payment = await gateway.aBuyer().sign();
    gateway.control({ mode: 'submitted-after-verify', count: 1 });
    expect((await gateway.pay(payment)).status).toBe(502);
    const later = `UPDATE payments SET created_at = created_at + $2 * interval '1 min' WHERE nonce = $1`;
    await gateway.query(later, [payment.nonce, minutes]);
    return payment.nonce;
  }

  async function lookAfter(ms: number, nonce: string): Promise<LogQuery[]> {
    gateway.clock.advanceMs(ms);
    expect(await checkDue(gateway)).toEqual([nonce]);
    return rpc.taken();
  }

  const blocksIn = (queries: LogQuery[]) => queries.reduce((sum, { from, to }) => sum + to - from + 1, 0);

  it('searches what is new, in steps, and no block for ever', async () => {
    const nonce = await usedBeforeItsClaim(60);
    const looks = [await lookAfter(45_000 * BLOCK_MS, nonce)];
    while (blocksIn(looks.at(-1)!) === MOST_BLOCKS_A_LOOK) looks.push(await lookAfter(20 * 60_000, nonce));
    expect(looks).toHaveLength(3);
    const all = looks.flat();
    for (const { from, to } of all) expect(to - from).toBeLessThan(MOST_BLOCKS_A_QUERY);
    all.slice(1).forEach(({ from }, index) => expect(from).toBe(all[index]!.to + 1));
    for (let look = 0; look < 3; look++) {
      const more = await lookAfter(10 * 60_000, nonce);
      expect(blocksIn(more)).toBe(RECENT_BLOCKS + (10 * 60_000) / BLOCK_MS);
    }
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'needs_reconciliation', checked: true });
  });

  it('goes on where the node failed, and not from the start', async () => {
    const nonce = await usedBeforeItsClaim(60);
    rpc.failsFrom = 0;
    const [begun] = await lookAfter(45_000 * BLOCK_MS, nonce);
    rpc.failsFrom = begun!.from + 2 * MOST_BLOCKS_A_QUERY;
    const failed = await lookAfter(20 * 60_000, nonce);
    rpc.failsFrom = Infinity;
    const [again] = await lookAfter(20 * 60_000, nonce);
    expect([failed.length, again!.from]).toEqual([3, failed.at(-1)!.from]);
  });

  it('ends with its round while it looks for the first block; anew it finds what a clock five minutes ahead claimed', async () => {
    const nonce = await usedBeforeItsClaim(5);
    gateway.clock.advanceMs(CONFIRMED_MS);
    rpc.blocks = 0;
    // The newest block, and two of the bisection.
    expect(await checkDue(gateway, () => rpc.blocks >= 3)).toEqual([nonce]);
    expect([rpc.blocks, rpc.taken()]).toEqual([3, []]);
    const searched = `SELECT searched_to FROM payment_checks JOIN payments ON id = payment_id WHERE nonce = $1`;
    expect(await gateway.query(searched, [nonce])).toEqual([{ searched_to: null }]);
    await lookAfter(20 * 60_000, nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settled', served: false });
  });
});
