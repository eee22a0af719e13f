import { randomUUID } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { CONSUMER_CRASH_POINTS, InProcessBroker } from '@evenkeel/platform/messaging';
import { newEs256Key } from '@evenkeel/platform/config';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { ENTITIES, MIGRATIONS } from '../database';
import { anAccess, SubscriptionStream } from './subscription-stream.fixture';

jest.setTimeout(120_000);

const END = '2026-02-03T09:00:00.000Z';
const silent = { warn: () => undefined, error: () => undefined };

let database: TestDatabase;
let stream: SubscriptionStream;
beforeAll(async () => {
  database = await createTestDatabase({ name: 'accounts', entities: ENTITIES, migrations: MIGRATIONS });
  stream = await SubscriptionStream.open(new InProcessBroker(silent));
});
afterAll(async () => {
  await stopPrograms();
  await stream.close();
  await database.drop();
});

function startWorker(crashAt?: string): Program {
  return Program.service('apps/accounts/src/entitlements/worker-program.fixture.ts', {
    ...{ DATABASE_URL: database.url, BILLING_URL: stream.database.url, JWT_KEYS: newEs256Key('test') },
    REFRESH_TOKEN_KEYS: `test:${Buffer.alloc(32, 5).toString('base64')}`,
    ...(crashAt !== undefined && { CRASH_AT: `accounts:${crashAt}` }),
  });
}

const knownOf = (userId: string) =>
  database.dataSource.query<object[]>(
    'SELECT version, access_until, ever_premium FROM entitlements WHERE user_id = $1',
    [userId],
  );

it.each(CONSUMER_CRASH_POINTS)(
  'killed at %s, it goes on after a restart: who has paid has access, and who has lost it does not',
  async (point) => {
    const [gains, loses] = [randomUUID(), randomUUID()];
    await stream.publish(
      anAccess(gains, 1),
      anAccess(loses, 1, { subscriptions: [END] }),
      anAccess(gains, 2, { subscriptions: [END] }),
      anAccess(loses, 2, { subscriptions: [null] }),
    );
    expect((await startWorker(point).exit).signal).toBe('SIGKILL');
    const worker = startWorker();
    const known = { version: 2, ever_premium: true };
    await eventually(
      async () => {
        expect(await knownOf(gains)).toEqual([{ ...known, access_until: new Date(END) }]);
        expect(await knownOf(loses)).toEqual([{ ...known, access_until: null }]);
      },
      { withinMs: 60_000 },
    );
    await worker.stop();
    expect(await audit(database.dataSource)).toEqual([]);
  },
);
