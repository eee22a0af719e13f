import { randomUUID } from 'node:crypto';
import { ACCOUNTS_STREAM, UsageMetered, UserDeleted, UserRegistered } from '@evenkeel/contracts';
import { CONSUMER_CRASH_POINTS, InProcessBroker, RELAY_CRASH_POINTS } from '@evenkeel/platform/messaging';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { EventSource } from '@evenkeel/platform/testing/service';
import { Program } from '@evenkeel/services/programs';
import { auditBilling } from '../audited.fixture';
import { ENTITIES, MIGRATIONS } from '../database';
import { run } from '../operations/grant-command';

jest.setTimeout(120_000);

const DONE = { withinMs: 60_000 };
const NOON = '2026-01-31T12:00:00.000Z';
const silent = { warn: () => undefined, error: () => undefined };

let database: TestDatabase;
let broker: InProcessBroker;
let accounts: EventSource;
afterEach(async () => expect(await auditBilling(database.dataSource)).toEqual([]));
beforeAll(async () => {
  database = await createTestDatabase({ name: 'billing', entities: ENTITIES, migrations: MIGRATIONS });
  broker = new InProcessBroker(silent);
  accounts = await EventSource.open(broker, { stream: ACCOUNTS_STREAM, source: '/accounts' });
});
afterAll(async () => {
  await accounts.close();
  await broker.close();
  await database.drop();
});

const query = <Row>(sql: string, values?: unknown[]) => database.dataSource.query<Row[]>(sql, values);

function startWorker(crashAt?: string): Program {
  return Program.service('apps/billing/src/fault-tests/worker-program.fixture.ts', {
    DATABASE_URL: database.url,
    ACCOUNTS_URL: accounts.database.url,
    JWKS_URL: 'http://localhost:1/jwks.json',
    ...(crashAt !== undefined && { CRASH_AT: `billing:${crashAt}` }),
  });
}

/** Somebody who registers, uses the service twice, and leaves. */
async function aLife(): Promise<string> {
  const userId = randomUUID();
  const used = (version: number): UsageMetered => {
    const counted = { period: '2026-01', used: version, limit: 5, version };
    return { userId, feature: 'analyses', ...counted, meteredAt: NOON };
  };
  const deleted: UserDeleted = { userId, receiptId: randomUUID(), deletedAt: NOON };
  await accounts.publish(
    { event: UserRegistered, key: userId, data: { userId, registeredAt: NOON } },
    { event: UsageMetered, key: userId, data: used(1) },
    { event: UsageMetered, key: userId, data: used(2) },
    { event: UserDeleted, key: userId, data: deleted },
  );
  return userId;
}

const knownOf = (userId: string) =>
  query(
    `SELECT p.deleted_at, u.used, u.version, d.done_at IS NOT NULL AS done
     FROM people p JOIN usage_months u USING (user_id) JOIN departures d USING (user_id) WHERE user_id = $1`,
    [userId],
  );

it.each(CONSUMER_CRASH_POINTS)('killed at %s, it goes on after a restart, each event applied once', async (point) => {
  const people = [await aLife(), await aLife()];
  expect((await startWorker(point).exit).signal).toBe('SIGKILL');
  const worker = startWorker();
  for (const userId of people) {
    const known = { deleted_at: new Date(NOON), used: 2, version: 2, done: true };
    await eventually(async () => expect(await knownOf(userId)).toEqual([known]), DONE);
  }
  await worker.stop();
});

it.each(RELAY_CRASH_POINTS)('killed at %s, it publishes what was left after a restart, in order', async (point) => {
  const userId = randomUUID();
  await query('INSERT INTO people (user_id, changed_at) VALUES ($1, now())', [userId]);
  const args = ['grant', userId, '--until', 'open', '--note', 'a test'];
  const quiet = { out: () => undefined, err: () => undefined };
  for (let count = 0; count < 3; count++) expect(await run(args, { DATABASE_URL: database.url }, quiet)).toBe(0);
  expect((await startWorker(point).exit).signal).toBe('SIGKILL');
  const worker = startWorker();
  const unpublished = 'SELECT aggregate_seq FROM outbox WHERE published_at IS NULL';
  await eventually(async () => expect(await query(unpublished)).toEqual([]), DONE);
  await worker.stop();
  expect(await query('SELECT aggregate_seq FROM outbox WHERE aggregate = $1 ORDER BY seq', [userId])).toEqual(
    [1, 2, 3].map((seq) => ({ aggregate_seq: String(seq) })),
  );
});
