import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import type { Buyer, SignedPayment } from '../buyer.fixture';
import { type Gateway, startGateway } from '../gateway.fixture';
import { checkDue, type LogQuery, RecordedRpc, recoveryByHand } from './resolve-uncertain.fixture';

const rpc = new RecordedRpc(() => gateway.facilitator.rpcUrl);
let gateway: Gateway;
beforeAll(async () => {
  const settings = { X402_RPC_URL: await rpc.start() };
  gateway = await startGateway({ silentAtOnce: true, modules: recoveryByHand, settings });
});
afterAll(async () => {
  await gateway.close();
  await rpc.close();
});

/** Three blocks of the chain: what happened before is confirmed. */
const CONFIRMED_MS = 6_000;
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

/** The transaction of `RecordUncertain`, held open: the settlement of the payment has to wait for it. */
async function writeUncertain(nonce: string) {
  const { id, payer } = await gateway.ledger.payment(nonce);
  const uncertain = gateway.ledger.dataSource.createQueryRunner();
  await uncertain.startTransaction();
  await uncertain.query(`UPDATE payments SET state = 'settlement_pending' WHERE id = $1`, [id]);
  await uncertain.query(`INSERT INTO payment_checks (payment_id, payer, next_at) VALUES ($1, $2, $3)`, [
    id,
    payer,
    gateway.clock.now(),
  ]);
  return async () => {
    await uncertain.commitTransaction();
    await uncertain.release();
  };
}

/** It waits in short attempts, each of which sees what was committed before it; resolves in one that has just begun. */
async function untilSettlementWaits(): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND clock_timestamp() - query_start < interval '100 ms'`;
  await eventually(async () => (await gateway.ledger.dataSource.query<unknown[]>(waiting)).length === 1);
}

it('a payment that settles while it becomes uncertain is not checked for ever', async () => {
  const payment = await gateway.aBuyer().sign();
  gateway.facilitator.control({ mode: 'slow', on: 'settle', ms: 2_000, count: 1 });
  const paying = gateway.pay(payment);
  await eventually(() => gateway.ledger.payment(payment.nonce));
  const commit = await writeUncertain(payment.nonce);
  await untilSettlementWaits();
  await commit();
  expect((await paying).status).toBe(200);

  expect(await checkDue(gateway)).toEqual([payment.nonce]);
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({
    state: 'settled',
    served: true,
    checked: false,
    events: ['payment.settled'],
  });
});

describe('the search for a transfer', () => {
  const BLOCK_MS = 2_000;
  const MOST_BLOCKS_A_QUERY = 2_000;
  const MOST_BLOCKS_A_LOOK = 20_000;
  /** Searched again each time: a node may be behind. */
  const RECENT_BLOCKS = 300;

  beforeEach(() => void rpc.taken()); // what the tests before have asked for

  /** Its nonce is used; by the ledger it was claimed so much later. */
  async function usedBeforeItsClaim(minutes: number): Promise<string> {
    const payment = await gateway.aBuyer().sign();
    gateway.facilitator.control({ mode: 'submitted-after-verify', count: 1 });
    expect((await gateway.pay(payment)).status).toBe(502);
    await gateway.ledger.dataSource.query(
      `UPDATE payments SET created_at = created_at + $2 * interval '1 min' WHERE nonce = $1`,
      [payment.nonce, minutes],
    );
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
    const forget = () => gateway.ledger.dataSource.query('DELETE FROM payment_checks');
    await forget();
    const nonce = await usedBeforeItsClaim(60);
    rpc.failsFrom = 0;
    const [begun] = await lookAfter(45_000 * BLOCK_MS, nonce);
    rpc.failsFrom = begun!.from + 2 * MOST_BLOCKS_A_QUERY;
    const failed = await lookAfter(20 * 60_000, nonce);
    rpc.failsFrom = Infinity;
    const [again] = await lookAfter(20 * 60_000, nonce);
    expect([failed.length, again!.from]).toEqual([3, failed.at(-1)!.from]);
    await forget();
  });

  it('finds the transfer of a payment that was claimed by a clock five minutes ahead', async () => {
    const nonce = await usedBeforeItsClaim(5);
    await lookAfter(CONFIRMED_MS, nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settled', served: false });
  });

  it('ends with its round while it looks for the first block, and begins anew in the next one', async () => {
    const nonce = await usedBeforeItsClaim(5);
    gateway.clock.advanceMs(CONFIRMED_MS);
    rpc.blocks = 0;
    // The newest block, and two of the bisection.
    expect(await checkDue(gateway, () => rpc.blocks >= 3)).toEqual([nonce]);
    expect([rpc.blocks, rpc.taken()]).toEqual([3, []]);
    const searched = `SELECT searched_to FROM payment_checks JOIN payments ON id = payment_id WHERE nonce = $1`;
    expect(await gateway.ledger.dataSource.query(searched, [nonce])).toEqual([{ searched_to: null }]);

    await lookAfter(20 * 60_000, nonce);
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settled' });
  });
});
