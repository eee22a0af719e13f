import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { audit } from './audit';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'audit', entities: [], migrations: [] });
}, 30_000);
afterAll(() => database.drop());

const query = (sql: string) => database.dataSource.query<unknown>(sql);
const found = async () => (await audit(database.dataSource)).map(({ promise, what }) => `${promise}: ${what}`);
const uuid = (number: number) => `lpad('${number}', 32, '0')::uuid`;

async function applied(message: number, consumer = 'reporting'): Promise<void> {
  await query(`INSERT INTO audit.inbox VALUES (${uuid(message)}, '${consumer}')`);
  await query(`INSERT INTO audit.positions VALUES ('${consumer}', 'aggregate ${message}', 1)`);
}

async function parked(message: number, aggregate: string, seq: number): Promise<void> {
  await query(`INSERT INTO audit.parked VALUES ('reporting', '${aggregate}', ${seq}, ${uuid(message)}, now())`);
}

it('refuses a database that cannot be audited', async () => {
  await expect(audit(database.dataSource)).rejects.toThrow('no views in schema audit');
});

it('is clean when each event was applied once, or waits in order, and shows each fault of a consumer', async () => {
  await query('CREATE SCHEMA audit');
  await query('CREATE TABLE audit.inbox (message_id uuid, consumer text)');
  await query(
    `CREATE TABLE audit.parked (consumer text, aggregate text, aggregate_seq bigint, message_id uuid, parked_at timestamptz)`,
  );
  await query(`CREATE TABLE audit.positions (consumer text, aggregate text, last_seq bigint)`);
  // Of another service: the same name, and none of the columns that the checks of payments read.
  await query('CREATE TABLE audit.payments (payment_id uuid, status text)');
  await applied(1);
  await applied(1, 'billing');
  for (const seq of [4, 5, 6]) await parked(seq, 'a', seq);
  await parked(9, 'b', 9);
  expect(await found()).toEqual([]);

  const faults: [plant: () => Promise<unknown>, what: string][] = [
    [() => applied(1), 'a consumer has applied an event more than once'],
    [() => parked(1, 'c', 1), 'an event is parked and applied'],
    [() => parked(8, 'a', 8), 'an event is missing among the parked ones of its aggregate'],
    [
      () => query('UPDATE audit.positions SET last_seq = 2'),
      'a consumer has passed over events: its numbers are not as many as its marks',
    ],
  ];
  for (const [plant] of faults) await plant();
  expect((await found()).sort()).toEqual(expect.arrayContaining(faults.map(([, what]) => `P8: ${what}`)));
});
