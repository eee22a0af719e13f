import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Accounts } from '../accounts.fixture';
import { run } from './account-command';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
  // The command is a process of its own, on the clock of the machine.
  accounts.clock.advanceMs(Date.now() - accounts.clock.now().getTime());
});
afterAll(() => accounts.close());

async function command(...args: string[]): Promise<{ code: number; said: string }> {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const env = { DATABASE_URL: accounts.database.url, OPERATOR: 'ada' };
  return { code: await run(args, env, { out: say, err: say }), said: said.join('') };
}

const actionsAbout = (userId: string) =>
  accounts.database.dataSource.query<{ action: string; step: string }[]>(
    `SELECT operator, action, step, arguments->>'why' AS why FROM operator_actions WHERE subject = $1 ORDER BY occurred_at, id`,
    [userId],
  );

it('finds an account by address and by id, shows nothing personal, and is stored', async () => {
  const person = await accounts.person({ displayName: 'Ana' });
  for (const who of [` ${person.email.toUpperCase()}`, person.id]) {
    const { code, said } = await command('find', who);
    expect([code, said]).toEqual([0, expect.stringContaining(person.id)]);
    expect(said).toMatch(/liveSessions +1/);
    for (const personal of [person.email, 'Ana']) expect(said).not.toContain(personal);
  }
  expect(await actionsAbout(person.id)).toEqual(
    Array.from({ length: 2 }, () => ({ operator: 'ada', action: 'account:find', step: 'done', why: '' })),
  );
});

it('takes keys from files, as containers have them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'account-command-'));
  try {
    const keys = join(folder, 'keys');
    writeFileSync(keys, `first:${Buffer.alloc(32, 7).toString('base64')}\n`);
    const person = await accounts.person();
    const said: string[] = [];
    const streams = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
    const { url: DATABASE_URL } = accounts.database;
    const env = { DATABASE_URL, OPERATOR: 'ada', JWT_KEYS_FILE: keys, REFRESH_TOKEN_KEYS_FILE: keys };
    expect([await run(['find', person.id], env, streams), said.join('')]).toEqual([
      0,
      expect.stringContaining(person.id),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('ends the sessions of an account', async () => {
  const person = await accounts.person();
  expect(await command('revoke', person.email, '--why', 'ticket 7')).toEqual({
    code: 0,
    said: `Ended 1 session of ${person.id}.\n`,
  });
  expect((await accounts.ask('GET', '/v1/auth/me', { token: person.token })).status).toBe(401);
  const [event] = await accounts.database.dataSource.query<{ type: string; payload: { sessionIds: string[] } }[]>(
    `SELECT type, payload FROM outbox WHERE aggregate = $1 ORDER BY seq DESC LIMIT 1`,
    [person.id],
  );
  expect([event!.type, event!.payload.sessionIds]).toEqual(['session.revoked', [expect.any(String)]]);
  expect((await actionsAbout(person.id)).map(({ step }) => step)).toEqual(['begun', 'done']);
  expect((await command('revoke', person.id, '--why', 'ticket 7')).said).toBe(`Ended 0 sessions of ${person.id}.\n`);
});

it('deletes an account', async () => {
  const person = await accounts.person();
  const { code, said } = await command('delete', person.id, '--why', 'asked by letter');
  expect([code, said]).toEqual([0, expect.stringMatching(/^Deleted .* Receipt [0-9a-f-]{36}; its rows are gone by /)]);
  expect((await command('find', person.email)).code).toBe(1);
});

it.each([
  [['find'], 'name one account'],
  [['revoke', 'a@example.com', 'b@example.com', '--why', 'x'], 'name one account'],
  [['delete', 'a@example.com'], '--why must say what it is for'],
])('refuses %p with 2 and a hint', async (args, message) => {
  const { code, said } = await command(...args);
  expect([code, said]).toEqual([2, expect.stringContaining(message)]);
  expect(said).toContain('--help');
});
