import { randomUUID } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { newEs256Key } from '@evenkeel/platform/config';
import { Program } from '@evenkeel/services/programs';
import { Accounts } from '../accounts.fixture';
import { somebody, type HabitsOf } from '../habits/habits.fixture';

jest.setTimeout(90_000);

const KEYS = {
  JWT_KEYS: newEs256Key('test'),
  REFRESH_TOKEN_KEYS: `test:${Buffer.alloc(32, 5).toString('base64')}`,
  PUBLIC_BASE_URL: 'http://localhost:8080',
};

let accounts: Accounts;
let ana: HabitsOf;
beforeAll(async () => {
  accounts = await Accounts.start(KEYS);
  // The process that will die lives in real time.
  accounts.clock.set(new Date());
});
beforeEach(async () => {
  ana = await somebody(accounts);
});
afterAll(() => accounts.close());

/** Sends a request to a process that dies at a step, then twice to one that lives, once the first run is over. */
async function repeatedAfterCrash(step: string, path: string, body: object) {
  const program = Program.service('apps/accounts/src/main.ts', {
    ...KEYS,
    ...{ DATABASE_URL: accounts.database.url, RATE_LIMIT_SCALE: '1000', SMTP_URL: 'none' },
    CRASH_AT: `accounts:${step}`,
  });
  const { url } = await program.ready();
  const headers = {
    ...{ authorization: `Bearer ${ana.person.token}`, 'content-type': 'application/json' },
    'idempotency-key': randomUUID(),
  };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  await expect(fetch(`${url}/v1/habits${path}`, init)).rejects.toThrow('fetch failed');
  expect((await program.exit).signal).toBe('SIGKILL');
  expect(await accounts.send(`/v1/habits${path}`, init)).toMatchObject({
    status: 409,
    body: { error: 'idempotency_in_progress' },
  });
  await accounts.database.dataSource.query(`UPDATE idempotency_keys SET run_at = run_at - interval '61 seconds'`);
  const first = await accounts.send(`/v1/habits${path}`, init);
  const second = await accounts.send(`/v1/habits${path}`, init);
  expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([
    first.status,
    first.text,
    'true',
  ]);
  expect(await audit(accounts.database.dataSource)).toEqual([]);
  return first;
}

it.each(['before_commit', 'after_commit'])('creates one habit when the process dies at %s', async (step) => {
  const before = await ana.list();
  const { status, body } = await repeatedAfterCrash(step, '', { name: 'Run' });
  expect(status).toBe(201);
  const created = (await ana.list()).filter(({ id }) => !before.some((habit) => habit.id === id));
  expect(created.map(({ id }) => id)).toEqual([body.id]);
});

const logsOf = async (id: string) => (await ana.ask('GET', `/${id}/logs`)).body.logs as { id: string }[];

it('stores a log once when the process dies after the commit', async () => {
  const { id } = await ana.habit();
  const log = { occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' };
  const single = await repeatedAfterCrash('after_commit', `/${id}/logs`, log);
  expect(single.status).toBe(201);
  expect(await logsOf(id)).toEqual([single.body]);
});

it.each(['before_commit', 'after_commit'])('stores a batch once when the process dies at %s', async (step) => {
  const { id } = await ana.habit();
  const log = { habitId: id, occurredAt: '2026-01-30T08:00:00Z', status: 'COMPLETED' };
  const { body } = await repeatedAfterCrash(step, '/logs/batch', { logs: [log, log, log] });
  const results = body.results as { status: string; log: { id: string } }[];
  expect(results.map(({ status }) => status)).toEqual(['created', 'created', 'created']);
  const stored = (await logsOf(id)).map((one) => one.id);
  expect(stored.sort()).toEqual(results.map((result) => result.log.id).sort());
});
