import { eventually } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import { type Gateway, type Reply, startGateway } from '../gateway.fixture';
import { aBuyerWith, aCredit, balancesOf, difference, eventsOf, redeem } from './credit.fixture';
import { randomCall, type RandomCall, RandomCalls } from './random-calls.fixture';
import { WalletModel } from './wallet-model.fixture';

// The machine may be busy: what is tested is counting and money, not time.
const settings = { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000' };
const ROUNDS = sized(5, 20);

let gateway: Gateway;
let second: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true, settings });
  second = await startGateway({ besides: gateway, settings });
});
afterAll(async () => {
  await second.close();
  await gateway.close();
});

const balances = ({ wallet }: { wallet: string }) => balancesOf(gateway.ledger.dataSource, wallet);
const events = ({ wallet }: { wallet: string }) => eventsOf(gateway.ledger.dataSource, wallet);
const atBoth = (count: number, make: (replica: Gateway) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index % 2 ? gateway : second)));
const replayed = ({ headers }: Reply) => headers.get('idempotent-replayed');
const key = { 'idempotency-key': 'k1' };

function expectOneCall(replies: Reply[]): void {
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(replies.filter((reply) => replayed(reply) === null)).toHaveLength(1);
}

it(`forty uses of one credit at two replicas give one 200, in ${ROUNDS} rounds`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { token, buyer } = await aCredit(gateway);
    const replies = await atBoth(40, (replica) => redeem(replica, token));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.error === 'credit_spent')).toHaveLength(39);
    const sums = await balances(buyer);
    expect([sums.redeemed, difference(sums)]).toEqual([1, 0]);
    const types = (await events(buyer)).map(({ seq, type }) => `${seq} ${type}`);
    expect(types).toEqual(['1 payment.settled', '2 credit.issued', '3 credit.redeemed']);
  }
}, 120_000);

describe('a call with a credit and a payment, sent again', () => {
  const facts = ({ status, headers }: Reply) => [status, headers.get('x-agent-credit-status')];

  it('with its key eight times at once, all of which find the credit unspent, is one call and its answer to all', async () => {
    const { token, buyer } = await aCredit(gateway);
    const { header, nonce } = await gateway.aBuyer().sign();
    const lock = gateway.ledger.dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query('SELECT FROM credits WHERE payer = $1 FOR UPDATE', [buyer.wallet]);
    const sent = atBoth(8, () => redeem(gateway, token, { headers: { 'x-payment': header, ...key } }));
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE credits%'`;
    await eventually(async () => (await gateway.ledger.dataSource.query<unknown[]>(waiting)).length === 8);
    await lock.rollbackTransaction();
    await lock.release();
    expectOneCall(await sent);
    expect((await balances(buyer)).redeemed).toBe(1);
    expect([await gateway.ledger.entriesOf(nonce), gateway.callsAbout(nonce).verify]).toEqual([null, 0]);
  });

  it.each([0, 3_600_000])(
    'without a key, %i ms later: the payment pays as if it came alone, and is not 402 for ever',
    async (ms) => {
      const { token, buyer } = await aCredit(gateway);
      expect(facts(await redeem(gateway, token))).toEqual([200, 'redeemed']);
      gateway.clock.advanceMs(ms);
      const { header } = await gateway.aBuyer().sign();
      const [first, again] = [
        await redeem(gateway, token, { headers: { 'x-payment': header } }),
        await redeem(gateway, token, { headers: { 'x-payment': header } }),
      ];
      expect([facts(first), replayed(first)]).toEqual([[200, 'spent'], null]);
      expect([facts(again), replayed(again), again.text]).toEqual([[200, 'spent'], 'true', first.text]);
      expect((await balances(buyer)).redeemed).toBe(1);
    },
  );
});

const CALLS = 100;
const AT_ONCE = 8;
/** One wallet for each tier, about to reach it; their accrued rebate brings credits within few calls. */
const WALLETS = [
  { settledMicros: 9_500_000, accruedMicros: 0 },
  { settledMicros: 99_500_000, accruedMicros: 99_500 },
  { settledMicros: 999_500_000, accruedMicros: 60_000 },
  { settledMicros: 1_000_000_000, accruedMicros: 350_000 },
];

/** @returns how many credits were issued and redeemed */
async function playsByTheRules(calls: RandomCall[]): Promise<{ issued: number; redeemed: number }> {
  gateway.facilitator.control({ mode: 'ok' });
  const buyers = await Promise.all(WALLETS.map((wallet) => aBuyerWith(gateway, wallet)));
  const before = await Promise.all(buyers.map(balances));
  const random = new RandomCalls(gateway, buyers);
  for (let at = 0; at < calls.length; at += AT_ONCE) {
    await Promise.all(calls.slice(at, at + AT_ONCE).map((call) => random.make(call)));
  }
  expect(random.unforeseen).toEqual([]);
  expect(new Set(random.tokens).size).toBe(random.tokens.length);
  const seen = await random.seen();
  const credits = { issued: 0, redeemed: 0 };
  for (const [index, buyer] of buyers.entries()) {
    const model = new WalletModel(before[index]!, seen);
    const expected = model.play(await events(buyer));
    const sums = await balances(buyer);
    expect([model.problems, sums, difference(sums)]).toEqual([[], expected, 0]);
    credits.issued += sums.issued;
    credits.redeemed += sums.redeemed;
  }
  return credits;
}

it(`the difference is 0 for every wallet after ${ROUNDS * CALLS} random calls`, async () => {
  const total = { issued: 0, redeemed: 0 };
  const property = fc.asyncProperty(fc.array(randomCall, { minLength: CALLS, maxLength: CALLS }), async (calls) => {
    const { issued, redeemed } = await playsByTheRules(calls);
    total.issued += issued;
    total.redeemed += redeemed;
  });
  await fc.assert(property, { numRuns: ROUNDS, endOnFailure: true });
  // Without so many credits the calls would show nothing.
  expect([total.issued > ROUNDS, total.redeemed > ROUNDS / 2]).toEqual([true, true]);
}, 300_000);
