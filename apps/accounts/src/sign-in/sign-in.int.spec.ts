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
      id: person.id,
      email: person.email,
      displayName: 'Ana',
      tier: 'FREE',
      emailVerified: false,
      timezone: 'Europe/Madrid',
      locale: 'en',
      createdAt: '2026-01-31T12:00:00.000Z',
      premiumUntil: null,
      sessionId: expect.any(String),
      passwordBreached: false,
      dayStartMinutes: 0,
      weekStart: 'MONDAY',
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
    const { status, body } = await login(wrong);
    expect([status, body]).toEqual([401, { error: 'invalid_credentials', message: expect.any(String) }]);
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

const PASSWORD = 'seven quiet otters';
const register = (email: unknown, more: object = {}) =>
  accounts.ask('POST', '/v1/auth/register', { body: { email, password: PASSWORD, ...more } });

describe('registering', () => {
  it('makes one account of an address, however it is written', async () => {
    const first = await register(' Ana@Example.com ');
    expect([first.status, (first.body.user as { email: string }).email]).toEqual([201, 'Ana@Example.com']);
    for (const email of ['Ana@Example.com', 'ana@example.com', 'ANA@EXAMPLE.COM\t'])
      expect(await register(email)).toMatchObject({ status: 409, body: { error: 'email_already_registered' } });
  });

  it('takes hosts in Unicode, and makes one account of both of their forms', async () => {
    const first = await register('Ana@B\u00fccher.example');
    expect([first.status, (first.body.user as { email: string }).email]).toEqual([201, 'Ana@B\u00fccher.example']);
    expect((await register('ana@xn--bcher-kva.example')).status).toBe(409);
    const body = { email: 'ANA@B\u00dcCHER.example', password: PASSWORD };
    expect((await accounts.ask('POST', '/v1/auth/login', { body })).status).toBe(200);
  });

  it('makes one account of twenty requests at once, 5 times', async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => register(`twin-${round}@example.com`)));
      const made = answers.flatMap(({ status, body }) => (status === 201 ? [(body.user as { id: string }).id] : []));
      expect(made).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
      expect((await accounts.events(made[0]!)).map(({ type }) => type)).toEqual(['user.registered']);
    }
  });

  it.each([
    ['no address', undefined, 'required'],
    ['null', null, 'wrong_type'],
    ['no at sign', 'ana.example.com', 'bad_format'],
    ['two at signs', 'ana@home@example.com', 'bad_format'],
    ['a name within', 'Ana <ana@example.com>', 'bad_format'],
    ['two addresses', 'ana@example.com,eva@example.com', 'bad_format'],
    ['a line break', 'ana@example.com\r\nBcc: eva@example.com', 'bad_format'],
    ['no host', 'ana@', 'bad_format'],
    ['a character that nobody sees', 'a\u200bna@example.com', 'bad_format'],
    ['a mark of direction', 'ana@exam\u202eple.com', 'bad_format'],
    ['a soft hyphen in its host', 'ana@exam\u00adple.com', 'bad_format'],
    ['a control character', 'a\u0001na@example.com', 'bad_format'],
    ['a separator of lines', 'a\u2028na@example.com', 'bad_format'],
    ['the sign for kelvin, which is a k in lower case', '\u212aim@example.com', 'bad_format'],
    ['wide letters', '\uff41na@example.com', 'bad_format'],
    ['an empty label', 'ana@example..com', 'bad_format'],
    ['a dot behind its host', 'ana@example.com.', 'bad_format'],
    ['a dot before its name', '.ana@example.com', 'bad_format'],
    ['a dot behind its name', 'ana.@example.com', 'bad_format'],
    ['two dots in its name', 'an..a@example.com', 'bad_format'],
    ['an IP address for a host', 'ana@192.0.2.1', 'bad_format'],
    ['an IP address in disguise', 'ana@0x7f.1', 'bad_format'],
    ['255 characters', `${'a'.repeat(243)}@example.com`, 'too_long'],
  ])('takes no address with %s', async (_, email, code) => {
    const { status, body } = await register(email);
    expect([status, body]).toMatchObject([
      400,
      { error: 'validation_failed', details: { issues: [{ path: '/email', code }] } },
    ]);
  });
});

it('limits registrations and sign-ins of an address', async () => {
  const limited = await Accounts.start({ RATE_LIMIT_SCALE: '1', RATE_REGISTER: '2/60', RATE_LOGIN: '3/60' });
  try {
    const { email, password } = await limited.person();
    await limited.person();
    await expect(limited.person()).rejects.toThrow('429');
    const login = () => limited.ask('POST', '/v1/auth/login', { body: { email, password } });
    const answers = [];
    for (let count = 0; count < 4; count++) answers.push(await login());
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[0]!.headers.get('ratelimit')).toBe('"login";r=2;t=60');
    expect(answers[3]!.body.details).toEqual({ scope: 'address', limit: 3, window_seconds: 60 });
  } finally {
    await limited.close();
  }
});
