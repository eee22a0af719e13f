import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Accounts, type Person } from '../accounts.fixture';
import { issuesOf } from '../habits/habits.fixture';

const accounts = Accounts.forSuite();

let addresses = 0;
const register = (body: object, on = accounts) =>
  on.ask('POST', '/v1/auth/register', { body: { email: `chooser-${++addresses}@example.com`, ...body } });
const login = (body: object, on = accounts) => on.ask('POST', '/v1/auth/login', { body });
const change = ({ token }: Pick<Person, 'token'>, currentPassword: string, newPassword: string, on = accounts) =>
  on.ask('POST', '/v1/auth/password/change', { token, body: { currentPassword, newPassword } });

const OTTERS = '\u{1F9A6}';
const NEXT = 'eight quiet otters';

it('has 8 to 128 characters of any kind in its normal form', async () => {
  // The last is one character that NFKC makes eighteen.
  for (const password of [`x${OTTERS.repeat(7)}`, `x${OTTERS.repeat(127)}`, '    .   ', 'żółć gęśl', '\ufdfa'])
    expect((await register({ password })).status).toBe(201);
  for (const [password, code] of [
    [OTTERS.repeat(7), 'too_short'],
    // Two characters of which NFKC makes one.
    [`${'e\u0301'.repeat(3)}abc`, 'too_short'],
    [OTTERS.repeat(129), 'too_long'],
    [7, 'wrong_type'],
  ] as const) {
    const reply = await register({ password });
    expect(issuesOf(reply)).toEqual([`/password ${code}`]);
    expect(reply.text).not.toContain(String(password));
  }
});

it('is the same however it is composed', async () => {
  const email = 'composed@example.com';
  await register({ email, password: 'caf\u00e9 au lait' });
  expect((await login({ email, password: 'cafe\u0301 au lait' })).status).toBe(200);
});

it('is refused when it is tried first by those who guess: Password1, aaaaaaaa, the own address, in any of its forms', async () => {
  const email = 'Easily.Guessed@example.com';
  const tried = ['Password1', 'Passw0rd', 'Qwerty123', 'aaaaaaaa', '\uff41'.repeat(8), 'easily.guessed', email];
  for (const password of tried)
    expect([password, (await register({ email, password })).body.error]).toEqual([password, 'password_breached']);
  const person = await accounts.person();
  const own = await change(person, person.password, person.email.toUpperCase());
  expect(own.body.error).toBe('password_breached');
});

it('is refused when it is on the list of an operator, and those who have it already are notified', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'breached-'));
  const file = join(folder, 'list');
  const [email, password] = ['otters@example.com', 'seven quiet otters'];
  await writeFile(file, `${createHash('sha1').update(password).digest('hex').toUpperCase()}:3\n`);
  expect((await register({ email, password })).status).toBe(201);
  await accounts.beside({ BREACH_LIST_FILE: file, BREACH_THRESHOLD: '3' }, async (listed) => {
    expect((await register({ password }, listed)).body.error).toBe('password_breached');
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
    expect((await login({ email, password: `${password}!` }, stronger)).status).toBe(401);
    expect(await hash()).toContain('m=8,t=1,p=1');
    for (const _ of ['renewed', 'with the new one']) {
      expect((await login({ email, password }, stronger)).status).toBe(200);
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
  expect((await login({ email, password })).status).toBe(401);
  expect((await login({ email, password: NEXT })).status).toBe(200);
  expect((await accounts.events(id)).map(({ type }) => type)).toEqual(['user.registered', 'session.revoked']);
});
