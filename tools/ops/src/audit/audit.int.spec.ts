import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { audit } from './audit';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'audit', entities: [], migrations: [] });
}, 30_000);
afterAll(() => database.drop());

const query = (sql: string) => database.dataSource.query<unknown>(sql);
const found = async () => (await audit(database.dataSource)).map(({ promise, what }) => `${promise}: ${what}`);

it('refuses a database that cannot be audited', async () => {
  await expect(audit(database.dataSource)).rejects.toThrow('no views in schema audit');
});

describe('the side of a consumer', () => {
  beforeAll(async () => {
    await query('CREATE SCHEMA audit');
    await query('CREATE TABLE audit.inbox (message_id uuid, consumer text)');
    await query(
      `CREATE TABLE audit.parked (consumer text, aggregate text, aggregate_seq bigint, message_id uuid, parked_at timestamptz)`,
    );
    await query(`CREATE TABLE audit.positions (consumer text, aggregate text, last_seq bigint)`);
    // Of another service: the same name, and none of the columns that the checks of payments read.
    await query('CREATE TABLE audit.payments (payment_id uuid, status text)');
  });
  beforeEach(() => query('TRUNCATE audit.inbox, audit.parked, audit.positions'));

  const applied = async (message: number, consumer = 'reporting') => {
    await query(`INSERT INTO audit.inbox VALUES (${uuid(message)}, '${consumer}')`);
    await query(`INSERT INTO audit.positions VALUES ('${consumer}', 'aggregate ${message}', 1)`);
  };
  const parked = (message: number, aggregate: string, seq: number) =>
    query(`INSERT INTO audit.parked VALUES ('reporting', '${aggregate}', ${seq}, ${uuid(message)}, now())`);
  const uuid = (number: number) => `lpad('${number}', 32, '0')::uuid`;

  it('is clean when each event was applied once, or waits in order', async () => {
    await applied(1);
    await applied(1, 'billing');
    for (const seq of [4, 5, 6]) await parked(seq, 'a', seq);
    await parked(9, 'b', 9);
    expect(await found()).toEqual([]);
  });

  it('shows an event applied twice', async () => {
    await applied(1);
    await applied(1);
    expect(await found()).toEqual(['P8: a consumer has applied an event more than once']);
  });

  it('shows an event that was passed over', async () => {
    await applied(1);
    await query(`UPDATE audit.positions SET last_seq = 2`);
    expect(await found()).toEqual(['P8: a consumer has passed over events: its numbers are not as many as its marks']);
  });

  it('shows an event that waits and was applied', async () => {
    await applied(1);
    await parked(1, 'a', 1);
    expect(await found()).toEqual(['P8: an event is parked and applied']);
  });

  it('shows a hole among the events that wait', async () => {
    await parked(1, 'a', 4);
    await parked(2, 'a', 6);
    expect(await found()).toEqual(['P8: an event is missing among the parked ones of its aggregate']);
  });
});
