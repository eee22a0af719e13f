import { randomBytes, randomUUID } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { newEs256Key } from '@evenkeel/platform/config';
import { ask } from '@evenkeel/platform/testing/service';
import { Program } from '@evenkeel/services/programs';
import { Accounts, type Person } from '../accounts.fixture';

jest.setTimeout(120_000);

const KEYS = { JWT_KEYS: newEs256Key('test'), REFRESH_TOKEN_KEYS: `test:${randomBytes(32).toString('base64')}` };
const CSV = `habit,date,value\n${['Run', 'Read', 'Rest'].map((name) => `${name},2026-01-05,1`).join('\n')}\n`;

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start(KEYS);
  // A process has the time of the machine.
  accounts.clock.set(new Date());
});
afterAll(() => accounts.close());

const rowsOf = async ({ id }: Person) => {
  const [row] = await accounts.database.dataSource.query<object[]>(
    `SELECT (SELECT count(*)::integer FROM habits WHERE user_id = $1) AS habits,
       (SELECT count(*)::integer FROM habit_logs WHERE user_id = $1) AS logs,
       (SELECT change_number::integer FROM users WHERE id = $1) AS "changeNumber"`,
    [id],
  );
  return row;
};

function started(settings: Record<string, string> = {}): Program {
  const places = { DATABASE_URL: accounts.database.url, PUBLIC_BASE_URL: 'http://localhost:8080', SMTP_URL: 'none' };
  return Program.service('apps/accounts/src/main.ts', { ...places, ...KEYS, ...settings });
}

/** A request that is the same each time but for the boundary of its form. */
function importing({ token }: Person, key: string): RequestInit {
  const body = new FormData();
  body.append('file', new Blob([CSV]), 'habits.csv');
  return { method: 'POST', headers: { authorization: `Bearer ${token}`, 'idempotency-key': key }, body };
}

it.each([
  ['imported_half', { habits: 0, logs: 0, changeNumber: 0 }, { created: 3, duplicate: 0 }],
  ['after_commit', { habits: 3, logs: 3, changeNumber: 6 }, { created: 0, duplicate: 3 }],
])('killed at %s, an import is whole or has never been, and can be repeated', async (step, left, repeated) => {
  const person = await accounts.person();
  const program = started({ CRASH_AT: `accounts:${step}` });
  const { url } = await program.ready();
  const key = randomUUID();
  await expect(fetch(`${url}/v1/habits/import`, importing(person, key))).rejects.toThrow();
  expect((await program.exit).signal).toBe('SIGKILL');
  expect(await rowsOf(person)).toEqual(left);

  const again = started();
  const restarted = `${(await again.ready()).url}/v1/habits/import`;
  expect((await ask(restarted, importing(person, key))).body.error).toBe('idempotency_in_progress');
  await accounts.database.dataSource.query(`UPDATE idempotency_keys SET run_at = run_at - interval '61 seconds'`);
  const { status, body, text } = await ask(restarted, importing(person, key));
  expect([status, body.logs]).toEqual([200, { ...repeated, rejected: 0 }]);
  expect(await rowsOf(person)).toEqual({ habits: 3, logs: 3, changeNumber: 6 });
  const replayed = await ask(restarted, importing(person, key));
  expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([text, 'true']);
  expect(await audit(accounts.database.dataSource)).toEqual([]);
  await again.stop();
});
