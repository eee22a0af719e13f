import { type Class, PaymentSettlementFailed, PaymentSettlementPending } from '@evenkeel/contracts';
import { ManualClock, SystemClock } from '@evenkeel/kernel';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import { databaseOptions, ENTITIES, MIGRATIONS } from '../database';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { noon } from '../payments/payment.fixture';
import { ClaimPayments } from './claim-payments';
import { aClaim, aSettlement, hex, LedgerRows } from './claim.fixture';
import { closeLedgerPool, ledgerPool } from './ledger-pool';
import { type PaymentState, TRANSITIONS } from './payment-state';
import { RecordSettlements } from './record-settlements';
import { RecordFailure, RecordUncertain } from './unsettled-outcomes';
import { WalletTiers } from './wallet-tiers';

let database: TestDatabase;
let dataSource: DataSource;
let ledger: LedgerRows;
let uncertain: RecordUncertain;
let failures: RecordFailure;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  dataSource = await new DataSource(databaseOptions({ DATABASE_URL: database.url })).initialize();
  ledger = new LedgerRows(database.dataSource);
  const settings = { UNSETTLED_SERVED_MAX: 200, X402_MAX_TIMEOUT_SECONDS: 300, rpcUrl: 'https://rpc.example' };
  const config = settings as AgentGatewayConfig;
  uncertain = new RecordUncertain(database.dataSource, config, new ManualClock(noon));
  failures = new RecordFailure(database.dataSource, config, new ManualClock(noon), new GatewayMetrics(new Registry()));
}, 30_000);
afterAll(async () => {
  await closeLedgerPool(dataSource);
  await dataSource.destroy();
  await database.drop();
});

/** The plans that the connection of the last statements has made and stored, by name of statement. */
async function keptPlans(): Promise<Record<string, string>> {
  const connection = await ledgerPool(dataSource).connect();
  const plans: Record<string, string> = {};
  const { rows: prepared } = await connection.query<{ name: string; parameters: number; stored: boolean }>(
    `SELECT name, cardinality(parameter_types) AS parameters, generic_plans > 0 AS stored FROM pg_prepared_statements`,
  );
  for (const { name, parameters } of prepared.filter(({ stored }) => stored)) {
    const nothing = Array<string>(parameters).fill('NULL').join(', ');
    const { rows } = await connection.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE "${name}" (${nothing})`);
    plans[name] = rows.map((line) => line['QUERY PLAN']).join('\n');
  }
  connection.release();
  return plans;
}

// First: the tables are empty.
it('finds rows by their keys, although its plans were made while the tables were empty', async () => {
  const claims = new ClaimPayments(dataSource);
  const settlements = new RecordSettlements(
    dataSource,
    new WalletTiers(dataSource, new SystemClock()),
    new GatewayMetrics(new Registry()),
  );
  const wallet = hex(20);
  for (const claimed of [[aClaim()], [aClaim(), aClaim()], [aClaim({ payer: wallet }), aClaim({ payer: wallet })]]) {
    await Promise.all(claimed.map((claim) => claims.claim(claim)));
    await Promise.all(claimed.map((claim) => settlements.record(aSettlement(claim))));
  }

  const plans = await keptPlans();
  expect(Object.keys(plans).sort()).toEqual(['claim-payments', 'record-settlements', 'record-several-settlements']);
  expect(plans['record-settlements']).toContain('Index Scan using payments_pkey');
  for (const plan of Object.values(plans)) expect(plan).not.toContain('Seq Scan');
});

const STATES: PaymentState[] = [
  'settling',
  'settled',
  'settlement_pending',
  'needs_reconciliation',
  'settlement_failed',
];

async function aPaymentIn(state: PaymentState) {
  const claim = aClaim();
  await new ClaimPayments(database.dataSource).claim(claim);
  const settledAt = state === 'settled' ? noon : null;
  const change = `UPDATE payments SET state = $2, settled_at = $3, reason = 'before' WHERE id = $1`;
  await database.dataSource.query(change, [claim.id, state, settledAt]);
  return claim;
}

const EVENTS = {
  'payment.settlement-pending': PaymentSettlementPending,
  'payment.settlement-failed': PaymentSettlementFailed,
};

/** Compares the row after an event with the table of transitions. */
async function expectMoved(nonce: string, from: PaymentState, event: 'unknown' | 'contested' | 'refused' | 'void') {
  const next = TRANSITIONS[event][from];
  const entries = (await ledger.entriesOf(nonce))!;
  expect(entries.state).toBe(next ?? from);
  expect(entries.reason).toBe(next ? 'now' : 'before');
  const type = event === 'refused' || event === 'void' ? 'payment.settlement-failed' : 'payment.settlement-pending';
  expect(entries.events).toEqual(next ? [type] : []);
  for (const data of await ledger.events(nonce)) {
    expect(validateSync(plainToInstance(EVENTS[type] as Class, data))).toEqual([]);
  }
  return { ...entries, moved: next !== undefined };
}

describe.each(STATES)('a payment that is %s', (state) => {
  it.each(['unknown', 'contested'] as const)('and becomes %s', async (event) => {
    const { id, nonce } = await aPaymentIn(state);
    const outcome = { paymentId: id, event, reason: 'now', transactionHash: null, settleAgain: false, answer: null };
    await uncertain.record(outcome);
    const { moved, checked } = await expectMoved(nonce, state, event);
    expect(checked).toBe(moved || state === 'settlement_pending');

    const before = await ledger.entriesOf(nonce);
    await uncertain.record(outcome);
    expect(await ledger.entriesOf(nonce)).toEqual(before);
  });

  it.each(['refused', 'void'] as const)('and turns out to be %s', async (event) => {
    const { id, nonce, payer } = await aPaymentIn(state);
    await failures.record(id, event, 'now');
    const { moved, checked } = await expectMoved(nonce, state, event);
    expect(checked).toBe(moved && event === 'refused'); // the last look at the chain
    expect(await ledger.wallet(payer)).toEqual({ settledMicros: 0, calls: 0, unpaidCalls: 0, eventSeq: moved ? 1 : 0 });
  });
});

describe('addresses and nonces in the ledger', () => {
  const [address, nonce] = [`0x${'0123456789abcdef'.repeat(4).slice(0, 40)}`, `0x${'0123456789abcdef'.repeat(4)}`];
  const write = async (payer: string, of: string) => {
    const claim = aClaim({ payer, nonce: of });
    await database.dataSource.query('INSERT INTO wallets (address) VALUES ($1) ON CONFLICT DO NOTHING', [payer]);
    return new ClaimPayments(database.dataSource).claim(claim);
  };

  it('are lower case hex of the right length, and nothing else is taken', async () => {
    expect(await write(address, nonce)).toBe(true);
    const misspelled = (good: string) => [good.toUpperCase().replace('X', 'x'), good.replace('0x', '1x'), `${good}00`];
    for (const payer of misspelled(address)) await expect(write(payer, hex(32))).rejects.toThrow(/check|hexadecimal/);
    for (const other of misspelled(nonce)) await expect(write(address, other)).rejects.toThrow(/check|hexadecimal/);
  });
});
