import { SystemClock } from '@evenkeel/kernel';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { DataSource } from 'typeorm';
import { databaseOptions, ENTITIES, MIGRATIONS } from '../../database';
import { CompareWithOutbox } from './compare-with-outbox';
import { LedgerPages } from './ledger-pages';

jest.setTimeout(60_000);

const noon = new Date('2026-01-31T12:00:00.000Z');
const period = {
  since: new Date(noon.getTime() - 3_600_000),
  until: noon,
  isLate: () => false,
  report: () => undefined,
};

/** With the limits of the service, which those of tests are not. */
let ledger: DataSource;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'agent-gateway', entities: ENTITIES, migrations: MIGRATIONS });
  ledger = await new DataSource(databaseOptions({ DATABASE_URL: database.url })).initialize();
});
afterAll(async () => {
  await ledger.destroy();
  await database.drop();
});
beforeEach(() => ledger.query('TRUNCATE payments, outbox'));

/** Payments of one wallet, one a second until noon. */
async function addPayments(count: number, state: string): Promise<void> {
  await ledger.query(
    `INSERT INTO payments
     SELECT gen_random_uuid(), 8453, '0x', '0x' || repeat('a', 40), '0x' || lpad(to_hex(n), 64, '0'), '/', 1, '', '',
       NULL, NULL, '', '', 1, true, $2, false, NULL, NULL, '', 0, at, at, CASE $2 WHEN 'settled' THEN at END, at
     FROM (SELECT n, $3::timestamptz - n * interval '1 s' AS at FROM generate_series(1, $1::integer) n) AS many`,
    [count, state, noon],
  );
}

it('payments that are not settled are compared with the outbox, however many events their wallet has', async () => {
  await addPayments(500, 'settlement_failed');
  await ledger.query(
    `INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
     SELECT gen_random_uuid(), '', '0x' || repeat('a', 40), n, 'payment.settled', gen_random_uuid(), now(), '{}'
     FROM generate_series(1, 20000) n`,
  );
  const comparison = await new CompareWithOutbox(new LedgerPages(ledger), ledger, new SystemClock()).execute(period);
  expect(comparison).toMatchObject({ matched: 0, oursOnly: [], theirsOnly: [], comparedUntil: noon });
});

it('payments that share a transaction are found, although it takes longer than a statement of a request may', async () => {
  await addPayments(50, 'settled');
  await ledger.query(`
    UPDATE payments SET transaction_hash = CASE WHEN right(nonce, 1) = '0' THEN '0xab' ELSE nonce END;
    ALTER TABLE payments RENAME TO slow_payments;
    CREATE VIEW payments AS SELECT p.*, pg_sleep(0.05)::text FROM slow_payments p`);
  try {
    const sharing = await new LedgerPages(ledger).sharing(period.since, period.until);
    expect(sharing.map(({ nonce }) => Number(nonce)).toSorted()).toEqual([16, 32, 48]);
  } finally {
    await ledger.query('DROP VIEW payments; ALTER TABLE slow_payments RENAME TO payments');
  }
});
