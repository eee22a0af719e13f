import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { issuesOf } from '../habits/habits.fixture';

const accounts = Accounts.forSuite();

const PASSWORD = 'seven quiet otters';
const register = (email: unknown, password: unknown = PASSWORD, on = accounts) =>
  on.ask('POST', '/v1/auth/register', { body: { email, password } });
const login = (email: string, password: string, on = accounts) =>
  on.ask('POST', '/v1/auth/login', { body: { email, password } });
let choosers = 0;
const choose = (password: unknown, on = accounts) => register(`chooser-${++choosers}@example.com`, password, on);
const change = ({ token }: Pick<Person, 'token'>, currentPassword: string, newPassword: string, on = accounts) =>
  on.ask('POST', '/v1/auth/password/change', { token, body: { currentPassword, newPassword } });

it('signs in who registers, and who they are is on every request', async () => {
  const given = { displayName: 'Ana', timezone: 'Europe/Madrid' };
  const rest = { locale: 'en', dayStartMinutes: 0, weekStart: 'MONDAY', emailVerified: false, passwordBreached: false };
  const { id, email, token } = await accounts.person(given);
  const me = async () => (await accounts.ask('GET', '/v1/auth/me', { token })).body;
  expect(await me()).toEqual({
    ...given,
    ...rest,
    id,
    email,
    tier: 'FREE',
    premiumUntil: null,
    sessionId: expect.any(String),
    createdAt: '2026-01-31T12:00:00.000Z',
  });
  await accounts.grantPremium(id);
  expect(await me()).toMatchObject({ tier: 'PREMIUM', premiumUntil: null });
});

it('signs in by the password, and tells a wrong one from an unknown address by nothing', async () => {
  const { email, password } = await accounts.person();
  expect(await login(` ${email.toUpperCase()} `, password)).toMatchObject({ status: 200, body: { user: { email } } });
  const [wrong, unknown] = [await login(email, `${password}!`), await login('nobody@example.com', password)];
  expect([wrong.status, wrong.body.error, unknown.text]).toEqual([401, 'invalid_credentials', wrong.text]);
});

it('a password of somebody who is gone once it is compared signs nobody in: it is a failure, and leaves no more', async () => {
  const { id, email, password } = await accounts.person();
  const runner = accounts.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  const forgotten = 'deleted_at = now(), email = NULL, email_key = NULL, password_hash = NULL';
  await runner.query(`UPDATE users SET ${forgotten} WHERE id = $1`, [id]);
  const signingIn = login(email, password);
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await eventually(async () => expect(await runner.query(waiting)).toHaveLength(1));
  await runner.commitTransaction();
  await runner.release();
  expect(await signingIn).toMatchObject({ status: 401, body: { error: 'invalid_credentials' } });
  const left = await accounts.sql(
    `SELECT (SELECT count(*)::integer FROM sessions WHERE user_id = $1) AS sessions,
       (SELECT count(*)::integer FROM login_failures WHERE address_hash = sha256($2::bytea)) AS failures`,
    id,
    email,
  );
  expect(left).toEqual([{ sessions: 1, failures: 1 }]);
});

describe('registering', () => {
  it('makes one account of an address, however it is written, its host in Unicode too', async () => {
    for (const [typed, others] of [
      [' Ana@Example.com ', ['ana@example.com', 'ANA@EXAMPLE.COM\t']],
      ['Ana@B\u00fccher.example', ['ana@xn--bcher-kva.example', 'ANA@B\u00dcCHER.example']],
    ] as const) {
      expect(await register(typed)).toMatchObject({ status: 201, body: { user: { email: typed.trim() } } });
      for (const email of others) {
        expect(await register(email)).toMatchObject({ status: 409, body: { error: 'email_already_registered' } });
        expect((await login(email, PASSWORD)).status).toBe(200);
      }
    }
  });

  it('makes one account of twenty requests at once, 5 times', async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => register(`twin-${round}@example.com`)));
      const made = answers.flatMap(({ status, body }) => (status === 201 ? [(body.user as { id: string }).id] : []));
      expect([made.length, answers.filter(({ status }) => status === 409).length]).toEqual([1, 19]);
      expect((await accounts.events(made[0]!)).map(({ type }) => type)).toEqual(['user.registered']);
    }
  });

  it.each([
    ['no at sign', 'ana.example.com'],
    ['two at signs', 'ana@home@example.com'],
    ['a name within', 'Ana <ana@example.com>'],
    ['two addresses', 'ana@example.com,eva@example.com'],
    ['a line break', 'ana@example.com\r\nBcc: eva@example.com'],
    ['no host', 'ana@'],
    ['a character that nobody sees', 'a\u200bna@example.com'],
    ['a soft hyphen in its host', 'ana@exam\u00adple.com'],
    ['a control character', 'a\u0001na@example.com'],
    ['a separator of lines', 'a\u2028na@example.com'],
    ['the sign for kelvin, which is a k in lower case', '\u212aim@example.com'],
    ['an empty label', 'ana@example..com'],
    ['a dot before its name', '.ana@example.com'],
    ['an IP address in disguise', 'ana@0x7f.1'],
  ])('takes no address with %s', async (_, email) => {
    expect(issuesOf(await register(email))).toEqual(['/email bad_format']);
    expect(issuesOf(await login(email, PASSWORD))).toEqual(['/email bad_format']);
  });
});

it('limits registrations and sign-ins of an address', async () => {
  const limits = { RATE_LIMIT_SCALE: '1', RATE_REGISTER: '2/60', RATE_LOGIN: '3/60' };
  await accounts.beside(limits, async (limited) => {
    const email = 'first@example.com';
    const { password } = await limited.person({ email });
    await limited.person({ email: 'second@example.com' });
    await expect(limited.person({ email: 'third@example.com' })).rejects.toThrow('429');
    const signIn = () => limited.ask('POST', '/v1/auth/login', { body: { email, password } });
    expect((await signIn()).headers.get('ratelimit')).toBe('"login";r=2;t=60');
    expect([(await signIn()).status, (await signIn()).status]).toEqual([200, 200]);
    const details = { scope: 'address', limit: 3, window_seconds: 60 };
    expect(await signIn()).toMatchObject({ status: 429, body: { details } });
  });
});

describe('a password', () => {
  const OTTERS = '\u{1F9A6}';
  const NEXT = 'eight quiet otters';

  it('has 8 to 128 characters of any kind in its normal form', async () => {
    // The last is one character that NFKC makes eighteen.
    for (const password of [`x${OTTERS.repeat(7)}`, `x${OTTERS.repeat(127)}`, '    .   ', 'żółć gęśl', '\ufdfa'])
      expect((await choose(password)).status).toBe(201);
    for (const [password, code] of [
      [OTTERS.repeat(7), 'too_short'],
      // Two characters of which NFKC makes one.
      [`${'e\u0301'.repeat(3)}abc`, 'too_short'],
      [OTTERS.repeat(129), 'too_long'],
      [7, 'wrong_type'],
    ] as const) {
      const reply = await choose(password);
      expect(issuesOf(reply)).toEqual([`/password ${code}`]);
      expect(reply.text).not.toContain(String(password));
    }
  });

  it('is the same however it is composed', async () => {
    const email = 'composed@example.com';
    await register(email, 'caf\u00e9 au lait');
    expect((await login(email, 'cafe\u0301 au lait')).status).toBe(200);
  });

  it('is refused when it is tried first by those who guess: Password1, aaaaaaaa, the own address, in any of its forms', async () => {
    const email = 'Easily.Guessed@example.com';
    const tried = ['Password1', 'Passw0rd', 'Qwerty123', 'aaaaaaaa', '\uff41'.repeat(8), 'easily.guessed', email];
    for (const password of tried)
      expect([password, (await register(email, password)).body.error]).toEqual([password, 'password_breached']);
    const person = await accounts.person();
    const own = await change(person, person.password, person.email.toUpperCase());
    expect(own.body.error).toBe('password_breached');
  });

  it('is refused when it is on the list of an operator, and those who have it already are notified', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'breached-'));
    const file = join(folder, 'list');
    const [email, password] = ['otters@example.com', 'seven quiet otters'];
    await writeFile(file, `${createHash('sha1').update(password).digest('hex').toUpperCase()}:3\n`);
    expect((await register(email, password)).status).toBe(201);
    await accounts.beside({ BREACH_LIST_FILE: file, BREACH_THRESHOLD: '3' }, async (listed) => {
      expect((await choose(password, listed)).body.error).toBe('password_breached');
      const { token } = await listed.signIn({ email, password });
      const isBreached = async () => (await listed.ask('GET', '/v1/auth/me', { token })).body.passwordBreached;
      expect(await isBreached()).toBe(true);
      expect((await change({ token }, password, NEXT, listed)).status).toBe(204);
      expect(await isBreached()).toBe(false);
    });
    await expect(Accounts.start({ BREACH_LIST_FILE: join(folder, 'missing') })).rejects.toThrow('BREACH_LIST_FILE');
    await rm(folder, { recursive: true });
  });

  it('gets a new hash at the next sign-in after the parameters changed', async () => {
    const { id, email, password } = await accounts.person();
    const hash = async () => {
      const [row] = await accounts.sql<{ hash: string }>('SELECT password_hash AS hash FROM users WHERE id = $1', id);
      return row!.hash;
    };
    await accounts.beside({ ARGON2_MEMORY_KIB: '16', ARGON2_PASSES: '2' }, async (stronger) => {
      expect((await login(email, `${password}!`, stronger)).status).toBe(401);
      expect(await hash()).toContain('m=8,t=1,p=1');
      for (const _ of ['renewed', 'with the new one']) {
        expect((await login(email, password, stronger)).status).toBe(200);
        expect(await hash()).toContain('m=16,t=2,p=1');
      }
    });
  });

  it('takes the present one when it is changed, ends the other sessions, and the old one is not valid any more', async () => {
    const person = await accounts.person();
    const { id, email, password, token } = person;
    const { token: other } = await accounts.signIn(person);
    expect(await change(person, 'something else', NEXT)).toMatchObject({ body: { error: 'invalid_credentials' } });
    expect(issuesOf(await change(person, password, 'short'))).toEqual(['/newPassword too_short']);
    expect(await change(person, password, NEXT)).toMatchObject({ status: 204, text: '' });
    expect([await accounts.statusOf(token), await accounts.statusOf(other)]).toEqual([200, 401]);
    expect((await login(email, password)).status).toBe(401);
    expect((await login(email, NEXT)).status).toBe(200);
    expect((await accounts.events(id)).map(({ type }) => type)).toEqual(['user.registered', 'session.revoked']);
  });
});
