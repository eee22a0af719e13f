import { audit } from '@evenkeel/ops/audit';
import { newEs256Key } from '@evenkeel/platform/config';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { ask } from '@evenkeel/platform/testing/service';
import { Program } from '@evenkeel/services/programs';
import { ENTITIES, MIGRATIONS } from '../database';

// Four programs, one after the other, on a busy machine.
jest.setTimeout(300_000);

let database: TestDatabase;
let settings: Record<string, string>;
const programs: Program[] = [];
beforeAll(async () => {
  database = await createTestDatabase({ name: 'accounts', entities: ENTITIES, migrations: MIGRATIONS });
  settings = {
    ...{ DATABASE_URL: database.url, SMTP_URL: 'none', JWT_KEYS: newEs256Key('test'), RATE_LIMIT_SCALE: '1000' },
    ...{ REFRESH_TOKEN_KEYS: `test:${Buffer.alloc(32, 5).toString('base64')}` },
    PUBLIC_BASE_URL: 'http://localhost:8080',
  };
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  await database.drop();
});

/** Of the service, one that dies at a step when it is given. */
function start(entry: 'main' | 'worker', step?: string): Program {
  const program = Program.service(`apps/accounts/src/${entry}.ts`, {
    ...settings,
    ...(step !== undefined && { CRASH_AT: `accounts:${step}` }),
  });
  programs.push(program);
  return program;
}

const sql = <Row>(text: string, values: unknown[] = []) => database.dataSource.query<Row[]>(text, values);

interface Leaver {
  id: string;
  token: string;
}

/** Somebody with a habit and its logs. */
async function aLeaver(url: string, email: string): Promise<Leaver> {
  const send = (path: string, body: object, token = '') =>
    ask(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
  const { body } = await send('/v1/auth/register', { email, password: 'seven quiet otters' });
  const { accessToken: token, user } = body as { accessToken: string; user: { id: string } };
  const { body: habit } = await send('/v1/habits', { name: 'Run' }, token);
  const log = { habitId: habit.id, occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' };
  const { body: batch } = await send('/v1/habits/logs/batch', { logs: Array.from({ length: 30 }, () => log) }, token);
  expect(batch.results).toHaveLength(30);
  return { id: user.id, token };
}

const removal = ({ token }: Leaver): RequestInit => ({
  method: 'DELETE',
  headers: { authorization: `Bearer ${token}` },
});

const TABLES = ['users', 'habits', 'habit_logs', 'security_events', 'sessions', 'entitlements', 'mails'];

/** Which tables have rows of somebody. */
async function tablesWith({ id }: Leaver): Promise<string[]> {
  const counts = TABLES.map((table) => {
    const column = table === 'users' ? 'id' : 'user_id';
    return `SELECT '${table}' AS name WHERE EXISTS (SELECT FROM ${table} WHERE ${column} = $1)`;
  });
  return (await sql<{ name: string }>(counts.join(' UNION ALL '), [id])).map(({ name }) => name);
}

it.each([
  ['before_commit', 202, 0],
  ['after_commit', 401, 1],
])('killed at %s, an account is deleted or not, and the request can be repeated', async (step, repeated, announced) => {
  const { url: living } = await start('main').ready();
  const leaver = await aLeaver(living, `${step}@example.com`);
  const doomed = start('main', step);
  await expect(fetch(`${(await doomed.ready()).url}/v1/account`, removal(leaver))).rejects.toThrow();
  expect((await doomed.exit).signal).toBe('SIGKILL');

  const deletions = () => sql(`SELECT FROM outbox WHERE aggregate = $1 AND type = 'user.deleted'`, [leaver.id]);
  expect(await deletions()).toHaveLength(announced);
  expect((await ask(`${living}/v1/account`, removal(leaver))).status).toBe(repeated);
  expect(await deletions()).toHaveLength(1);
  expect(await audit(database.dataSource)).toEqual([]);
});

it('killed at erased_half, a worker that is started again erases the rest', async () => {
  const { url: living } = await start('main').ready();
  const leaver = await aLeaver(living, 'erased@example.com');
  expect((await ask(`${living}/v1/account`, removal(leaver))).status).toBe(202);
  // Before those of the other tests: the first to be erased.
  await sql(`UPDATE users SET deleted_at = '2000-01-01' WHERE id = $1`, [leaver.id]);
  expect((await start('worker', 'erased_half').exit).signal).toBe('SIGKILL');
  expect(await tablesWith(leaver)).toEqual(['users', 'habits', 'security_events', 'sessions']);
  expect(await audit(database.dataSource)).toEqual([]);

  await start('worker').ready();
  await eventually(async () => expect(await tablesWith(leaver)).toEqual([]), { withinMs: 30_000 });
  expect(await audit(database.dataSource)).toEqual([]);
});
