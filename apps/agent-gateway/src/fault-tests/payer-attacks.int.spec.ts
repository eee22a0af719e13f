import { eventually } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import { aGateway } from '../gateway.fixture';
import { AbandonedPayments } from '../ledger/abandoned-payments';
import { Reconcile } from '../operations/reconciliation/reconcile';
import { ReconciliationModule } from '../operations/reconciliation/reconciliation.module';
import { terms } from '../payments/payment.fixture';
import { checkDue, recoveryByHand } from '../recovery/resolve-uncertain.fixture';
import { attack, ATTACKS, payLate, workOff } from './payer-attacks.fixture';

const RUNS = Number(process.env.ATTACK_RUNS ?? sized(20, 1_000));
const SEED = Number(process.env.ATTACK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const AT_ONCE = 16;
const MOST_UNSETTLED = 5;
const STEP_MS = sized(100, 50);
const LATEST_MS = 5_000;
const MINUTE_MS = 60_000;
/** Signed for five minutes; ten minutes after that no block can take it any more. */
const EXPIRED_FOR_GOOD_MS = 16 * MINUTE_MS;

const settings = {
  UNSETTLED_SERVED_MAX: String(MOST_UNSETTLED),
  FACILITATOR_VERIFY_TIMEOUT_MS: '10000',
  TRUSTED_PROXY_HOPS: '1',
  RECONCILE_LOOK_BACK_HOURS: '24',
};
const first = aGateway({ chain: true, modules: [...recoveryByHand!, ReconciliationModule], settings });
const replicas = [first, aGateway({ besides: first, chain: true, settings })] as const;
let ticking: NodeJS.Timeout;
beforeAll(() => {
  // The clock of chain and gateways goes on with real time.
  let last = performance.now();
  ticking = setInterval(() => {
    const now = performance.now();
    first.clock.advanceMs(now - last);
    last = now;
  }, 20);
});
afterAll(() => clearInterval(ticking));

const unpaid = () => first.query(`SELECT nonce FROM payments WHERE served AND state = 'settlement_failed'`);

/** The faults end, time passes until nothing is uncertain any more, and the books agree. */
async function expectBooksAgree(): Promise<void> {
  first.control({ mode: 'ok' });
  first.clock.advanceMs(EXPIRED_FOR_GOOD_MS);
  await first.ledger.ageClaims(EXPIRED_FOR_GOOD_MS);
  await eventually(
    async () => {
      await first.app.get(AbandonedPayments).takeOverNext();
      while ((await checkDue(first)).length > 0);
      const open = await first.query(`SELECT state FROM payments WHERE state NOT IN ('settled', 'settlement_failed')`);
      if (open.length > 0) first.clock.advanceMs(MINUTE_MS);
      expect(open).toEqual([]);
    },
    { withinMs: 120_000 + RUNS * 1_000 },
  );
  // Each settled payment has a transfer of its own, and each transfer pays one; the others came with refused requests.
  const rows = await first.query<{ nonce: string; state: string }>(`SELECT nonce, state FROM payments`);
  const known = new Set(rows.map(({ nonce }) => nonce));
  const { settlements } = first.facilitator.ledger();
  const paid = settlements.filter(({ to, nonce }) => to === terms.payTo.toLowerCase() && known.has(nonce));
  const settled = rows.filter(({ state }) => state === 'settled');
  expect(settled.map(({ nonce }) => nonce).toSorted()).toEqual(paid.map(({ nonce }) => nonce).toSorted());
  expect((await unpaid()).length).toBeLessThanOrEqual(MOST_UNSETTLED);
  const { comparisons } = await first.app.get(Reconcile).execute({ isLate: () => false });
  const agreed = [{ with: 'outbox' }, { with: 'chain' }].map((one) => ({ ...one, oursOnly: [] }));
  expect(comparisons).toMatchObject(agreed);
  await first.expectAudited();
}

it('no offset of a late body makes an answer free: a payer who cancels before the block pays or gets none', async () => {
  const offsets = Array.from({ length: LATEST_MS / STEP_MS + 1 }, (_, step) => step * STEP_MS);
  const seen: (string | null)[] = [];
  await workOff(offsets, AT_ONCE, async (lateMs) => {
    const buyer = first.aBuyer();
    const payment = await buyer.sign();
    first.control({ mode: 'answered-with-block', on: 'settle', payer: buyer.wallet, ms: 2_000 });
    const settlement = await payLate(replicas[(lateMs / STEP_MS) % 2]!, payment, lateMs);
    seen.push(settlement);
    if (settlement !== 'settlement_pending') return;
    first.control({ action: 'cancel', payer: buyer.wallet, nonce: payment.nonce });
  });
  expect(seen).toContain('settled');
  await expectBooksAgree();
  expect(await unpaid()).toEqual([]);
}, 180_000);

it(
  `${RUNS} random attacks on two replicas: received is settled, one transfer pays one payment, free answers are bounded (ATTACK_SEED=${SEED})`,
  async () => {
    await workOff(fc.sample(ATTACKS, { numRuns: RUNS, seed: SEED }), AT_ONCE, (plan) => attack(replicas, plan));
    await expectBooksAgree();
  },
  RUNS * 6_000 + 180_000,
);
