import { Accounts, type Person } from '../accounts.fixture';

let accounts: Accounts;
beforeAll(async () => {
  // Proxies name the networks; the limit of addresses is for another test.
  const rates = { RATE_LIMIT_SCALE: '1', RATE_LOGIN: '10000/60', RATE_REGISTER: '1000/60', RATE_USER: '10000/60' };
  accounts = await Accounts.start({ ...rates, TRUSTED_PROXY_HOPS: '1' });
});
afterAll(() => accounts.close());

const HERE = '203.0.113.7';
const NEXT_DOOR = '203.0.113.99';
const ELSEWHERE = '198.51.100.7';

const login = (email: string, password: string, from = HERE) =>
  accounts.ask('POST', '/v1/auth/login', { body: { email, password }, headers: { 'x-forwarded-for': from } });
const fail = async (email: string, times: number, from = HERE) => {
  for (let count = 0; count < times; count++) expect((await login(email, 'wrong password', from)).status).toBe(401);
};
const kindsOf = async ({ id }: Person) =>
  (
    await accounts.database.dataSource.query<{ kind: string }[]>(
      'SELECT kind FROM security_events WHERE user_id = $1 ORDER BY occurred_at, id',
      [id],
    )
  ).map(({ kind }) => kind);

it('locks an address out after ten failures, for that network alone', async () => {
  const { email, password, id } = await accounts.person();
  await fail(` ${email.toUpperCase()}`, 10);
  for (const [typed, from] of [
    [email, HERE],
    [email.toUpperCase(), NEXT_DOOR],
  ] as const) {
    const { status, body, headers } = await login(typed, password, from);
    expect([status, body.error, body.details]).toEqual([
      ...[429, 'rate_limited'],
      { scope: 'account', limit: 10, window_seconds: 900 },
    ]);
    expect(headers.get('retry-after')).toBe('900');
  }
  expect((await login(email, password, ELSEWHERE)).status).toBe(200);
  const kinds = await kindsOf({ id } as Person);
  expect(kinds.filter((kind) => kind === 'sign_in_failed')).toHaveLength(10);
  expect(kinds.filter((kind) => kind === 'locked_out')).toHaveLength(1);

  accounts.clock.advanceMs(899_000);
  expect((await login(email, password)).headers.get('retry-after')).toBe('1');
  accounts.clock.advanceMs(1_000);
  expect((await login(email, password)).status).toBe(200);
});

it('locks out an address without an account in the same words', async () => {
  const { email } = await accounts.person();
  const unknown = 'nobody@example.com';
  await Promise.all([fail(email, 10), fail(unknown, 10)]);
  const [one, other] = await Promise.all([login(email, 'wrong'), login(unknown, 'wrong')]);
  expect([one.status, one.body]).toEqual([429, other.body]);
  expect(one.headers.get('retry-after')).toBe(other.headers.get('retry-after'));
});

it('forgets failures at a success', async () => {
  const { email, password } = await accounts.person();
  await fail(email, 9);
  expect((await login(email, password)).status).toBe(200);
  await fail(email, 10);
  expect((await login(email, password)).status).toBe(429);
});

it('lets ten through of forty at once, 20 times', async () => {
  for (let round = 0; round < 20; round++) {
    const email = `guessed-${round}@example.com`;
    const statuses: number[] = [];
    // As many as may be hashed or wait: what the queue refuses does not count as a failure.
    for (let go = 0; go < 2; go++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => login(email, 'wrong password')));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  }
});

it('counts a wrong password of somebody who wants another one', async () => {
  const person = await accounts.person();
  const { email, password, token } = person;
  const change = (currentPassword: string) =>
    accounts.ask('POST', '/v1/auth/password/change', {
      ...{ token, body: { currentPassword, newPassword: 'eight quiet otters' } },
      headers: { 'x-forwarded-for': HERE },
    });
  await fail(email, 5);
  for (let count = 0; count < 5; count++) expect((await change('wrong password')).status).toBe(401);
  expect(await change(password)).toMatchObject({ status: 429, body: { details: { scope: 'account' } } });
  expect((await login(email, password)).status).toBe(429);
});

it('counts no right password, whatever else is refused', async () => {
  const { email, password, token } = await accounts.person();
  const headers = { 'x-forwarded-for': HERE };
  const body = { currentPassword: password, newPassword: 'password' };
  for (let count = 0; count < 12; count++) {
    const refused = await accounts.ask('POST', '/v1/auth/password/change', { token, headers, body });
    expect([refused.status, refused.body.error]).toEqual([400, 'password_breached']);
  }
  expect((await login(email, password)).status).toBe(200);
});

it('keeps no address that somebody typed', async () => {
  const email = 'typed-once@example.com';
  await fail(email, 1);
  const rows = await accounts.database.dataSource.query<{ row: string }[]>(
    'SELECT f::text AS row FROM login_failures f UNION ALL SELECT e::text FROM security_events e',
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain('typed-once');
});
