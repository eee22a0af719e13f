import { randomBytes } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { newEs256Key } from '@evenkeel/platform/config';
import { Program } from '@evenkeel/services/programs';
import { Accounts } from '../accounts.fixture';
import { AnalysesOf, logsOf } from './analysis.fixture';

jest.setTimeout(120_000);

const KEYS = { JWT_KEYS: newEs256Key('test'), REFRESH_TOKEN_KEYS: `test:${randomBytes(32).toString('base64')}` };

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start(KEYS);
  // A process has the time of the machine.
  accounts.clock.set(new Date());
});
afterAll(() => accounts.close());

it.each([
  ['before_commit', 0],
  ['after_commit', 1],
])('killed at %s, an analysis is whole or has never been: %i counted', async (step, counted) => {
  const ana = await AnalysesOf.somebody(accounts);
  await ana.habit({ startDay: '2026-01-01', logs: logsOf('d'.repeat(600), '2026-01-01') });
  const program = Program.service('apps/accounts/src/main.ts', {
    ...{ DATABASE_URL: accounts.database.url, PUBLIC_BASE_URL: 'http://localhost:8080', ...KEYS },
    CRASH_AT: `accounts:${step}`,
  });
  const { url } = await program.ready();
  const authorization = `Bearer ${ana.person.token}`;
  await expect(fetch(`${url}/v1/habits/analyze`, { method: 'POST', headers: { authorization } })).rejects.toThrow();
  expect((await program.exit).signal).toBe('SIGKILL');

  const insights = await ana.query('SELECT code FROM insights WHERE user_id = $1', [ana.person.id]);
  expect(insights.length > 0).toBe(counted === 1);
  const month = accounts.clock.now().toISOString().slice(0, 7);
  expect(await ana.usage(month)).toEqual({ used: counted, events: counted === 1 ? [1] : [] });

  // The same request again, of a process that lives.
  const reply = await ana.ask('analyze');
  expect([reply.status, reply.headers.get('x-quota-used')]).toEqual([200, String(counted + 1)]);
  expect(await audit(accounts.database.dataSource)).toEqual([]);
});
