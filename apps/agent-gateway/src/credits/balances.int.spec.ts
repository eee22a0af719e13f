import { eventually } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import { aGateway, PATIENT, type Gateway, type Reply, upTo } from '../gateway.fixture';
import { aBuyerWith, aCredit, redeem } from './credit.fixture';
import { randomCall, type RandomCall, RandomCalls } from './random-calls.fixture';

const ROUNDS = sized(5, 20);

const gateway = aGateway({ silentAtOnce: true, settings: PATIENT });
const second = aGateway({ besides: gateway, settings: PATIENT });

const balances = ({ wallet }: { wallet: string }) => gateway.ledger.balances(wallet);
const atBoth = (count: number, make: (replica: Gateway) => Promise<Reply>) =>
  Promise.all(upTo(count).map((index) => make(index % 2 ? gateway : second)));
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
    expect(await balances(buyer)).toMatchObject({ redeemed: 1, difference: 0 });
    const types = (await gateway.ledger.eventsOf(buyer.wallet)).map(({ seq, type }) => `${seq} ${type}`);
    expect(types).toEqual(['1 payment.settled', '2 credit.issued', '3 credit.redeemed']);
  }
}, 120_000);

describe('a call with a credit and a payment, sent again', () => {
  const facts = ({ status, headers }: Reply) => [status, headers.get('x-agent-credit-status')];

  it('with its key eight times at once, all of which find the credit unspent, is one call and its answer to all', async () => {
    const { token, buyer } = await aCredit(gateway);
    const { header, nonce } = await gateway.aBuyer().sign();
    const release = await gateway.ledger.lock(`SELECT FROM credits WHERE payer = '${buyer.wallet}' FOR UPDATE`);
    const sent = atBoth(8, () => redeem(gateway, token, { headers: { 'x-payment': header, ...key } }));
    await eventually(async () => (await gateway.ledger.waitingForRows()) === 8);
    await release();
    expectOneCall(await sent);
    expect((await balances(buyer)).redeemed).toBe(1);
    expect([await gateway.ledger.entriesOf(nonce), gateway.callsAbout(nonce).verify]).toEqual([null, 0]);
  });

  it.each([0, 3_600_000])('without a key, %i ms later: the payment pays as if it came alone', async (ms) => {
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
  });
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
  gateway.control({ mode: 'ok' });
  const buyers = await Promise.all(WALLETS.map((wallet) => aBuyerWith(gateway, wallet)));
  const before = await Promise.all(buyers.map(balances));
  const random = new RandomCalls(gateway, buyers);
  for (let at = 0; at < calls.length; at += AT_ONCE) {
    await Promise.all(calls.slice(at, at + AT_ONCE).map((call) => random.make(call)));
  }
  expect(random.unforeseen).toEqual([]);
  expect(new Set(random.tokens).size).toBe(random.tokens.length);
  const credits = { issued: 0, redeemed: 0 };
  for (const [index, buyer] of buyers.entries()) {
    const expected = before[index]!;
    expect(await random.play(expected, await gateway.ledger.eventsOf(buyer.wallet))).toEqual([]);
    const sums = await balances(buyer);
    expect(sums).toEqual(expected);
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
