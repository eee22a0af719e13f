import type { ModeCommand } from '@evenkeel/facilitator';
import type { Buyer } from '../../buyer.fixture';
import { ScriptedFacilitator } from '../../facilitator/stub-facilitator.fixture';
import { startGateway, type Gateway } from '../../gateway.fixture';
import { recoveryByHand } from '../../recovery/resolve-uncertain.fixture';
import { Reconcile } from './reconcile';
import { ReconciliationModule } from './reconciliation.module';
import { differencesIn, isComplete, type Comparison, type Report } from './report';

/** Younger payments are left to the worker. */
const COMPARED_AFTER_MS = 16 * 60_000;
const FAKE_HASH = `0x${'ab'.repeat(32)}`;

const modules = [...recoveryByHand!, ReconciliationModule];
const settings = { RECONCILE_LOOK_BACK_HOURS: '1' };
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true, chain: true, modules, settings });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  gateway.clock.advanceMs(2 * 3_600_000); // what the tests before have left on the chain is out of sight
  await query('TRUNCATE payments, payment_answers, payment_checks, wallets, calls, outbox');
});
afterEach(() => gateway.facilitator.control({ mode: 'ok' }));

const query = (sql: string, values?: unknown[]) => gateway.ledger.dataSource.query<unknown>(sql, values);

async function paid(mode = 'ok', status = 200, more: Partial<ModeCommand> = {}) {
  gateway.clock.advanceMs(1); // an order in which to find them
  const buyer = gateway.aBuyer();
  const payment = await buyer.sign();
  gateway.facilitator.control({ mode, count: 1, ...more });
  expect((await gateway.pay(payment)).status).toBe(status);
  return { ...payment, payer: buyer.wallet };
}

async function reconcile(by = gateway): Promise<Report> {
  gateway.clock.advanceMs(COMPARED_AFTER_MS);
  return by.app.get(Reconcile).execute({ isLate: () => false });
}

async function comparedWith(source: Comparison['with'], by = gateway): Promise<Comparison> {
  return (await reconcile(by)).comparisons.find((comparison) => comparison.with === source)!;
}

const hashOf = (nonce: string) => gateway.facilitator.ledger(nonce).settlements[0]!.transaction;
const settledByHand = (nonce: string, hash: string | null) =>
  query(`UPDATE payments SET state = 'settled', settled_at = created_at, transaction_hash = $2 WHERE nonce = $1`, [
    nonce,
    hash,
  ]);

describe('what is on both sides', () => {
  it('is matched, whether the ledger has its hash, has none, or has a wrong one', async () => {
    await paid();
    await paid('settled-without-hash');
    const { nonce } = await paid();
    await settledByHand(nonce, FAKE_HASH);
    const report = await reconcile();
    expect(report.comparisons).toMatchObject([
      { with: 'outbox', matched: 3, oursOnly: [], theirsOnly: [] },
      { with: 'chain', matched: 3, oursOnly: [], theirsOnly: [] },
    ]);
    expect([differencesIn(report), isComplete(report)]).toEqual([0, true]);
  });

  it('is matched across the edges of the time that is compared', async () => {
    const { nonce } = await paid('settled-but-answer-lost');
    gateway.clock.advanceMs(30 * 60_000);
    await settledByHand(nonce, hashOf(nonce));
    await query(`UPDATE payments SET created_at = $2 WHERE nonce = $1`, [nonce, gateway.clock.now()]);
    const since = new Date(gateway.clock.now().getTime() - 60_000);
    gateway.clock.advanceMs(COMPARED_AFTER_MS);
    const { comparisons } = await gateway.app.get(Reconcile).execute({ since, isLate: () => false });
    expect(comparisons[1]).toMatchObject({ with: 'chain', matched: 1, oursOnly: [], theirsOnly: [] });
  });
});

describe('ours only', () => {
  it.each([
    ['with a hash that the chain does not know', FAKE_HASH],
    ['without a hash', null],
  ])('is what is settled in the ledger %s', async (_, hash) => {
    await paid();
    const { payer, nonce } = await paid('refused', 502, { reason: 'unexpected_error' });
    await settledByHand(nonce, hash);
    expect(await comparedWith('chain')).toMatchObject({
      matched: 1,
      oursOnly: [{ payer, nonce, amountMicros: 50_000, state: 'settled', remedy: /unused on the chain/ }].map(texts),
      theirsOnly: [],
    });
  });
});

describe('many nonces in one transaction', () => {
  async function uncertain(buyer: Buyer) {
    gateway.clock.advanceMs(1);
    const payment = await buyer.sign();
    gateway.facilitator.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
    expect((await gateway.pay(payment)).status).toBe(502);
    return payment;
  }

  it('six calls for the price of one do not agree: sums and pairs are compared', async () => {
    const buyer = gateway.aBuyer();
    const payments = [];
    for (let call = 0; call < 6; call++) payments.push(await uncertain(buyer));
    const [real, ...others] = payments;
    const toItself = others.map(({ authorization }) => ({ ...authorization, to: buyer.wallet, value: '0' }));
    gateway.facilitator.control({ action: 'batch', transfers: [...toItself, real!.authorization] });
    const hash = hashOf(real!.nonce);
    // As an earlier release wrote it down: any transfer of the transaction paid for each of its nonces.
    for (const { nonce } of payments) await settledByHand(nonce, hash);

    const report = await reconcile();
    const chain = report.comparisons.find((comparison) => comparison.with === 'chain')!;
    expect(chain).toMatchObject({ matched: 1, theirsOnly: [], sums: { ledgerMicros: 300_000, chainMicros: 50_000 } });
    expect(chain.oursOnly.map(({ nonce }) => nonce).toSorted()).toEqual(others.map(({ nonce }) => nonce).toSorted());
    for (const { remedy } of chain.oursOnly) expect(remedy).toMatch(/paid another payment and not this one/);

    const blind = await startGateway({ besides: gateway, modules, settings });
    const { needPerson } = await reconcile(blind);
    await blind.close();
    expect(needPerson.map(({ nonce }) => nonce).toSorted()).toEqual(payments.map(({ nonce }) => nonce).toSorted());
  });

  it.each(['of the same wallet', 'of another wallet'])(
    'a facilitator that names the transfer of another payment, %s, is found out',
    async (whose) => {
      const [honest, buyer] = [gateway.aBuyer(), gateway.aBuyer()];
      const first = await honest.sign();
      expect((await gateway.pay(first)).status).toBe(200);
      gateway.clock.advanceMs(1);
      const liar = new ScriptedFacilitator();
      const FACILITATOR_URL = await liar.start();
      liar.inFrontOf(gateway.facilitator.url);
      const deceived = await startGateway({ besides: gateway, modules, settings: { ...settings, FACILITATOR_URL } });
      liar.onlySays(200, { success: true, transaction: hashOf(first.nonce), network: 'base' });
      const second = await (whose === 'of the same wallet' ? honest : buyer).sign();
      expect((await deceived.pay(second)).status).toBe(200);
      await deceived.close();
      await liar.close();

      const chain = await comparedWith('chain');
      const sums = { ledgerMicros: 100_000, chainMicros: 50_000 };
      expect(chain).toMatchObject({ matched: 1, oursOnly: [{ nonce: second.nonce }], theirsOnly: [], sums });

      const blind = await startGateway({ besides: gateway, modules, settings });
      const { needPerson } = await reconcile(blind);
      await blind.close();
      expect(needPerson.map(({ nonce }) => nonce).toSorted()).toEqual([first.nonce, second.nonce].toSorted());
    },
  );

  it('agree when each has its own transfer', async () => {
    const [one, other] = [gateway.aBuyer(), gateway.aBuyer()];
    const payments = [await uncertain(one), await uncertain(one), await uncertain(other)];
    const transfers = payments.map(({ authorization }) => authorization);
    gateway.facilitator.control({ action: 'batch', transfers });
    for (const { nonce } of payments) await settledByHand(nonce, hashOf(nonce));
    const chain = await comparedWith('chain');
    const sums = { ledgerMicros: 150_000, chainMicros: 150_000 };
    expect(chain).toMatchObject({ matched: 3, oursOnly: [], theirsOnly: [], sums });
  });
});

describe('theirs only', () => {
  it('is a payment that never reached the ledger', async () => {
    const buyer = gateway.aBuyer();
    const { authorization, nonce } = await buyer.sign();
    gateway.facilitator.control({ action: 'submit', authorization });
    expect(await comparedWith('chain')).toMatchObject({
      oursOnly: [],
      theirsOnly: [
        { payer: buyer.wallet, nonce, state: null, transactionHash: hashOf(nonce), remedy: /never reached the ledger/ },
      ].map(texts),
    });
  });

  it('is a refused payment that another party sent, with the command that closes it', async () => {
    const { payer, nonce, authorization } = await paid('refused', 402);
    gateway.facilitator.control({ action: 'submit', authorization });
    const hash = hashOf(nonce);
    const { theirsOnly } = await comparedWith('chain');
    expect(theirsOnly).toMatchObject([{ payer, nonce, state: 'settlement_failed', transactionHash: hash }]);
    expect(theirsOnly[0]?.remedy).toContain(`npm run payment:close -- ${payer} ${nonce} ${hash}`);
  });
});

describe('ledger and outbox', () => {
  it('differ when an event is missing, has another amount, or is of a payment that is not settled', async () => {
    const [missing, other, early] = [await paid(), await paid(), await paid()];
    await query(`DELETE FROM outbox WHERE aggregate = $1`, [missing.payer]);
    await query(`UPDATE outbox SET payload = payload || '{"amountMicros": 1}' WHERE aggregate = $1`, [other.payer]);
    await query(`UPDATE payments SET state = 'needs_reconciliation', settled_at = NULL WHERE nonce = $1`, [
      early.nonce,
    ]);
    expect(await comparedWith('outbox')).toMatchObject({
      matched: 0,
      oursOnly: [
        { nonce: missing.nonce, remedy: /without an event/ },
        { nonce: other.nonce, remedy: /another amount/ },
      ].map(texts),
      theirsOnly: [{ nonce: early.nonce, state: 'needs_reconciliation' }],
    });
  });
});

describe('who needs a person', () => {
  it('is listed with what to do, and nothing is changed', async () => {
    const { payer, nonce } = await paid('reverted', 502);
    const before = await gateway.ledger.entriesOf(nonce);
    const { needPerson } = await reconcile();
    const ours = needPerson.filter((difference) => difference.nonce === nonce);
    expect(ours).toMatchObject([{ payer, state: 'needs_reconciliation', amountMicros: 50_000 }]);
    expect(ours[0]?.remedy).toContain(`It expired unused: npm run payment:close -- ${payer} ${nonce} failed`);
    expect(await gateway.ledger.entriesOf(nonce)).toEqual(before);
  });
});

describe('without the chain', () => {
  let second: Gateway;
  beforeAll(async () => {
    const FACILITATOR_LEDGER_URL = `${gateway.facilitator.url}/ledger`;
    second = await startGateway({ besides: gateway, modules, settings: { ...settings, FACILITATOR_LEDGER_URL } });
  });
  afterAll(() => second.close());

  it("the facilitator's own list is compared", async () => {
    await paid();
    const settled = await paid('refused', 502, { reason: 'unexpected_error' });
    await settledByHand(settled.nonce, null);
    const lost = await paid('settled-but-answer-lost');
    const { matched, oursOnly, theirsOnly } = await comparedWith('facilitator', second);
    expect([matched, oursOnly, theirsOnly]).toMatchObject([1, [{ nonce: settled.nonce }], [{ nonce: lost.nonce }]]);
  });

  it('open payments are asked about, and never settled', async () => {
    const { nonce } = await paid('duplicate', 502);
    await query(`UPDATE payments SET state = 'needs_reconciliation', valid_before = $2 WHERE nonce = $1`, [
      nonce,
      new Date(gateway.clock.now().getTime() + COMPARED_AFTER_MS * 2),
    ]);
    const { settle } = gateway.callsAbout(nonce);
    const { needPerson } = await reconcile(second);
    const [ours] = needPerson.filter((difference) => difference.nonce === nonce);
    expect(ours?.remedy).toMatch(/block explorer: npm run payment:close/);
    expect(gateway.callsAbout(nonce).settle).toBe(settle);
  });
});

/** Regular expressions for matchers of text. */
function texts<Expected extends { remedy: RegExp }>(expected: Expected) {
  return { ...expected, remedy: expect.stringMatching(expected.remedy) };
}
