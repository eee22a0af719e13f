import { randomBytes } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { newEs256Key } from '@evenkeel/platform/config';
import { Program } from '@evenkeel/services/programs';
import { Accounts } from '../accounts.fixture';

jest.setTimeout(120_000);

const KEYS = { JWT_KEYS: newEs256Key('test'), REFRESH_TOKEN_KEYS: `test:${randomBytes(32).toString('base64')}` };

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start(KEYS);
  // A process has the time of the machine.
  accounts.clock.set(new Date());
});
afterAll(() => accounts.close());

/** Sends a request that kills the process which has it. */
async function dieWith(step: string, path: string, body: object): Promise<void> {
  const settings = { DATABASE_URL: accounts.database.url, PUBLIC_BASE_URL: 'http://localhost:8080', ...KEYS };
  const program = Program.service('apps/accounts/src/main.ts', { ...settings, CRASH_AT: `accounts:${step}` });
  const { url } = await program.ready();
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  await expect(fetch(url + path, request)).rejects.toThrow();
  expect((await program.exit).signal).toBe('SIGKILL');
}

it.each([
  ['before_commit', 0, 201],
  ['after_commit', 1, 409],
])('killed at %s, there is a whole account or none', async (step, made, status) => {
  const body = { email: `killed-${step}@example.com`, password: 'seven quiet otters' };
  await dieWith(step, '/v1/auth/register', body);
  const [rows] = await accounts.database.dataSource.query<object[]>(
    `SELECT count(u.id)::integer AS users, count(s.id)::integer AS sessions, count(t.id)::integer AS tokens,
       (SELECT count(*)::integer FROM outbox o JOIN users v ON o.aggregate = v.id::text WHERE v.email = $1) AS events,
       (SELECT count(*)::integer FROM mails m JOIN mail_tokens k ON k.id = m.token_id WHERE m.recipient = $1) AS mails
     FROM users u LEFT JOIN sessions s ON s.user_id = u.id LEFT JOIN refresh_tokens t ON t.session_id = s.id
     WHERE u.email = $1`,
    [body.email],
  );
  expect(rows).toEqual({ users: made, sessions: made, tokens: made, events: made, mails: made });
  expect((await accounts.ask('POST', '/v1/auth/register', { body })).status).toBe(status);
  expect((await accounts.ask('POST', '/v1/auth/login', { body })).status).toBe(200);
  expect(await audit(accounts.database.dataSource)).toEqual([]);
});

it.each(['before_commit', 'after_commit'])('killed at %s, a refresh can be repeated', async (step) => {
  const person = await accounts.person();
  const { refreshToken } = person;
  await dieWith(step, '/v1/auth/refresh', { refreshToken });
  const refresh = (token: unknown) => accounts.ask('POST', '/v1/auth/refresh', { body: { refreshToken: token } });
  const repeated = await refresh(refreshToken);
  expect(repeated.status).toBe(200);
  expect((await refresh(repeated.body.refreshToken)).status).toBe(200);
  expect(await audit(accounts.database.dataSource)).toEqual([]);
});
