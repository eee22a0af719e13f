import { type Class, PaymentSettlementFailed, PaymentSettlementPending } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import { databaseOptions, ENTITIES, MIGRATIONS } from '../database';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { noon } from '../payments/payment.fixture';
import { ClaimPayments, type Claim } from './claim-payments';
import { aClaim, aCreditOffer, anAnswer, aSettlement, hex, LedgerRows } from './claim.fixture';
import { closeLedgerPool, ledgerPool } from './ledger-pool';
import { TRANSITIONS } from './payment-state';
import { RecordSettlements } from './record-settlements';
import { RecordFailure, RecordUncertain } from './unsettled-outcomes';
import { WalletTiers } from './wallet-tiers';

const clock = new ManualClock(noon);
const metrics = () => new GatewayMetrics(new Registry());

let database: TestDatabase;
/** Of another replica. */
let otherSource: DataSource;
let ledger: LedgerRows;
/** At either replica. */
let claims: ClaimPayments[];
let settlements: RecordSettlements[];
beforeAll(async () => {
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  otherSource = await new DataSource(databaseOptions({ DATABASE_URL: database.url })).initialize();
  ledger = new LedgerRows(database.dataSource);
  const sources = [database.dataSource, otherSource];
  claims = sources.map((source) => new ClaimPayments(source));
  settlements = sources.map((source) => new RecordSettlements(source, new WalletTiers(source, clock), metrics()));
}, 30_000);
afterAll(async () => {
  await closeLedgerPool(otherSource);
  await otherSource.destroy();
  await database.drop();
});

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The members that are read here of a node of `EXPLAIN`. */
interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

async function claimed(over: Partial<Claim> = {}): Promise<Claim> {
  const claim = aClaim(over);
  expect(await claims[0]!.claim(claim)).toBe(true);
  return claim;
}

// First: the tables are empty.
it('finds rows by their keys, although its plans were made while the tables were empty', async () => {
  const wallet = hex(20);
  for (const batch of [[aClaim()], [aClaim(), aClaim()], [aClaim({ payer: wallet }), aClaim({ payer: wallet })]]) {
    await Promise.all(batch.map((claim) => claims[1]!.claim(claim)));
    await Promise.all(batch.map((claim) => settlements[1]!.record(aSettlement(claim))));
  }
  const connection = await ledgerPool(otherSource).connect();
  const { rows } = await connection.query<{ name: string; parameters: number }>(
    `SELECT name, cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE generic_plans > 0 ORDER BY name`,
  );
  const names = ['claim-payments', 'record-settlements'];
  expect(rows.map(({ name }) => name)).toEqual(names);
  for (const { name, parameters } of rows) {
    const nothing = Array<string>(parameters).fill('NULL').join(', ');
    const explain = `EXPLAIN (FORMAT JSON) EXECUTE "${name}" (${nothing})`;
    const answer = await connection.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain);
    const nodes = nodesOf(answer.rows[0]!['QUERY PLAN'][0].Plan);
    const wholeTables = nodes.filter((node) => node['Node Type'] === 'Seq Scan');
    const wholeIndexes = nodes.filter((node) => node['Index Name'] && !node['Index Cond']);
    expect([...wholeTables, ...wholeIndexes]).toEqual([]);
    expect(nodes.filter((node) => node['Index Cond']).length).toBeGreaterThan(0);
  }
  connection.release();
});

describe('a claim', () => {
  it('is taken once, of twenty at two replicas', async () => {
    const over = { payer: hex(20), nonce: hex(32) };
    const taken = await Promise.all(upTo(20).map((number) => claims[number % 2]!.claim(aClaim(over))));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('belongs to payer, nonce, token and chain; an identifier to its payer', async () => {
    const paymentIdentifier = 'an-identifier-of-mine';
    const { payer, nonce } = await claimed({ paymentIdentifier });
    const taken = (over: Partial<Claim>) => claims[0]!.claim(aClaim({ payer, nonce, ...over }));
    expect(await taken({})).toBe(false);
    expect(await taken({ endpoint: '/agent/v1/habits/plan' })).toBe(false);
    expect(await taken({ nonce: hex(32), paymentIdentifier })).toBe(false);
    expect(await taken({ payer: hex(20), paymentIdentifier })).toBe(true);
    expect(await taken({ chainId: 84532 })).toBe(true);
    expect(await taken({ asset: hex(20) })).toBe(true);
  });

  it('that the table refuses, as any but lower case hex of the right length, fails alone', async () => {
    const wrong = (good: string) => [`0x${'AB'.repeat(good.length / 2 - 1)}`, good.replace('0x', '1x'), `${good}00`];
    const bad = [...wrong(hex(20)).map((payer) => ({ payer })), ...wrong(hex(32)).map((nonce) => ({ nonce }))];
    const good = [aClaim(), aClaim()];
    const all = [good[0]!, ...bad.map((over) => aClaim(over)), good[1]!];
    const results = await Promise.allSettled(all.map((claim) => claims[0]!.claim(claim)));
    const expected = ['fulfilled', ...bad.map(() => 'rejected'), 'fulfilled'];
    expect(results.map(({ status }) => status)).toEqual(expected);
    for (const { nonce } of good) expect(await ledger.entriesOf(nonce)).toMatchObject({ state: 'settling' });
  });
});

describe('a settlement', () => {
  it('that the table refuses fails alone', async () => {
    const [one, two, three] = [await claimed(), await claimed(), await claimed()];
    const bad = aSettlement(two, { answer: anAnswer({ callId: 'none' }) });
    const all = [aSettlement(one), bad, aSettlement(three)];
    const results = await Promise.allSettled(all.map((settlement) => settlements[0]!.record(settlement)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ledger.entriesOf(two.nonce)).toMatchObject({ state: 'settling', calls: 0, events: [] });
    expect(await ledger.entriesOf(three.nonce)).toMatchObject({ state: 'settled', calls: 1 });
  });

  it('is recorded once, of two at each of two replicas: fifty payments of seven wallets at once add up', async () => {
    const wallets = upTo(7).map(() => hex(20));
    for (const wallet of wallets) await ledger.seed(wallet, { settledMicros: 20_000_000 });
    const all = await Promise.all(upTo(50).map((n) => claimed({ payer: wallets[n % 7], priceMicros: n * 1_000 })));
    // A rebate of 5 % fills a credit of that face after a few payments: which of them takes it is up to the order.
    const credited = () => anAnswer({ credit: { ...aCreditOffer(), faceMicros: 3_000 } });
    const four = [...settlements, ...settlements];
    const recording = all.flatMap((claim) =>
      four.map((replica) => replica.record(aSettlement(claim, { answer: credited() }))),
    );
    const results = await Promise.all(recording);
    expect(results.filter(({ change }) => change === 'answered')).toHaveLength(50);
    expect(results.filter(({ change }) => change === 'unchanged')).toHaveLength(150);
    const issued = results.filter(({ credit }) => credit).length;
    let issuedByLedger = 0;
    for (const wallet of wallets) {
      const own = all.filter(({ payer }) => payer === wallet);
      const spentMicros = own.reduce((sum, { priceMicros }) => sum + priceMicros, 0);
      const sums = await ledger.balances(wallet);
      const expected = { settledMicros: 20_000_000 + spentMicros, earnedMicros: spentMicros / 20, difference: 0 };
      expect(sums).toMatchObject(expected);
      const events = await ledger.eventsOf(wallet);
      expect(events.map(({ seq }) => seq)).toEqual(upTo(own.length + sums.issued));
      expect(await ledger.wallet(wallet)).toMatchObject({ calls: own.length, eventSeq: events.length });
      issuedByLedger += sums.issued;
      for (const { nonce } of own) {
        expect(await ledger.entriesOf(nonce)).toMatchObject({ state: 'settled', calls: 1, answers: 1 });
      }
    }
    expect([issued, issued > 7]).toEqual([issuedByLedger, true]);
  });

  it('of a wallet in one batch with others: events are in the order of the relay, each credit behind its payment', async () => {
    const payer = hex(20);
    await ledger.seed(payer, { settledMicros: 20_000_000, accruedMicros: 200_000 });
    const all = await Promise.all(upTo(3).map((number) => claimed({ payer, verifiedAt: new Date(number * 1_000) })));
    const credited = (claim: Claim) => aSettlement(claim, { answer: anAnswer({ credit: aCreditOffer() }) });
    await Promise.all(all.toReversed().map((claim) => settlements[0]!.record(credited(claim))));
    const events = await database.dataSource.query<unknown[]>(
      `SELECT aggregate_seq::integer AS number, type FROM outbox WHERE aggregate = $1 ORDER BY seq`,
      [payer],
    );
    const [settled, issued] = ['payment.settled', 'credit.issued'];
    const types = [settled, issued, settled, issued, settled];
    expect(events).toEqual(types.map((type, index) => ({ number: index + 1, type })));
  });
});

const STATES = ['settling', 'settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'] as const;
describe.each(STATES)('a payment that is %s', (from) => {
  it.each([
    ['unknown', PaymentSettlementPending],
    ['contested', PaymentSettlementPending],
    ['refused', PaymentSettlementFailed],
    ['void', PaymentSettlementFailed],
  ] as const)('and meets %s, once or twice: the table of transitions decides', async (event, announced) => {
    const settings = { UNSETTLED_SERVED_MAX: 200, X402_MAX_TIMEOUT_SECONDS: 300, rpcUrl: 'https://rpc.example' };
    const config = settings as AgentGatewayConfig;
    const uncertain = new RecordUncertain(database.dataSource, config, clock);
    const failures = new RecordFailure(database.dataSource, config, clock, metrics());
    const { id: paymentId, nonce } = await claimed();
    await database.dataSource.query(
      `UPDATE payments SET state = $2, settled_at = $3, reason = 'before' WHERE id = $1`,
      [paymentId, from, from === 'settled' ? noon : null],
    );
    for (let times = 0; times < 2; times++) {
      if (event === 'refused' || event === 'void') await failures.record(paymentId, event, 'now');
      else await uncertain.record({ paymentId, event, reason: 'now' });
    }
    const next = TRANSITIONS[event][from];
    // A refused payment has its last look at the chain.
    const checked = event === 'refused' ? !!next : event !== 'void' && (!!next || from === 'settlement_pending');
    expect(await ledger.entriesOf(nonce)).toMatchObject({
      state: next ?? from,
      reason: next ? 'now' : 'before',
      checked,
      events: next ? [announced.type] : [],
    });
    for (const data of await ledger.events(nonce)) {
      expect(validateSync(plainToInstance(announced as Class, data))).toEqual([]);
    }
  });
});
