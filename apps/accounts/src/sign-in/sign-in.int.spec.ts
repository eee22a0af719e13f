import { eventually } from '@evenkeel/platform/testing';
import { Accounts } from '../accounts.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

it('signs in who registers, and who they are is on every request', async () => {
  const person = await accounts.person({ displayName: 'Ana', timezone: 'Europe/Madrid' });
  const { status, body } = await accounts.ask('GET', '/v1/auth/me', { token: person.token });
  expect([status, body]).toEqual([
    200,
    {
      ...{ id: person.id, email: person.email, displayName: 'Ana', tier: 'FREE', emailVerified: false },
      ...{ timezone: 'Europe/Madrid', locale: 'en', createdAt: '2026-01-31T12:00:00.000Z', premiumUntil: null },
      ...{ sessionId: expect.any(String), passwordBreached: false, dayStartMinutes: 0, weekStart: 'MONDAY' },
    },
  ]);
  await accounts.grantPremium(person.id);
  const { body: premium } = await accounts.ask('GET', '/v1/auth/me', { token: person.token });
  expect(premium).toMatchObject({ tier: 'PREMIUM', premiumUntil: null });
});

it('signs in by the password', async () => {
  const { email, password } = await accounts.person();
  const login = (body: object) => accounts.ask('POST', '/v1/auth/login', { body });
  expect(await login({ email: ` ${email.toUpperCase()} `, password })).toMatchObject({
    status: 200,
    body: { user: { email } },
  });
  for (const wrong of [
    { email, password: `${password}!` },
    { email: 'nobody@example.com', password },
  ]) {
    expect(await login(wrong)).toMatchObject({ status: 401, body: { error: 'invalid_credentials' } });
  }
});

it.each([
  ['has another password', `password_hash = 'another'`],
  ['is gone', 'deleted_at = now(), email = NULL, email_key = NULL, password_hash = NULL'],
])(
  'a password of somebody who %s once it is compared signs nobody in: the attempt counts, and leaves no more',
  async (_, change) => {
    const { id, email, password } = await accounts.person();
    const { dataSource } = accounts.database;
    const left = () =>
      dataSource.query<object[]>(
        `SELECT (SELECT count(*)::integer FROM sessions WHERE user_id = $1) AS sessions,
         (SELECT count(*)::integer FROM security_events WHERE user_id = $1) AS events,
         (SELECT count(*)::integer FROM login_failures WHERE address_hash = sha256($2::bytea)) AS failures`,
        [id, email],
      );
    expect(await left()).toEqual([{ sessions: 1, events: 1, failures: 0 }]);
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(`UPDATE users SET ${change} WHERE id = $1`, [id]);
    const login = accounts.ask('POST', '/v1/auth/login', { body: { email, password } });
    await eventually(async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      expect(await runner.query(waiting)).toHaveLength(1);
    });
    await runner.commitTransaction();
    await runner.release();
    expect(await login).toMatchObject({ status: 401, body: { error: 'invalid_credentials' } });
    expect(await left()).toEqual([{ sessions: 1, events: 2, failures: 1 }]);
  },
);

it('asks for a token', async () => {
  const { status, headers, body } = await accounts.ask('GET', '/v1/auth/me');
  expect([status, body.error]).toEqual([401, 'unauthorized']);
  expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
});

it('says the same in every answer of when somebody registered, to the millisecond', async () => {
  accounts.clock.advanceMs(45);
  const credentials = { email: 'to-the-millisecond@example.com', password: 'a long enough password of theirs' };
  const registered = await accounts.ask('POST', '/v1/auth/register', { body: credentials });
  const signedIn = await accounts.ask('POST', '/v1/auth/login', { body: credentials });
  const { accessToken: token } = signedIn.body as { accessToken: string };
  const { body: profile } = await accounts.ask('GET', '/v1/auth/me', { token });
  const createdAt = accounts.clock.now().toISOString();
  expect(createdAt).toMatch(/\.045Z$/);
  expect([registered.body, signedIn.body, profile]).toMatchObject([
    { user: { createdAt } },
    { user: { createdAt } },
    { createdAt },
  ]);
});
