import fc from 'fast-check';
import { startGateway, type Gateway } from '../gateway.fixture';
import { balancesOf, difference, eventsOf, type WalletBalances } from './balances.fixture';
import { aBuyerWith } from './credit.fixture';
import { RandomCalls, randomCall, type RandomCall } from './random-calls.fixture';
import { WalletModel } from './wallet-model.fixture';

const SEQUENCES = sized(8, 20);
const CALLS = 100;
const AT_ONCE = 8;
/** One wallet for each tier, about to reach it; their accrued rebate brings credits within few calls. */
const WALLETS = [
  { settledMicros: 9_500_000, accruedMicros: 0 },
  { settledMicros: 99_500_000, accruedMicros: 99_500 },
  { settledMicros: 999_500_000, accruedMicros: 60_000 },
  { settledMicros: 1_000_000_000, accruedMicros: 350_000 },
];

let gateway: Gateway;
beforeAll(async () => {
  // The machine may be busy: what is tested is money, not time.
  gateway = await startGateway({
    silentAtOnce: true,
    settings: { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000' },
  });
});
afterAll(() => gateway.close());

it(`the difference is 0 for every wallet after ${SEQUENCES * CALLS} random calls`, async () => {
  let credits = 0;
  let redeemed = 0;
  const property = fc.asyncProperty(fc.array(randomCall, { minLength: CALLS, maxLength: CALLS }), async (calls) => {
    const end = await play(calls);
    for (const { problems, balances, expected } of end) {
      expect(problems).toEqual([]);
      expect(balances).toEqual(expected);
      expect(difference(balances)).toBe(0);
      credits += balances.issued;
      redeemed += balances.redeemed;
    }
  });
  await fc.assert(property, { numRuns: SEQUENCES, endOnFailure: true });
  // Without so many credits the calls would show nothing.
  expect([credits > SEQUENCES, redeemed > SEQUENCES / 2]).toEqual([true, true]);
}, 300_000);

interface End {
  balances: WalletBalances;
  expected: WalletBalances;
  problems: string[];
}

async function play(calls: RandomCall[]): Promise<End[]> {
  const { dataSource } = gateway.ledger;
  gateway.facilitator.control({ mode: 'ok' });
  const buyers = await Promise.all(WALLETS.map((wallet) => aBuyerWith(gateway, wallet)));
  const before = await Promise.all(buyers.map(({ wallet }) => balancesOf(dataSource, wallet)));
  const random = new RandomCalls(gateway, buyers);
  for (let at = 0; at < calls.length; at += AT_ONCE) {
    await Promise.all(calls.slice(at, at + AT_ONCE).map((call) => random.make(call)));
  }
  expect(random.unforeseen).toEqual([]);
  expect(new Set(random.tokens).size).toBe(random.tokens.length);

  const seen = await seenBy(random);
  return Promise.all(
    buyers.map(async ({ wallet }, index) => {
      const model = new WalletModel(before[index]!, seen);
      const expected = model.play(await eventsOf(dataSource, wallet));
      return { balances: await balancesOf(dataSource, wallet), expected, problems: model.problems };
    }),
  );
}

/** Callers know nonces, events name payments. */
async function seenBy({ buyers, answered, settledByHand, broughtCredit }: RandomCalls) {
  const rows = await gateway.ledger.dataSource.query<{ id: string; nonce: string }[]>(
    `SELECT id, nonce FROM payments WHERE payer = ANY ($1)`,
    [buyers.map(({ wallet }) => wallet)],
  );
  const idsOf = (nonces: ReadonlySet<string>) =>
    new Set(rows.filter(({ nonce }) => nonces.has(nonce)).map(({ id }) => id));
  const direct = new Set([...answered].filter((nonce) => !settledByHand.has(nonce)));
  return { answeredDirectly: idsOf(direct), broughtCredit: idsOf(broughtCredit) };
}
