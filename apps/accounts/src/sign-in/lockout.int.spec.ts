import { Accounts, type Person } from '../accounts.fixture';

// Proxies name the networks; the limit of addresses is for another test.
const RATES = { RATE_LIMIT_SCALE: '1', RATE_LOGIN: '10000/60', RATE_REGISTER: '1000/60', RATE_USER: '10000/60' };
const accounts = Accounts.forSuite({ ...RATES, TRUSTED_PROXY_HOPS: '1' });

const HERE = '203.0.113.7';
const NEXT_DOOR = '203.0.113.99';
const ELSEWHERE = '198.51.100.7';
const DAY_MS = 86_400_000;

const login = (email: string, password: string, from = HERE) =>
  accounts.ask('POST', '/v1/auth/login', { body: { email, password }, headers: { 'x-forwarded-for': from } });
const isIn = async ({ email, password }: Pick<Person, 'email' | 'password'>, from = HERE) =>
  (await login(email, password, from)).status === 200;
const fail = async (email: string, times: number, from = HERE) => {
  for (let count = 0; count < times; count++) expect((await login(email, 'wrong password', from)).status).toBe(401);
};
const change = ({ token }: Person, currentPassword: string, newPassword = 'eight quiet otters') => {
  const headers = { 'x-forwarded-for': HERE };
  return accounts.ask('POST', '/v1/auth/password/change', { token, headers, body: { currentPassword, newPassword } });
};

it('locks an address out after ten failures, for their sender alone: not for a neighbour in the same /24', async () => {
  const person = await accounts.person();
  const { id, email, password } = person;
  await fail(` ${email.toUpperCase()}`, 10);
  const refused = await login(email, password);
  const details = { scope: 'account', limit: 10, window_seconds: 900 };
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited', details } });
  expect(refused.headers.get('retry-after')).toBe('900');
  expect([await isIn(person, NEXT_DOOR), await isIn(person, ELSEWHERE)]).toEqual([true, true]);
  const kinds = await accounts.sql<{ kind: string }>('SELECT kind FROM security_events WHERE user_id = $1', id);
  const count = (wanted: string) => kinds.filter(({ kind }) => kind === wanted).length;
  expect([count('sign_in_failed'), count('locked_out')]).toEqual([10, 1]);

  accounts.clock.advanceMs(899_000);
  expect((await login(email, password)).headers.get('retry-after')).toBe('1');
  accounts.clock.advanceMs(1_000);
  expect(await isIn(person)).toBe(true);
});

it('locks out an address without an account in the same words', async () => {
  const { email } = await accounts.person();
  const unknown = 'nobody@example.com';
  await Promise.all([fail(email, 10), fail(unknown, 10)]);
  const [one, other] = await Promise.all([login(email, 'wrong'), login(unknown, 'wrong')]);
  expect([one.status, one.text]).toEqual([429, other.text]);
  expect(one.headers.get('retry-after')).toBe(other.headers.get('retry-after'));
});

it('forgets failures at a success', async () => {
  const person = await accounts.person();
  await fail(person.email, 9);
  expect(await isIn(person)).toBe(true);
  await fail(person.email, 10);
  expect(await isIn(person)).toBe(false);
});

it('lets sixteen right passwords in at once, and a right one beside fourteen wrong ones', async () => {
  const { email, password } = await accounts.person();
  const right = await Promise.all(Array.from({ length: 16 }, () => login(email, password)));
  expect(right.map(({ status }) => status)).toEqual(Array(16).fill(200));
  const mixed = await Promise.all(Array.from({ length: 15 }, (_, n) => login(email, n === 14 ? password : 'wrong')));
  expect(mixed[14]!.status).toBe(200);
});

it('takes an IPv6 subscriber as one: the /64, and not their neighbours of a /48', async () => {
  const person = await accounts.person();
  for (let host = 1; host <= 10; host++) await fail(person.email, 1, `2001:db8:0:7::${host}`);
  expect([await isIn(person, '2001:db8:0:7:ffff::1'), await isIn(person, '2001:db8:0:8::1')]).toEqual([false, true]);
});

it('after a hundred failures from anywhere only those may try from where the account was signed in before', async () => {
  const person = await accounts.person();
  const unknown = 'nobody-at-all@example.com';
  expect(await isIn(person)).toBe(true);
  for (const address of [person.email, unknown])
    for (let network = 0; network < 10; network++)
      await Promise.all(Array.from({ length: 10 }, () => fail(address, 1, `198.18.${network}.1`)));
  for (const [address, from] of [
    [person.email, ELSEWHERE],
    [person.email, NEXT_DOOR],
    [unknown, HERE],
  ] as const) {
    const { status, body } = await login(address, person.password, from);
    const details = { scope: 'account', limit: 100, window_seconds: 3_600 };
    expect([address, from, status, body.details]).toEqual([address, from, 429, details]);
  }
  expect(await isIn(person)).toBe(true);
  accounts.clock.advanceMs(3_600_000);
  expect(await isIn(person, ELSEWHERE)).toBe(true);
});

it('knows from where the account has had a session of late, however long ago that was opened', async () => {
  const person = await accounts.person();
  let { refreshToken } = (await login(person.email, person.password)).body;
  for (let months = 0; months < 3; months++) {
    accounts.clock.advanceMs(29 * DAY_MS);
    const { body } = await accounts.ask('POST', '/v1/auth/refresh', { body: { refreshToken } });
    refreshToken = body['refreshToken'];
  }
  // It has ended after 90 days.
  accounts.clock.advanceMs(10 * DAY_MS);
  for (let network = 0; network < 10; network++) await fail(person.email, 10, `198.18.${network}.1`);
  expect((await login(person.email, person.password, NEXT_DOOR)).status).toBe(429);
  expect(await isIn(person)).toBe(true);
});

it('lets ten through of forty at once, 20 times', async () => {
  for (let round = 0; round < 20; round++) {
    const statuses: number[] = [];
    // As many as may be hashed or wait: a refusal of the queue is no failure.
    for (let go = 0; go < 2; go++) {
      const tries = Array.from({ length: 20 }, () => login(`guessed-${round}@example.com`, 'wrong password'));
      statuses.push(...(await Promise.all(tries)).map(({ status }) => status));
    }
    expect(statuses.sort()).toEqual([...Array(10).fill(401), ...Array(30).fill(429)]);
  }
}, 240_000);

it('counts a wrong password of somebody who wants another one, and no right one, whatever else is refused', async () => {
  const [person, other] = [await accounts.person(), await accounts.person()];
  for (let count = 0; count < 12; count++)
    expect((await change(other, other.password, 'password')).body.error).toBe('password_breached');
  expect(await isIn(other)).toBe(true);
  await fail(person.email, 5);
  for (let count = 0; count < 5; count++) expect((await change(person, 'wrong password')).status).toBe(401);
  expect(await change(person, person.password)).toMatchObject({ status: 429, body: { details: { scope: 'account' } } });
  expect(await isIn(person)).toBe(false);
});

it('a reset by mail ends every lock of the account', async () => {
  const { email } = await accounts.person();
  for (const from of [HERE, ELSEWHERE]) await fail(email, 10, from);
  const password = 'eight quiet otters';
  const body = { token: await accounts.resetToken(email), password };
  expect((await accounts.ask('POST', '/v1/auth/password/reset', { body })).status).toBe(204);
  for (const from of [HERE, ELSEWHERE]) expect(await isIn({ email, password }, from)).toBe(true);
});
