import { aClaim } from '../ledger/claim.fixture';
import { ClaimPayments, type Claim } from '../ledger/claim-payments';
import { RecordUncertain, RecordFailure } from '../ledger/unsettled-outcomes';
import { startGateway, type Gateway } from '../gateway.fixture';
import { terms } from '../payments/payment.fixture';
import { run } from '../operations/payment-closing/run';
import { checkDue, recoveryByHand } from './resolve-uncertain.fixture';

/** The validity that we ask for, what clocks may differ, and the time until no block can include it any more. */
const AWAITED_MS = 300_000 + 600_000 + 600_000;
const DAY_MS = 24 * 3_600_000;

/** With access to the chain; and the one that a test is about, which may be one beside it without. */
let first: Gateway;
let gateway: Gateway;
beforeAll(async () => {
  first = await startGateway({ chain: true, modules: recoveryByHand });
  await first.pay(await first.aBuyer().sign()); // stores the requirements that all claims refer to
  gateway = first;
});
afterAll(() => first.close());

/** Valid for centuries, as an earlier version accepted it. */
async function claimed(): Promise<Claim> {
  const at = gateway.clock.now();
  const validBefore = new Date('9999-12-31T23:59:59Z');
  const authorization = JSON.stringify({ to: terms.payTo });
  const claim = aClaim({ validBefore, authorization, createdAt: at, verifiedAt: at });
  expect(await gateway.app.get(ClaimPayments).claim(claim)).toBe(true);
  return claim;
}

async function checkAfter(ms: number): Promise<string[]> {
  gateway.clock.advanceMs(ms);
  return checkDue(gateway);
}

/** `npm run payment:close … failed`. @returns its exit code and what it says */
async function close(
  { payer, nonce }: Pick<Claim, 'payer' | 'nonce'>,
  ...options: string[]
): Promise<[number, string]> {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const settings = {
    DATABASE_URL: gateway.database.url,
    X402_PAY_TO: terms.payTo,
    X402_RPC_URL: gateway === first ? gateway.facilitator.rpcUrl : 'none',
    OPERATOR: 'ada',
  };
  const code = await run([payer, nonce, 'failed', ...options], settings, { out: say, err: say });
  return [code, said.join('')];
}
const CLOSED = [0, expect.any(String)];
const refused = (because: string): unknown[] => [1, expect.stringContaining(because)];

describe.each([true, false])('chain access: %s', (chain) => {
  beforeAll(async () => {
    if (!chain) gateway = await startGateway({ besides: first, modules: recoveryByHand });
  });
  afterAll(async () => {
    if (!chain) await gateway.close();
    gateway = first;
  });

  it('an uncertain payment valid for centuries is for a person after a day, who can close it', async () => {
    const claim = await claimed();
    await gateway.app.get(RecordUncertain).record({ paymentId: claim.id, event: 'unknown' });
    await checkAfter(5_000);
    // Without the chain the command goes by the clock of its machine, for which this payment is old.
    expect(await close(claim)).toEqual(refused(chain ? 'may still be settled' : 'has not expired'));
    await checkAfter(AWAITED_MS + DAY_MS);
    const forAPerson = { state: 'needs_reconciliation', checked: true };
    expect(await gateway.ledger.entriesOf(claim.nonce)).toMatchObject(forAPerson);

    if (!chain) expect(await close(claim)).toEqual(refused('has not expired'));
    expect(await close(claim, ...(chain ? [] : ['--force', 'unused, says the explorer']))).toEqual(CLOSED);
    const entries = { state: 'settlement_failed', reason: 'closed_by_operator', checked: false };
    expect(await gateway.ledger.entriesOf(claim.nonce)).toMatchObject(entries);
  });
});

it('a refused payment valid for centuries has its last look when any other has it', async () => {
  const { id, nonce } = await claimed();
  await gateway.app.get(RecordFailure).record(id, 'refused', 'insufficient_funds');
  expect(await checkAfter(AWAITED_MS - 1_000)).toEqual([]);
  expect(await checkAfter(1_000)).toEqual([nonce]);
  await checkAfter(AWAITED_MS); // by then a confirmed block is late enough
  expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settlement_failed', checked: false });
});
