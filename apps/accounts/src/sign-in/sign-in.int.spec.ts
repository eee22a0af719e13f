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

it('asks for a token', async () => {
  const { status, headers, body } = await accounts.ask('GET', '/v1/auth/me');
  expect([status, body.error]).toEqual([401, 'unauthorized']);
  expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
});
