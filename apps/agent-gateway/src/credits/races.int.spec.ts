import { startGateway, type Gateway, type Reply } from '../gateway.fixture';
import { balancesOf, difference, eventsOf } from './balances.fixture';
import { aBuyerWith, aCredit, rebateOf, redeem } from './credit.fixture';

const ROUNDS = 20;

let gateway: Gateway;
let second: Gateway;
beforeAll(async () => {
  // The machine may be busy: what is tested is counting, not time.
  const settings = { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000' };
  gateway = await startGateway({ settings });
  second = await startGateway({ besides: gateway, settings });
});
afterAll(async () => {
  await second.close();
  await gateway.close();
});

const times = (count: number, make: (replica: Gateway) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index % 2 ? gateway : second)));
const ok = (replies: Reply[]) => replies.filter(({ status }) => status === 200);
const isFirst = ({ headers }: Reply) => headers.get('idempotent-replayed') === null;
const eventTypes = async (wallet: string) =>
  (await eventsOf(gateway.ledger.dataSource, wallet)).map(({ seq, type }) => `${seq} ${type}`);

describe(`at two replicas, ${ROUNDS} rounds`, () => {
  it('forty uses of one credit give one 200', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { token, buyer } = await aCredit(gateway);
      const replies = await times(40, (replica) => redeem(replica, token));
      expect([ok(replies).length, replies.filter(({ body }) => body.error === 'credit_spent').length]).toEqual([1, 39]);
      const balances = await balancesOf(gateway.ledger.dataSource, buyer.wallet);
      expect([balances.redeemed, difference(balances)]).toEqual([1, 0]);
      expect(await eventTypes(buyer.wallet)).toEqual(['1 payment.settled', '2 credit.issued', '3 credit.redeemed']);
    }
  }, 120_000);

  it('twenty copies of one payment give one settlement, one rebate and one credit', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const buyer = await aBuyerWith(gateway, { settledMicros: 20_000_000, accruedMicros: 97_500 });
      const payment = await buyer.sign();
      const replies = await times(20, (replica) => replica.pay(payment, { headers: { 'idempotency-key': 'k1' } }));
      expect([ok(replies).length, ok(replies).filter(isFirst).length]).toEqual([20, 1]);
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect(rebateOf(replies[0]!)?.credit_token).toMatch(/^hrc_/);
      expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
      expect(gateway.facilitator.ledger(payment.nonce).settlements).toHaveLength(1);
      const balances = await balancesOf(gateway.ledger.dataSource, buyer.wallet);
      expect(balances).toMatchObject({ settledMicros: 20_050_000, earnedMicros: 100_000, issued: 1, accruedMicros: 0 });
      expect(await eventTypes(buyer.wallet)).toEqual(['1 payment.settled', '2 credit.issued']);
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
