import { audit } from '@evenkeel/ops/audit';
import { eventually } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import { startGateway, type Gateway } from '../gateway.fixture';
import { AbandonedPayments } from '../ledger/abandoned-payments';
import { Reconcile } from '../operations/reconciliation/reconcile';
import { ReconciliationModule } from '../operations/reconciliation/reconciliation.module';
import { analyze, terms } from '../payments/payment.fixture';
import { PaymentChecks } from '../ledger/payment-checks';
import { ResolveUncertain } from '../recovery/resolve-uncertain';
import { recoveryByHand } from '../recovery/resolve-uncertain.fixture';
import { attack, ATTACKS, payLate, ticking, workOff } from './payer-attacks.fixture';

const RUNS = Number(process.env.ATTACK_RUNS ?? sized(20, 1_000));
const SEED = Number(process.env.ATTACK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const AT_ONCE = 16;
const MOST_UNSETTLED = 5;
const STEP_MS = sized(100, 50);
const LATEST_MS = 5_000;
const MINUTE_MS = 60_000;
/** Signed for five minutes; ten minutes after that no block can take it any more. */
const EXPIRED_FOR_GOOD_MS = 16 * MINUTE_MS;
/** The first balance of every wallet of the development chain. */
const UNSEEN_BALANCE = 1_000_000_000;

let replicas: [Gateway, Gateway];
let stopClock: () => void;
beforeAll(async () => {
  const settings = {
    UNSETTLED_SERVED_MAX: String(MOST_UNSETTLED),
    FACILITATOR_VERIFY_TIMEOUT_MS: '10000',
    TRUSTED_PROXY_HOPS: '1',
    RECONCILE_LOOK_BACK_HOURS: '24',
  };
  const modules = [...recoveryByHand!, ReconciliationModule];
  const first = await startGateway({ chain: true, modules, settings });
  replicas = [first, await startGateway({ besides: first, chain: true, settings })];
  stopClock = ticking(first);
}, 60_000);
afterAll(async () => {
  stopClock();
  await replicas[1].close();
  await replicas[0].close();
});

const query = <Row>(sql: string, values: unknown[] = []) => replicas[0].ledger.dataSource.query<Row[]>(sql, values);

/** The faults end, and time passes until nothing is uncertain any more. */
async function untilNothingIsOpen(): Promise<void> {
  const [first] = replicas;
  first.facilitator.control({ mode: 'ok' });
  first.clock.advanceMs(EXPIRED_FOR_GOOD_MS);
  await first.ledger.ageClaims(EXPIRED_FOR_GOOD_MS);
  await eventually(
    async () => {
      await first.app.get(AbandonedPayments).takeOverNext();
      for (
        let due = await first.app.get(PaymentChecks).take();
        due.length > 0;
        due = await first.app.get(PaymentChecks).take()
      ) {
        await Promise.all(due.map((check) => first.app.get(ResolveUncertain).execute(check)));
      }
      const open = await query(`SELECT state FROM payments WHERE state NOT IN ('settled', 'settlement_failed')`);
      if (open.length > 0) first.clock.advanceMs(MINUTE_MS);
      expect(open).toEqual([]);
    },
    { withinMs: 120_000 + RUNS * 1_000 },
  );
}

async function received(): Promise<number> {
  const { rpcUrl } = replicas[0].facilitator;
  const data = `0x70a08231${terms.payTo.slice(2).toLowerCase().padStart(64, '0')}`;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_call',
    params: [{ to: terms.asset, data }, 'latest'],
  });
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return Number(((await response.json()) as { result: string }).result) - UNSEEN_BALANCE;
}

async function expectBooksAgree(): Promise<void> {
  const settled = await query<{ nonce: string; price: number }>(
    `SELECT nonce, price_micros::integer AS price FROM payments WHERE state = 'settled'`,
  );
  const known = new Set((await query<{ nonce: string }>(`SELECT nonce FROM payments`)).map(({ nonce }) => nonce));
  const payTo = terms.payTo.toLowerCase();
  const transfers = replicas[0].facilitator.ledger().settlements.filter(({ to }) => to === payTo);
  const paid = transfers.filter(({ nonce }) => known.has(nonce));
  // Each settled payment has a transfer of its own, and each transfer pays one; the others came with refused requests.
  expect(settled.map(({ nonce }) => nonce).toSorted()).toEqual(paid.map(({ nonce }) => nonce).toSorted());
  const settledMicros = settled.reduce((sum, { price }) => sum + price, 0);
  expect(await received()).toBe(settledMicros + (transfers.length - paid.length) * analyze.priceMicros);

  const unpaid = await query(`SELECT nonce FROM payments WHERE served AND state = 'settlement_failed'`);
  expect(unpaid.length).toBeLessThanOrEqual(MOST_UNSETTLED);
  const { comparisons } = await replicas[0].app.get(Reconcile).execute({ isLate: () => false });
  expect(comparisons).toMatchObject([{ with: 'outbox' }, { with: 'chain' }].map((one) => ({ ...one, oursOnly: [] })));
  expect(await audit(replicas[0].ledger.dataSource)).toEqual([]);
}

it('no offset of a late body makes an answer free: a payer who cancels before the block pays or gets none', async () => {
  const [first] = replicas;
  const offsets = Array.from({ length: LATEST_MS / STEP_MS + 1 }, (_, step) => step * STEP_MS);
  const settlements: (string | null)[] = [];
  await workOff(offsets, AT_ONCE, async (lateMs) => {
    const buyer = first.aBuyer();
    const payment = await buyer.sign();
    const { facilitator } = first;
    facilitator.control({ mode: 'answered-with-block', on: 'settle', payer: buyer.wallet, ms: 2_000 });
    const { settlement } = await payLate(replicas[(lateMs / STEP_MS) % 2]!, payment, lateMs);
    settlements.push(settlement);
    if (settlement === 'settlement_pending') {
      facilitator.control({ action: 'cancel', payer: buyer.wallet, nonce: payment.nonce });
    }
  });
  expect(settlements).toContain('settled');
  await untilNothingIsOpen();
  expect(await query(`SELECT nonce FROM payments WHERE served AND state = 'settlement_failed'`)).toEqual([]);
  await expectBooksAgree();
}, 180_000);

it(
  `${RUNS} random attacks on two replicas: received is settled, one transfer pays one payment, free answers are bounded (ATTACK_SEED=${SEED})`,
  async () => {
    await workOff(fc.sample(ATTACKS, { numRuns: RUNS, seed: SEED }), AT_ONCE, (plan) => attack(replicas, plan));
    await untilNothingIsOpen();
    await expectBooksAgree();
  },
  RUNS * 6_000 + 180_000,
);
