import { eventually } from '@evenkeel/platform/testing';
import { startGateway, type Gateway, type Reply } from '../gateway.fixture';
import { balancesOf } from './balances.fixture';
import { aCredit, redeem, type HeldCredit } from './credit.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

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

describe('a call with a credit and a payment, sent again', () => {
  const both = async ({ token }: HeldCredit, headers: Record<string, string> = {}) => {
    const payment = await gateway.aBuyer().sign();
    return {
      send: () => redeem(gateway, token, { headers: { 'x-payment': payment.header, ...headers } }),
      isUntouched: async () =>
        (await gateway.ledger.entriesOf(payment.nonce)) === null && gateway.callsAbout(payment.nonce).verify === 0,
    };
  };

  it('with its key gets its answer again, and the payment is not charged', async () => {
    const credit = await aCredit(gateway);
    const { send, isUntouched } = await both(credit, { 'idempotency-key': 'k1' });
    const first = await send();
    const before = await balances(credit);
    const again = await send();
    expect([facts(first), replayed(first), facts(again), replayed(again)]).toEqual([redeemed, null, redeemed, 'true']);
    expect(again.text).toBe(first.text);
    expect([await balances(credit), await isUntouched()]).toEqual([before, true]);
  });

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
