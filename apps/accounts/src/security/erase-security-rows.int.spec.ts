import { Accounts } from '../accounts.fixture';
import { EraseOldRows } from '../erase-old-rows';

const accounts = Accounts.forSuite();

const eraseOld = () => accounts.app.get(EraseOldRows, { strict: false }).eraseOld();
/** The number of failures, sessions, refresh tokens and events. */
const counts = () =>
  Promise.all(
    ['login_failures', 'sessions', 'refresh_tokens', 'security_events'].map(
      async (table) => (await accounts.sql(`SELECT FROM ${table}`)).length,
    ),
  );

it('erases failures after a day, sessions 30 days after their end, and events after 90 days', async () => {
  const [stays, leaves] = [await accounts.person(), await accounts.person()];
  await accounts.signIn({ ...stays, password: 'wrong password' });
  await accounts.ask('POST', '/v1/auth/logout', { token: leaves.token });
  // Two accounts made, a failure, an end; the other session ends by itself after 30 days, and is kept for 30 more.
  for (const [days, left] of [
    [1, [1, 2, 2, 4]],
    [0.001, [0, 2, 2, 4]],
    [28.9, [0, 2, 2, 4]],
    [0.2, [0, 1, 1, 4]],
    [29, [0, 1, 1, 4]],
    [1, [0, 0, 0, 4]],
    [30, [0, 0, 0, 0]],
  ] as const) {
    accounts.clock.advanceMs(days * 86_400_000);
    expect([days, await eraseOld(), await counts()]).toEqual([days, false, left]);
  }
});

it('goes on while there is more than one run erases', async () => {
  await accounts.sql(
    `INSERT INTO login_failures (id, address_hash, network, failed_at)
     SELECT gen_random_uuid(), '\\x00', 'unknown', $1::timestamptz - interval '2 days' FROM generate_series(1, 1500)`,
    accounts.clock.now(),
  );
  expect([await eraseOld(), await eraseOld()]).toEqual([true, false]);
  expect((await counts())[0]).toBe(0);
});
