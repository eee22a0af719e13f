import { eventually } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import { type Gateway, type Reply, startGateway } from '../gateway.fixture';
import {
  aBuyerWith,
  aCredit,
  balancesOf,
  difference,
  eventsOf,
  type HeldCredit,
  redeem,
  type WalletBalances,
} from './credit.fixture';
import { randomCall, type RandomCall, RandomCalls } from './random-calls.fixture';
import { WalletModel } from './wallet-model.fixture';

// The machine may be busy: what is tested is counting and money, not time.
const settings = { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000' };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true, settings });
});
afterAll(() => gateway.close());

describe('at two replicas', () => {
  const ROUNDS = sized(5, 20);
  let second: Gateway;
  beforeAll(async () => {
    second = await startGateway({ besides: gateway, settings });
  });
  afterAll(() => second.close());

  const times = (count: number, make: (replica: Gateway) => Promise<Reply>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index % 2 ? gateway : second)));
  const ok = (replies: Reply[]) => replies.filter(({ status }) => status === 200);
  const isFirst = ({ headers }: Reply) => headers.get('idempotent-replayed') === null;
  const eventTypes = async (wallet: string) =>
    (await eventsOf(gateway.ledger.dataSource, wallet)).map(({ seq, type }) => `${seq} ${type}`);

  describe(`in ${ROUNDS} rounds`, () => {
    it('forty uses of one credit give one 200', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { token, buyer } = await aCredit(gateway);
        const replies = await times(40, (replica) => redeem(replica, token));
        expect([ok(replies).length, replies.filter(({ body }) => body.error === 'credit_spent').length]).toEqual([
          1, 39,
        ]);
        const balances = await balancesOf(gateway.ledger.dataSource, buyer.wallet);
        expect([balances.redeemed, difference(balances)]).toEqual([1, 0]);
        expect(await eventTypes(buyer.wallet)).toEqual(['1 payment.settled', '2 credit.issued', '3 credit.redeemed']);
      }
    }, 120_000);
  });

  it('forty copies of one call with a credit and a key give one call, and its answer to all', async () => {
    const { token, buyer } = await aCredit(gateway);
    const replies = await times(40, (replica) => redeem(replica, token, { headers: { 'idempotency-key': 'k1' } }));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies.filter(isFirst)).toHaveLength(1);
    expect((await balancesOf(gateway.ledger.dataSource, buyer.wallet)).redeemed).toBe(1);
  });
});

describe('a call with a credit and a payment, sent again', () => {
  const waitingRedemptions = async (): Promise<number> => {
    const [row] = await gateway.ledger.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::integer FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE credits%'`,
    );
    return row.count;
  };
  const balances = ({ buyer }: HeldCredit) => balancesOf(gateway.ledger.dataSource, buyer.wallet);
  const facts = ({ status, body, headers }: Reply) => [status, body.error, headers.get('x-agent-credit-status')];
  const replayed = ({ headers }: Reply) => headers.get('idempotent-replayed');
  const redeemed = [200, undefined, 'redeemed'];
  const paid = [200, undefined, 'spent'];

  const both = async ({ token }: HeldCredit, headers: Record<string, string> = {}) => {
    const payment = await gateway.aBuyer().sign();
    return {
      send: () => redeem(gateway, token, { headers: { 'x-payment': payment.header, ...headers } }),
      isUntouched: async () =>
        (await gateway.ledger.entriesOf(payment.nonce)) === null && gateway.callsAbout(payment.nonce).verify === 0,
    };
  };

  it('with its key eight times at once, all of which find the credit unspent, is one call and its answer to all', async () => {
    const credit = await aCredit(gateway);
    const { send, isUntouched } = await both(credit, { 'idempotency-key': 'k1' });
    const lock = gateway.ledger.dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query('SELECT FROM credits WHERE payer = $1 FOR UPDATE', [credit.buyer.wallet]);
    const sent = Array.from({ length: 8 }, () => send());
    await eventually(async () => (await waitingRedemptions()) === 8);
    await lock.rollbackTransaction();
    await lock.release();
    const replies = await Promise.all(sent);
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies.filter((reply) => replayed(reply) === null)).toHaveLength(1);
    expect([(await balances(credit)).redeemed, await isUntouched()]).toEqual([1, true]);
  });

  it.each([
    ['at once', 0],
    ['when the answer is no longer stored', 3_600_000],
  ])('without a key, %s: the payment pays as if it came alone, and is not 402 for ever', async (_, laterMs) => {
    const credit = await aCredit(gateway);
    expect(facts(await redeem(gateway, credit.token))).toEqual(redeemed);
    gateway.clock.advanceMs(laterMs);
    const { send } = await both(credit);
    const first = await send();
    const again = await send();
    expect([facts(first), replayed(first)]).toEqual([paid, null]);
    expect([facts(again), replayed(again), again.text]).toEqual([paid, 'true', first.text]);
    expect((await balances(credit)).redeemed).toBe(1);
  });
});

const SEQUENCES = sized(5, 20);
const CALLS = 100;
const AT_ONCE = 8;
/** One wallet for each tier, about to reach it; their accrued rebate brings credits within few calls. */
const WALLETS = [
  { settledMicros: 9_500_000, accruedMicros: 0 },
  { settledMicros: 99_500_000, accruedMicros: 99_500 },
  { settledMicros: 999_500_000, accruedMicros: 60_000 },
  { settledMicros: 1_000_000_000, accruedMicros: 350_000 },
];

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
