import { SystemClock } from '@evenkeel/kernel';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { DataSource } from 'typeorm';
import { Registry } from 'prom-client';
import { databaseOptions, ENTITIES, MIGRATIONS } from '../database';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { ClaimPayments } from './claim-payments';
import { aClaim, aSettlement, hex } from './claim.fixture';
import { closeLedgerPool, ledgerPool } from './ledger-pool';
import { RecordSettlements } from './record-settlements';
import { WalletTiers } from './wallet-tiers';

let database: TestDatabase;
let dataSource: DataSource;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  dataSource = await new DataSource(databaseOptions({ DATABASE_URL: database.url })).initialize();
});
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
