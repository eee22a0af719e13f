import type { ModeCommand } from '@evenkeel/facilitator';
import type { Buyer, SignedPayment } from '../../buyer.fixture';
import { Facilitator } from '../../facilitator/facilitator';
import { aGateway } from '../../gateway.fixture';
import { recoveryByHand } from '../../recovery/resolve-uncertain.fixture';
import { LedgerPages } from './ledger-pages';
import { Reconcile } from './reconcile';
import { ReconciliationModule } from './reconciliation.module';
import { differencesIn, isComplete, type Comparison, type Report } from './report';

/** Younger payments are left to the worker. */
const COMPARED_AFTER_MS = 16 * 60_000;
const FAKE_HASH = `0x${'ab'.repeat(32)}`;

const modules = [...recoveryByHand!, ReconciliationModule];
const settings = { RECONCILE_LOOK_BACK_HOURS: '1' };
const gateway = aGateway({ silentAtOnce: true, chain: true, modules, settings });
/** The same without the chain, where the facilitator has a list. */
const blind = aGateway(() => {
  const FACILITATOR_LEDGER_URL = `${gateway.facilitator.url}/ledger`;
  return { besides: gateway, modules, settings: { ...settings, FACILITATOR_LEDGER_URL } };
});
beforeEach(async () => {
  gateway.clock.advanceMs(2 * 3_600_000); // what the tests before have left on the chain is out of sight
  await gateway.query('TRUNCATE payments, payment_answers, payment_checks, wallets, calls, outbox');
});

async function paid(mode = 'ok', status = 200, more: Partial<ModeCommand> = {}, buyer = gateway.aBuyer()) {
  gateway.clock.advanceMs(1); // an order in which to find them
  const payment = await buyer.sign();
  gateway.control({ mode, count: 1, ...more });
  expect((await gateway.pay(payment)).status).toBe(status);
  return { ...payment, payer: buyer.wallet };
}

const uncertain = (buyer?: Buyer) => paid('refused', 502, { reason: 'unexpected_error' }, buyer);

async function reconcile(by = gateway): Promise<Report> {
  gateway.clock.advanceMs(COMPARED_AFTER_MS);
  return by.app.get(Reconcile).execute();
}

async function comparedWith(source: Comparison['with'], by = gateway): Promise<Comparison> {
  return (await reconcile(by)).comparisons.find((comparison) => comparison.with === source)!;
}

const noncesOf = (payments: readonly { nonce: string | null }[]) => payments.map(({ nonce }) => nonce).toSorted();
const hashOf = (nonce: string) => gateway.facilitator.ledger(nonce).settlements[0]!.transaction;
const SETTLE = `UPDATE payments SET state = 'settled', settled_at = created_at, transaction_hash = $2 WHERE nonce = $1`;
const settledByHand = ({ nonce }: SignedPayment, hash: string | null) => gateway.query(SETTLE, [nonce, hash]);

it('what is on both sides is matched, whether the ledger has its hash, has none, or has a wrong one', async () => {
  await paid();
  await paid('settled-without-hash');
  await settledByHand(await paid(), FAKE_HASH);
  const report = await reconcile();
  const agreed = { matched: 3, oursOnly: [], theirsOnly: [] };
  const sums = { ledgerMicros: 150_000, chainMicros: 150_000 };
  expect(report.comparisons).toMatchObject([
    { with: 'outbox', ...agreed },
    { with: 'chain', ...agreed, sums },
  ]);
  expect([differencesIn(report), isComplete(report)]).toEqual([[], true]);
});

it('what is on both sides is matched across the edges of the time that is compared', async () => {
  const payment = await paid('settled-but-answer-lost');
  gateway.clock.advanceMs(30 * 60_000);
  await settledByHand(payment, hashOf(payment.nonce));
  await gateway.query(`UPDATE payments SET created_at = $2 WHERE nonce = $1`, [payment.nonce, gateway.clock.now()]);
  const since = new Date(gateway.clock.now().getTime() - 60_000);
  gateway.clock.advanceMs(COMPARED_AFTER_MS);
  // It reads all payments of two days.
  const search = jest.spyOn(gateway.app.get(LedgerPages), 'settledBy');
  const { comparisons } = await gateway.app.get(Reconcile).execute({ since });
  expect(comparisons[1]).toMatchObject({ with: 'chain', matched: 1, oursOnly: [], theirsOnly: [] });
  expect(search).not.toHaveBeenCalled();
});

it.each([
  ['with a hash that the chain does not know', FAKE_HASH],
  ['without a hash', null],
])('what is settled in the ledger %s, and not on the chain, is ours only', async (_, hash) => {
  await paid();
  const payment = await uncertain();
  await settledByHand(payment, hash);
  const { payer, nonce } = payment;
  const remedy = expect.stringMatching(/unused on the chain/);
  expect(await comparedWith('chain')).toMatchObject({
    matched: 1,
    oursOnly: [{ payer, nonce, amountMicros: 50_000, state: 'settled', remedy }],
    theirsOnly: [],
    sums: { ledgerMicros: 100_000, chainMicros: 50_000 },
  });
});

it('a payment whose amount was changed by hand is on neither side of the other', async () => {
  const { nonce } = await paid();
  await gateway.query(`UPDATE payments SET price_micros = 1 WHERE nonce = $1`, [nonce]);
  expect(await comparedWith('chain')).toMatchObject({
    matched: 0,
    oursOnly: [{ nonce, amountMicros: 1 }],
    theirsOnly: [{ nonce, amountMicros: 50_000, remedy: expect.stringMatching(/another amount/) }],
  });
});

it('six calls for the price of one transfer, as an earlier release wrote them down, do not agree', async () => {
  const buyer = gateway.aBuyer();
  const payments = [];
  for (let call = 0; call < 6; call++) payments.push(await uncertain(buyer));
  const real = payments.at(-1)!;
  const others = payments.slice(0, -1);
  const toItself = others.map(({ authorization }) => ({ ...authorization, to: buyer.wallet, value: '0' }));
  gateway.control({ action: 'batch', transfers: [...toItself, real.authorization] });
  for (const payment of payments) await settledByHand(payment, hashOf(real.nonce));

  const chain = await comparedWith('chain');
  expect(chain).toMatchObject({ matched: 1, theirsOnly: [], sums: { ledgerMicros: 300_000, chainMicros: 50_000 } });
  expect(noncesOf(chain.oursOnly)).toEqual(noncesOf(others));
  for (const { remedy } of chain.oursOnly) expect(remedy).toMatch(/paid another payment and not this one/);
  expect(noncesOf((await reconcile(blind)).needPerson)).toEqual(noncesOf(payments));
});

it.each(['same', 'another'])('a facilitator that names a used transfer (%s wallet) is found out', async (whose) => {
  const buyer = gateway.aBuyer();
  const first = await paid('ok', 200, {}, buyer);
  gateway.clock.advanceMs(1);
  const liar = jest.spyOn(gateway.app.get(Facilitator), 'settle');
  liar.mockResolvedValue({ kind: 'settled', transactionHash: hashOf(first.nonce) });
  const second = await (whose === 'same' ? buyer : gateway.aBuyer()).sign();
  expect((await gateway.pay(second)).status).toBe(200);
  liar.mockRestore();

  const sums = { ledgerMicros: 100_000, chainMicros: 50_000 };
  const found = { matched: 1, oursOnly: [{ nonce: second.nonce }], theirsOnly: [], sums };
  expect(await comparedWith('chain')).toMatchObject(found);
  expect(noncesOf((await reconcile(blind)).needPerson)).toEqual(noncesOf([first, second]));
});

it('many payments of one transaction agree when each has its own transfer', async () => {
  const buyer = gateway.aBuyer();
  const payments = [await uncertain(buyer), await uncertain(buyer), await uncertain()];
  const transfers = payments.map(({ authorization }) => authorization);
  gateway.control({ action: 'batch', transfers });
  for (const payment of payments) await settledByHand(payment, hashOf(payment.nonce));
  expect(await comparedWith('chain')).toMatchObject({ matched: 3, oursOnly: [], theirsOnly: [] });
});

it('theirs only is a payment that never reached the ledger, and a refused one that another party sent', async () => {
  const buyer = gateway.aBuyer();
  const unknown = await buyer.sign();
  const refused = await paid('refused', 402);
  for (const { authorization } of [unknown, refused]) {
    gateway.control({ action: 'submit', authorization });
  }
  const { oursOnly, theirsOnly } = await comparedWith('chain');
  const says = (text: string): unknown => expect.stringContaining(text);
  const [strange, resent] = [hashOf(unknown.nonce), hashOf(refused.nonce)];
  const close = `npm run payment:close -- ${refused.payer} ${refused.nonce} ${resent}`;
  expect(oursOnly).toEqual([]);
  expect(theirsOnly).toMatchObject([
    { payer: buyer.wallet, nonce: unknown.nonce, state: null, transactionHash: strange, remedy: says('never reached') },
    { nonce: refused.nonce, state: 'settlement_failed', transactionHash: resent, remedy: says(close) },
  ]);
});

it('ledger and outbox differ when an event is missing, has another amount, or is of a payment that is not settled', async () => {
  const [missing, other, early] = [await paid(), await paid(), await paid()];
  await gateway.query(`DELETE FROM outbox WHERE aggregate = $1`, [missing.payer]);
  await gateway.query(`UPDATE outbox SET payload = payload || '{"amountMicros": 1}' WHERE aggregate = $1`, [
    other.payer,
  ]);
  await gateway.query(`UPDATE payments SET state = 'needs_reconciliation', settled_at = NULL WHERE nonce = $1`, [
    early.nonce,
  ]);
  expect(await comparedWith('outbox')).toMatchObject({
    matched: 0,
    oursOnly: [
      { nonce: missing.nonce, remedy: expect.stringMatching(/without an event/) },
      { nonce: other.nonce, remedy: expect.stringMatching(/another amount/) },
    ],
    theirsOnly: [{ nonce: early.nonce, state: 'needs_reconciliation' }],
  });
});

it('who needs a person is listed with what to do, and nothing is changed', async () => {
  const { payer, nonce } = await paid('reverted', 502);
  const before = await gateway.ledger.entriesOf(nonce);
  const remedy = expect.stringContaining(`It expired unused: npm run payment:close -- ${payer} ${nonce} failed`);
  const { needPerson } = await reconcile();
  expect(needPerson).toMatchObject([{ payer, state: 'needs_reconciliation', amountMicros: 50_000, remedy }]);
  expect(await gateway.ledger.entriesOf(nonce)).toEqual(before);
});

it("without the chain the facilitator's own list is compared, and open payments are listed, never settled", async () => {
  await paid();
  const settled = await uncertain();
  await settledByHand(settled, null);
  const lost = await paid('settled-but-answer-lost');
  const open = await paid('duplicate', 502);
  await gateway.query(`UPDATE payments SET state = 'needs_reconciliation', valid_before = $2 WHERE nonce = $1`, [
    open.nonce,
    new Date(gateway.clock.now().getTime() + COMPARED_AFTER_MS * 2),
  ]);
  const { settle } = gateway.callsAbout(open.nonce);
  const { comparisons, needPerson } = await reconcile(blind);
  expect(comparisons.at(-1)).toMatchObject({
    with: 'facilitator',
    matched: 1,
    oursOnly: [{ nonce: settled.nonce }],
    theirsOnly: [{ nonce: lost.nonce }, { nonce: open.nonce }],
  });
  const remedy = expect.stringMatching(/block explorer: npm run payment:close/);
  expect(needPerson).toContainEqual(expect.objectContaining({ nonce: open.nonce, remedy }));
  expect(gateway.callsAbout(open.nonce).settle).toBe(settle);
});
