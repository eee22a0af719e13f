import { eventually } from '@evenkeel/platform/testing';
import { Accounts } from '../accounts.fixture';
import { EraseSecurityRows } from './security-events';

const DAY_MS = 86_400_000;

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

const count = async (table: string) => {
  const [row] = await accounts.database.dataSource.query<[{ rows: number }]>(
    `SELECT count(*)::integer AS rows FROM ${table}`,
  );
  return row.rows;
};
const counts = async () => ({
  failures: await count('login_failures'),
  sessions: await count('sessions'),
  tokens: await count('refresh_tokens'),
  events: await count('security_events'),
});

it('erases failures after a day, sessions 30 days after their end, and events after 90 days', async () => {
  const [stays, leaves] = [await accounts.person(), await accounts.person()];
  const body = { email: stays.email, password: 'wrong password' };
  expect((await accounts.ask('POST', '/v1/auth/login', { body })).status).toBe(401);
  expect((await accounts.ask('POST', '/v1/auth/logout', { token: leaves.token })).status).toBe(204);
  const eraser = accounts.app.get(EraseSecurityRows, { strict: false });
  const after = async (days: number) => {
    accounts.clock.advanceMs(days * DAY_MS);
    expect(await eraser.eraseOld()).toBe(false);
    return counts();
  };
  // Two accounts made, a failure, an end.
  const all = { failures: 1, sessions: 2, tokens: 2, events: 4 };
  expect(await after(1)).toEqual(all);
  expect(await after(0.001)).toEqual({ ...all, failures: 0 });
  expect(await after(28.9)).toEqual({ ...all, failures: 0 });
  // The other ends by itself after 30 days, and is kept for 30 more.
  expect(await after(0.2)).toEqual({ failures: 0, sessions: 1, tokens: 1, events: 4 });
  expect(await after(29)).toMatchObject({ sessions: 1 });
  expect(await after(1)).toEqual({ failures: 0, sessions: 0, tokens: 0, events: 4 });
  expect(await after(30)).toMatchObject({ events: 0 });
});

it('goes on while there is more than one run erases', async () => {
  await accounts.database.dataSource.query(
    `INSERT INTO login_failures (id, address_hash, network, failed_at)
     SELECT gen_random_uuid(), '\\x00', 'unknown', $1::timestamptz - interval '2 days' FROM generate_series(1, 1500)`,
    [accounts.clock.now()],
  );
  const eraser = accounts.app.get(EraseSecurityRows, { strict: false });
  expect(await eraser.eraseOld()).toBe(true);
  await eventually(async () => expect(await eraser.eraseOld()).toBe(false));
  expect(await count('login_failures')).toBe(0);
});
