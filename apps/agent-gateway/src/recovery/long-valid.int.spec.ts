import { audit } from '@evenkeel/ops/audit';
import { aClaim } from '../ledger/claim.fixture';
import { ClaimPayments, type Claim } from '../ledger/claim-payments';
import { RecordUncertain, RecordFailure } from '../ledger/unsettled-outcomes';
import { startGateway, type Gateway } from '../gateway.fixture';
import { terms } from '../payments/payment.fixture';
import { run } from '../operations/payment-closing/run';
import { checkDue, recoveryByHand } from './resolve-uncertain.fixture';

const FOR_CENTURIES = new Date('9999-12-31T23:59:59Z');
/** The validity that we ask for, what clocks may differ, and the time until no block can include it any more. */
const AWAITED_MS = 300_000 + 600_000 + 600_000;
const DAY_MS = 24 * 3_600_000;

let first: Gateway;
/** The one that a test is about: the first, or one beside it without the chain. */
let gateway: Gateway;
beforeAll(async () => {
  first = await startGateway({ chain: true, modules: recoveryByHand });
  gateway = first;
});
afterAll(() => first.close());

/** As an earlier version accepted it. */
async function claimed(validBefore = FOR_CENTURIES): Promise<Claim> {
  const at = gateway.clock.now();
  const authorization = JSON.stringify({ to: terms.payTo });
  const claim = aClaim({ validBefore, authorization, createdAt: at, verifiedAt: at });
  expect(await gateway.app.get(ClaimPayments).claim(claim)).toBe(true);
  return claim;
}

async function refused(validBefore?: Date): Promise<Claim> {
  const claim = await claimed(validBefore);
  await gateway.app.get(RecordFailure).record(claim.id, 'refused', 'insufficient_funds');
  return claim;
}

async function uncertain(validBefore?: Date): Promise<Claim> {
  const claim = await claimed(validBefore);
  const uncertain = {
    event: 'unknown',
    reason: null,
    transactionHash: null,
    settleAgain: false,
    answer: null,
  } as const;
  await gateway.app.get(RecordUncertain).record({ paymentId: claim.id, ...uncertain });
  return claim;
}

async function checkAfter(ms: number): Promise<string[]> {
  gateway.clock.advanceMs(ms);
  return checkDue(gateway);
}

async function close({ payer, nonce }: Claim, ...options: string[]): Promise<{ code: number; text: string }> {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const settings = {
    DATABASE_URL: gateway.database.url,
    X402_PAY_TO: terms.payTo,
    X402_RPC_URL: gateway === first ? gateway.facilitator.rpcUrl : 'none',
    OPERATOR: 'ada',
  };
  const code = await run([payer, nonce, 'failed', ...options], settings, { out: say, err: say });
  return { code, text: said.join('') };
}

const openChecks = () => gateway.ledger.dataSource.query<unknown[]>('SELECT payment_id FROM payment_checks');

describe.each([true, false])('chain access: %s', (chain) => {
  beforeAll(async () => {
    if (!chain) gateway = await startGateway({ besides: first, modules: recoveryByHand });
  });
  afterAll(async () => {
    if (!chain) await gateway.close();
    gateway = first;
  });

  it('many payments of a wallet that had money for one leave nothing that cannot be closed', async () => {
    const buyer = gateway.aBuyer();
    const payments = await Promise.all(Array.from({ length: 9 }, () => buyer.sign()));
    expect((await gateway.pay(payments[0]!)).status).toBe(200);
    for (const [index, payment] of payments.slice(1).entries()) {
      const reason = index % 2 ? 'invalid_exact_evm_insufficient_balance' : 'unexpected_error';
      gateway.facilitator.control({ mode: 'refused', reason, count: 1 });
      await gateway.pay(payment);
    }
    for (const ms of [AWAITED_MS, DAY_MS + AWAITED_MS, AWAITED_MS]) await checkAfter(ms);
    for (const { nonce } of payments.slice(1)) {
      const { state } = (await gateway.ledger.entriesOf(nonce))!;
      if (state !== 'settlement_failed') {
        expect([chain, state]).toEqual([false, 'needs_reconciliation']);
        const row = await gateway.ledger.payment(nonce);
        expect((await close(row)).code).toBe(0);
      }
      expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settlement_failed', checked: false });
    }
    expect(await openChecks()).toEqual([]);
    expect(await audit(gateway.ledger.dataSource)).toEqual([]);
  });

  it('an uncertain payment valid for centuries is for a person after a day, who can close it', async () => {
    const claim = await uncertain();
    await checkAfter(5_000);
    // Without the chain the command goes by the clock of its machine, for which this payment is old.
    const early = chain ? 'may still be settled' : 'has not expired';
    expect(await close(claim)).toMatchObject({ code: 1, text: expect.stringContaining(early) });
    await checkAfter(AWAITED_MS + DAY_MS);
    expect(await gateway.ledger.entriesOf(claim.nonce)).toMatchObject({ state: 'needs_reconciliation', checked: true });

    const closed = await close(claim);
    if (!chain) {
      expect(closed).toMatchObject({ code: 1, text: expect.stringContaining('has not expired') });
      expect((await close(claim, '--force', 'unused, says the explorer')).code).toBe(0);
    } else expect(closed.code).toBe(0);
    const reason = 'closed_by_operator';
    const entries = { state: 'settlement_failed', reason, checked: false };
    expect(await gateway.ledger.entriesOf(claim.nonce)).toMatchObject(entries);
  });
});

describe('a refused payment valid for centuries', () => {
  it('has its last look when any other has it', async () => {
    const { nonce } = await refused();
    expect(await checkAfter(AWAITED_MS - 1_000)).toEqual([]);
    expect(await checkAfter(1_000)).toEqual([nonce]);
    await checkAfter(AWAITED_MS); // by then a confirmed block is late enough
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settlement_failed', checked: false });
  });
});
