import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Accounts } from '../accounts.fixture';
import { run } from './account-command';

const accounts = Accounts.forSuite();
// The command is a process of its own, on the clock of the machine.
beforeAll(() => accounts.clock.set(new Date()));

async function command(args: string[], settings: object = {}): Promise<{ code: number; said: string }> {
  let said = '';
  const say = (text: string) => void (said += text);
  const env = { DATABASE_URL: accounts.database.url, OPERATOR: 'ada', ...settings };
  return { code: await run(args, env, { out: say, err: say }), said };
}

const actionsAbout = (userId: string) =>
  accounts.sql(
    `SELECT operator, action, step, arguments->>'why' AS why FROM operator_actions WHERE subject = $1
     ORDER BY occurred_at, id`,
    userId,
  );

it('finds an account by address and by id, with keys in files as containers have them, and shows nothing personal', async () => {
  const { id, email } = await accounts.person({ displayName: 'Ana' });
  const folder = mkdtempSync(join(tmpdir(), 'account-command-'));
  const keys = join(folder, 'keys');
  writeFileSync(keys, `first:${Buffer.alloc(32, 7).toString('base64')}\n`);
  for (const [who, settings] of [
    [` ${email.toUpperCase()}`, {}],
    [id, { JWT_KEYS_FILE: keys, REFRESH_TOKEN_KEYS_FILE: keys }],
  ] as const) {
    const { code, said } = await command(['find', who], settings);
    expect([code, said]).toEqual([0, expect.stringContaining(id)]);
    expect(said).toMatch(/liveSessions +1/);
    for (const personal of [email, 'Ana']) expect(said).not.toContain(personal);
  }
  rmSync(folder, { recursive: true });
  const action = { operator: 'ada', action: 'account:find', step: 'done', why: '' };
  expect(await actionsAbout(id)).toEqual([action, action]);
});

it('ends the sessions of an account', async () => {
  const { id, email, token } = await accounts.person();
  const why = ['--why', 'ticket 7'];
  expect(await command(['revoke', email, ...why])).toEqual({ code: 0, said: `Ended 1 session of ${id}.\n` });
  expect(await accounts.statusOf(token)).toBe(401);
  expect((await accounts.events(id)).at(-1)!.type).toBe('session.revoked');
  const action = { operator: 'ada', action: 'account:revoke', why: 'ticket 7' };
  expect(await actionsAbout(id)).toEqual([
    { ...action, step: 'begun' },
    { ...action, step: 'done' },
  ]);
  expect((await command(['revoke', id, ...why])).said).toBe(`Ended 0 sessions of ${id}.\n`);
});

it('deletes an account', async () => {
  const { id, email } = await accounts.person();
  const { code, said } = await command(['delete', id, '--why', 'asked by letter']);
  expect([code, said]).toEqual([0, expect.stringMatching(/^Deleted .* Receipt [0-9a-f-]{36}; its rows are gone by /)]);
  expect((await command(['find', email])).code).toBe(1);
});

it.each([
  [['find'], "missing required argument 'address or id'"],
  [['revoke', 'a@example.com', 'b@example.com', '--why', 'x'], 'too many arguments'],
  [['delete', 'a@example.com'], "required option '--why <text>' not specified"],
])('refuses %p with 2 and a hint', async (args, message) => {
  const { code, said } = await command(args);
  expect([code, said]).toEqual([2, expect.stringContaining(message)]);
  expect(said).toContain('--help');
});
