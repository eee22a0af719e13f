import {
  CreditIssued,
  CreditRedeemed,
  PAYMENTS_STREAM,
  PaymentSettled,
  PaymentSettlementFailed,
  PaymentSettlementPending,
  schemaOf,
} from '@evenkeel/contracts';
import { createTestDatabase } from '@evenkeel/platform/testing';
import { compileValidator } from '@evenkeel/platform/validation';
import { ENTITIES, LEDGER_PROJECTION, MIGRATIONS, ProjectLedger } from '@evenkeel/reporting';
import { seed } from '@evenkeel/ops/seed';
import { Client } from 'pg';
import { ledgerEvents } from './ledger-events';
import { messagesOf } from './published-rows';
import { ingest } from './time-ingest';

jest.setTimeout(60_000);

const CLASSES = [PaymentSettled, PaymentSettlementFailed, PaymentSettlementPending, CreditIssued, CreditRedeemed];
const FIGURES = `
  SELECT (SELECT sum(gross_micros) FROM daily_totals) AS gross, (SELECT sum(cost_micros) FROM daily_totals) AS cost,
    (SELECT count(*) FROM payments) AS payments, (SELECT count(*) FROM credits) AS credits`;

const database = () => createTestDatabase({ name: 'reporting', entities: ENTITIES, migrations: MIGRATIONS });

it('the events of a seeded ledger are those that a gateway publishes, and make the same figures', async () => {
  const [seeded, copy] = await Promise.all([database(), database()]);
  const client = new Client({ connectionString: seeded.url });
  try {
    const business = { payments: 4_000, subscriptions: 10, days: 60, wallets: 20, seed: 3, until: '2026-01-31' };
    await seed(seeded.url, { ...business, replace: false }, () => undefined);
    await client.connect();
    await client.query('CREATE TEMPORARY TABLE sample AS SELECT * FROM payments');
    const events = await ledgerEvents(client);
    for (const event of CLASSES) {
      const accepts = compileValidator(schemaOf(event, { closed: true }));
      const ofType = events.filter(({ type }) => type === event.type);
      expect([event.type, ofType.length > 0]).toEqual([event.type, true]);
      for (const { data } of ofType) expect([data, accepts(JSON.parse(data))]).toEqual([data, true]);
    }
    const projection = { ...LEDGER_PROJECTION, consumer: new ProjectLedger() };
    await ingest(copy.url, projection, messagesOf(PAYMENTS_STREAM, '/agent-gateway', events));
    expect(await copy.dataSource.query(FIGURES)).toEqual(await seeded.dataSource.query(FIGURES));
  } finally {
    await client.end();
    await Promise.all([seeded.drop(), copy.drop()]);
  }
});
