import { audit } from '@evenkeel/ops/audit';
import { newEs256Key } from '@evenkeel/platform/config';
import { eventually } from '@evenkeel/platform/testing';
import { jsonRequest } from '@evenkeel/platform/testing/service';
import { Program, stopPrograms } from '@evenkeel/services/programs';
import { EraseAccounts } from '../account/delete-account';
import { Accounts, type Person } from '../accounts.fixture';
import { AnalysesOf, logsOf } from '../analysis/analysis.fixture';
import { HabitsOf } from '../habits/habits.fixture';
import { fileTransfer } from '../transfer/transfer.fixture';
import { MailServer } from '../mails/mail-server.fixture';

// A program for each, one after the other, on a busy machine.
jest.setTimeout(120_000);

const SETTINGS = {
  JWT_KEYS: newEs256Key('test'),
  REFRESH_TOKEN_KEYS: `test:${Buffer.alloc(32, 5).toString('base64')}`,
  PUBLIC_BASE_URL: 'http://localhost:8080',
  SMTP_URL: 'none',
  RATE_LIMIT_SCALE: '1000',
};

afterAll(() => stopPrograms());
const accounts = Accounts.forSuite({ ...SETTINGS, SMTP_URL: undefined });
let person: Person;
// A process has the time of the machine.
beforeAll(() => accounts.clock.set(new Date()));
beforeEach(async () => {
  person = await accounts.person();
});
afterEach(async () => expect(await audit(accounts.database.dataSource)).toEqual([]));
/** Of the service, one that dies at a step when it is given. */
function start(entry: 'main' | 'worker', step?: string, more: Record<string, string> = {}): Program {
  const settings = { ...SETTINGS, DATABASE_URL: accounts.database.url, ...more };
  const crash = step === undefined ? {} : { CRASH_AT: `accounts:${step}` };
  return Program.service(`apps/accounts/src/${entry}.ts`, { ...settings, ...crash });
}

/** Sends a request that kills the process which has it. */
async function dieWith(step: string, path: string, request: RequestInit): Promise<void> {
  const program = start('main', step);
  const { url } = await program.ready();
  await expect(fetch(url + path, request)).rejects.toThrow();
  expect((await program.exit).signal).toBe('SIGKILL');
}

const transfer = fileTransfer(() => accounts);
const STEPS = ['before_commit', 'after_commit'];
const LOG = { occurredAt: '2026-01-31T08:00:00Z', status: 'COMPLETED' };

it.each([
  ['before_commit', 0, 201],
  ['after_commit', 1, 409],
])('killed at %s, there is a whole account or none', async (step, made, status) => {
  const body = { email: `killed-${step}@example.com`, password: 'seven quiet otters' };
  await dieWith(step, '/v1/auth/register', jsonRequest('POST', { body }));
  const rows = await accounts.sql(
    `SELECT count(u.id)::integer AS users, count(s.id)::integer AS sessions, count(t.id)::integer AS tokens,
       (SELECT count(*)::integer FROM outbox o JOIN users v ON o.aggregate = v.id::text WHERE v.email = $1) AS events
     FROM users u LEFT JOIN sessions s ON s.user_id = u.id LEFT JOIN refresh_tokens t ON t.session_id = s.id
     WHERE u.email = $1`,
    body.email,
  );
  expect(rows).toEqual([{ users: made, sessions: made, tokens: made, events: made }]);
  expect((await accounts.ask('POST', '/v1/auth/register', { body })).status).toBe(status);
  expect((await accounts.ask('POST', '/v1/auth/login', { body })).status).toBe(200);
});

it.each(STEPS)('killed at %s, a refresh can be repeated', async (step) => {
  const refresh = (refreshToken: unknown) => accounts.ask('POST', '/v1/auth/refresh', { body: { refreshToken } });
  await dieWith(step, '/v1/auth/refresh', jsonRequest('POST', { body: { refreshToken: person.refreshToken } }));
  const repeated = await refresh(person.refreshToken);
  expect([repeated.status, (await refresh(repeated.body.refreshToken)).status]).toEqual([200, 200]);
});

it.each([
  ['before_commit', 0],
  ['after_commit', 1],
])('killed at %s, an analysis is whole or has never been: %i counted', async (step, counted) => {
  const ana = await AnalysesOf.somebody(accounts);
  await ana.habit({ startDay: '2026-01-01', logs: logsOf('d'.repeat(600), '2026-01-01') });
  await dieWith(step, '/v1/habits/analyze', jsonRequest('POST', { token: ana.person.token }));
  const insights = await accounts.sql('SELECT code FROM insights WHERE user_id = $1', ana.person.id);
  expect(insights.length > 0).toBe(counted === 1);
  const month = accounts.clock.now().toISOString().slice(0, 7);
  expect(await ana.usage(month)).toEqual({ used: counted, events: counted === 1 ? [1] : [] });
  const reply = await ana.ask('analyze');
  expect([reply.status, reply.headers.get('x-quota-used')]).toEqual([200, String(counted + 1)]);
});

it.each([
  ['imported_half', { habits: 0, logs: 0, changeNumber: 0 }, { created: 3, duplicate: 0 }],
  ['after_commit', { habits: 3, logs: 3, changeNumber: 6 }, { created: 0, duplicate: 3 }],
])('killed at %s, an import is whole or has never been, and can be repeated', async (step, left, repeated) => {
  const rowsOf = async () => {
    const user = 'SELECT change_number::integer AS "changeNumber" FROM users WHERE id = $1';
    return { ...(await transfer.rowsOf(person)), ...(await accounts.sql(user, person.id))[0] };
  };
  const csv = `habit,date,value\n${['Run', 'Read', 'Rest'].map((name) => `${name},2026-01-05,1`).join('\n')}\n`;
  // The same each time but for the boundary of its form.
  const request = () => {
    const body = new FormData();
    body.append('file', new Blob([csv]), 'habits.csv');
    return { method: 'POST', headers: { authorization: `Bearer ${person.token}`, 'idempotency-key': 'killed' }, body };
  };
  const send = () => accounts.send('/v1/habits/import', request());
  await dieWith(step, '/v1/habits/import', request());
  expect(await rowsOf()).toEqual(left);
  expect(await send()).toMatchObject({ status: 409, body: { error: 'idempotency_in_progress' } });
  // Once the first run is over.
  await accounts.sql(`UPDATE idempotency_keys SET run_at = run_at - interval '61 seconds'`);
  const [first, second] = [await send(), await send()];
  expect([first.status, first.body.logs]).toEqual([200, { ...repeated, rejected: 0 }]);
  expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  expect(await rowsOf()).toEqual({ habits: 3, logs: 3, changeNumber: 6 });
});

it('killed at mail_sent, a mail is sent again with the same id, and its link works', async () => {
  const mails = await MailServer.start();
  const settings = { SMTP_URL: mails.url };
  const { email } = person;
  await accounts.sql('DELETE FROM mails WHERE user_id <> $1', person.id);
  expect((await start('worker', 'mail_sent', settings).exit).signal).toBe('SIGKILL');
  // As if the worker that took it had been gone for long.
  await accounts.sql('UPDATE mails SET send_at = now()');
  const worker = start('worker', undefined, settings);
  const again = await mails.next(email, 1);
  const [first] = mails.to(email);
  for (const name of ['message-id', 'date', 'subject']) expect(again.headers[name]).toBe(first!.headers[name]);
  await eventually(async () => expect(await accounts.sql('SELECT FROM mails')).toEqual([]));
  const body = { token: again.token };
  expect((await accounts.ask('POST', '/v1/auth/email/verify', { body })).status).toBe(200);
  await worker.stop();
  await mails.stop();
});

describe('a deletion', () => {
  const removal = () => jsonRequest('DELETE', { token: person.token });
  const deletions = () => accounts.sql(`SELECT FROM outbox WHERE aggregate = $1 AND type = 'user.deleted'`, person.id);

  it.each([
    ['before_commit', 202, 0],
    ['after_commit', 401, 1],
  ])('killed at %s, has happened or not, and the request can be repeated', async (step, repeated, announced) => {
    await dieWith(step, '/v1/account', removal());
    expect(await deletions()).toHaveLength(announced);
    expect((await accounts.send('/v1/account', removal())).status).toBe(repeated);
    expect(await deletions()).toHaveLength(1);
  });

  it('killed at erased_half, is ended by a worker that is started again', async () => {
    const { id } = person;
    const ana = new HabitsOf(accounts, person);
    const { id: habitId } = await ana.habit();
    await ana.ask('POST', '/logs/batch', { logs: Array(30).fill({ habitId, ...LOG }) as object[] });
    const tables = ['users', 'habits', 'habit_logs', 'security_events', 'sessions', 'entitlements'];
    const left = async () => {
      const ofTable = (table: string) =>
        `SELECT '${table}' AS name WHERE EXISTS (SELECT FROM ${table} WHERE ${table === 'users' ? 'id' : 'user_id'} = $1)`;
      return (await accounts.sql<{ name: string }>(tables.map(ofTable).join(' UNION ALL '), id)).map(
        ({ name }) => name,
      );
    };
    // The worker of this process would erase them too.
    await accounts.app.get(EraseAccounts, { strict: false }).beforeApplicationShutdown();
    // The first to be erased.
    await accounts.sql(
      `UPDATE users SET deleted_at = '2000-01-01', email = NULL, email_key = NULL, password_hash = NULL WHERE id = $1`,
      id,
    );
    expect((await start('worker', 'erased_half').exit).signal).toBe('SIGKILL');
    expect(await left()).toEqual(['users', 'habits', 'security_events', 'sessions']);
    await start('worker').ready();
    await eventually(async () => expect(await left()).toEqual([]), { withinMs: 60_000 });
  });
});
