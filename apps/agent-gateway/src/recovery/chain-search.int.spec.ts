import { RecordedRpc, type LogQuery } from './recorded-rpc.fixture';
import { startGateway, type Gateway } from '../gateway.fixture';
import { checkDue, recoveryByHand } from './resolve-uncertain.fixture';

const BLOCK_MS = 2_000;
const MOST_BLOCKS_A_QUERY = 2_000;
const MOST_BLOCKS_A_LOOK = 20_000;
/** Searched again each time: a node may be behind. */
const RECENT_BLOCKS = 300;
const CONFIRMED_MS = 6_000;

let first: Gateway;
const rpc = new RecordedRpc(() => first.facilitator.rpcUrl);
let gateway: Gateway;
beforeAll(async () => {
  first = await startGateway();
  const settings = { X402_RPC_URL: await rpc.start() };
  gateway = await startGateway({ besides: first, modules: recoveryByHand, settings });
});
afterAll(async () => {
  await gateway.close();
  await first.close();
  await rpc.close();
});
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before

/** Its nonce is used; by the ledger it was claimed so much later. */
async function usedBeforeItsClaim(minutes: number): Promise<string> {
  const payment = await gateway.aBuyer().sign();
  gateway.facilitator.control({ mode: 'submitted-after-verify', count: 1 });
  expect((await gateway.pay(payment)).status).toBe(502);
  await gateway.ledger.dataSource.query(
    `UPDATE payments SET created_at = created_at + $2 * interval '1 min' WHERE nonce = $1`,
    [payment.nonce, minutes],
  );
  return payment.nonce;
}

async function lookAfter(ms: number, nonce: string): Promise<LogQuery[]> {
  gateway.clock.advanceMs(ms);
  expect(await checkDue(gateway)).toEqual([nonce]);
  return rpc.taken();
}

const blocksIn = (queries: LogQuery[]) => queries.reduce((sum, { from, to }) => sum + to - from + 1, 0);

it('searches what is new, in steps, and no block for ever', async () => {
  const nonce = await usedBeforeItsClaim(60);
  const looks = [await lookAfter(45_000 * BLOCK_MS, nonce)];
  while (blocksIn(looks.at(-1)!) === MOST_BLOCKS_A_LOOK) looks.push(await lookAfter(20 * 60_000, nonce));
  expect(looks).toHaveLength(3);
  const all = looks.flat();
  for (const { from, to } of all) expect(to - from).toBeLessThan(MOST_BLOCKS_A_QUERY);
  all.slice(1).forEach(({ from }, index) => expect(from).toBe(all[index]!.to + 1));

  for (let look = 0; look < 3; look++) {
    const more = await lookAfter(10 * 60_000, nonce);
    expect(blocksIn(more)).toBe(RECENT_BLOCKS + (10 * 60_000) / BLOCK_MS);
  }
  expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'needs_reconciliation', checked: true });
});

it('goes on where the node failed, and not from the start', async () => {
  const forget = () => gateway.ledger.dataSource.query('DELETE FROM payment_checks');
  await forget();
  const nonce = await usedBeforeItsClaim(60);
  rpc.failsFrom = 0;
  const [begun] = await lookAfter(45_000 * BLOCK_MS, nonce);
  rpc.failsFrom = begun!.from + 2 * MOST_BLOCKS_A_QUERY;
  const failed = await lookAfter(20 * 60_000, nonce);
  rpc.failsFrom = Infinity;
  const [again] = await lookAfter(20 * 60_000, nonce);
  expect([failed.length, again!.from]).toEqual([3, failed.at(-1)!.from]);
  await forget();
});

it('finds the transfer of a payment that was claimed by a clock five minutes ahead', async () => {
  const nonce = await usedBeforeItsClaim(5);
  await lookAfter(CONFIRMED_MS, nonce);
  expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settled', served: false });
});

it('ends with its round while it looks for the first block, and begins anew in the next one', async () => {
  const nonce = await usedBeforeItsClaim(5);
  gateway.clock.advanceMs(CONFIRMED_MS);
  rpc.blocks = 0;
  // The newest block, and two of the bisection.
  expect(await checkDue(gateway, () => rpc.blocks >= 3)).toEqual([nonce]);
  expect([rpc.blocks, rpc.taken()]).toEqual([3, []]);
  const searched = `SELECT searched_to FROM payment_checks JOIN payments ON id = payment_id WHERE nonce = $1`;
  expect(await gateway.ledger.dataSource.query(searched, [nonce])).toEqual([{ searched_to: null }]);

  await lookAfter(20 * 60_000, nonce);
  expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settled' });
});
