import { eventually } from '@evenkeel/platform/testing';
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

it('locks an address out after ten failures, for their sender alone: not for a neighbour in the same /24', async () => {
  const { email, password, id } = await accounts.person();
  await fail(` ${email.toUpperCase()}`, 10);
  for (const [typed, from] of [
    [email, HERE],
    [email.toUpperCase(), HERE],
  ] as const) {
    const { status, body, headers } = await login(typed, password, from);
    expect([status, body.error, body.details]).toEqual([
      429,
      'rate_limited',
      { scope: 'account', limit: 10, window_seconds: 900 },
    ]);
    expect(headers.get('retry-after')).toBe('900');
  }
  for (const from of [NEXT_DOOR, ELSEWHERE]) expect((await login(email, password, from)).status).toBe(200);
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

it('lets sixteen right passwords in at once, and a right one beside nine wrong ones', async () => {
  const { email, password } = await accounts.person();
  const right = await Promise.all(Array.from({ length: 16 }, () => login(email, password)));
  expect(right.map(({ status }) => status)).toEqual(Array(16).fill(200));
  const mixed = await Promise.all(Array.from({ length: 15 }, (_, n) => login(email, n === 14 ? password : 'wrong')));
  expect(mixed[14]!.status).toBe(200);
});

it('takes an IPv6 subscriber as one: the /64, and not their neighbours of a /48', async () => {
  const { email, password } = await accounts.person();
  for (let host = 1; host <= 10; host++) await fail(email, 1, `2001:db8:0:7::${host}`);
  expect((await login(email, password, '2001:db8:0:7:ffff::1')).status).toBe(429);
  expect((await login(email, password, '2001:db8:0:8::1')).status).toBe(200);
});

it('after a hundred failures from anywhere only those may try from where the account was signed in before', async () => {
  const { email, password } = await accounts.person();
  const unknown = 'nobody-at-all@example.com';
  expect((await login(email, password, HERE)).status).toBe(200);
  for (const address of [email, unknown])
    for (let network = 0; network < 10; network++)
      await Promise.all(Array.from({ length: 10 }, () => fail(address, 1, `198.18.${network}.1`)));
  for (const [address, from] of [
    [email, ELSEWHERE],
    [email, NEXT_DOOR],
    [unknown, HERE],
  ] as const) {
    const { status, body } = await login(address, password, from);
    expect([address, from, status, body.details]).toEqual([
      address,
      from,
      429,
      { scope: 'account', limit: 100, window_seconds: 3_600 },
    ]);
  }
  expect((await login(email, password, HERE)).status).toBe(200);
  accounts.clock.advanceMs(3_600_000);
  expect((await login(email, password, ELSEWHERE)).status).toBe(200);
});

it('lets ten through of forty at once, 20 times', async () => {
  for (let round = 0; round < 20; round++) {
    const email = `guessed-${round}@example.com`;
    const statuses: number[] = [];
    // As many as may be hashed or wait: a refusal of the queue is no failure.
    for (let go = 0; go < 2; go++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => login(email, 'wrong password')));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  }
}, 240_000);

it('counts a wrong password of somebody who wants another one', async () => {
  const person = await accounts.person();
  const { email, password, token } = person;
  const change = (currentPassword: string) =>
    accounts.ask('POST', '/v1/auth/password/change', {
      token,
      body: { currentPassword, newPassword: 'eight quiet otters' },
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

it('a reset by mail ends every lock of the account', async () => {
  const { email, password } = await accounts.person();
  await accounts.database.dataSource.query('DELETE FROM mails');
  for (const from of [HERE, ELSEWHERE]) await fail(email, 10, from);
  await accounts.ask('POST', '/v1/auth/password/forgot', { body: { email } });
  const token = await eventually(async () => {
    const { text } = await accounts.ask('GET', '/dev/mails');
    return /hrp_[\w-]{43}/.exec(text)?.[0] ?? false;
  });
  expect((await login(email, password)).status).toBe(429);
  const next = 'eight quiet otters';
  expect((await accounts.ask('POST', '/v1/auth/password/reset', { body: { token, password: next } })).status).toBe(204);
  for (const from of [HERE, ELSEWHERE]) expect((await login(email, next, from)).status).toBe(200);
});
