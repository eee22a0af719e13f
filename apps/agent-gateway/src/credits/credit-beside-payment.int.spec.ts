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
const spent = [402, 'credit_spent', 'spent'];

describe('a call with a credit and a payment, its answer lost', () => {
  const both = async ({ token }: HeldCredit) => {
    const payment = await gateway.aBuyer().sign();
    return {
      send: () => redeem(gateway, token, { headers: { 'x-payment': payment.header } }),
      isUntouched: async () =>
        (await gateway.ledger.entriesOf(payment.nonce)) === null && gateway.callsAbout(payment.nonce).verify === 0,
    };
  };

  it('gets it again, and the payment is not charged', async () => {
    const credit = await aCredit(gateway);
    const { send, isUntouched } = await both(credit);
    const first = await send();
    const before = await balances(credit);
    const again = await send();
    expect([facts(first), replayed(first), facts(again), replayed(again)]).toEqual([redeemed, null, redeemed, 'true']);
    expect(again.text).toBe(first.text);
    expect([await balances(credit), await isUntouched()]).toEqual([before, true]);
  });

  it('gets it with another payment too: the token proves enough', async () => {
    const credit = await aCredit(gateway);
    await (await both(credit)).send();
    const { send, isUntouched } = await both(credit);
    expect([facts(await send()), await isUntouched()]).toEqual([redeemed, true]);
  });

  it('sent eight times at once, all of which find the credit unspent, is one call and its answer to all', async () => {
    const credit = await aCredit(gateway);
    const { send, isUntouched } = await both(credit);
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

  it('is 402 when the answer is no longer stored, and the payment is still not charged', async () => {
    const credit = await aCredit(gateway);
    expect(facts(await redeem(gateway, credit.token))).toEqual(redeemed);
    gateway.clock.advanceMs(3_600_000);
    await gateway.ledger.dataSource.query('DELETE FROM credit_answers WHERE expires_at <= $1', [gateway.clock.now()]);
    const { send, isUntouched } = await both(credit);
    expect([facts(await send()), await isUntouched()]).toEqual([spent, true]);
  });
});
