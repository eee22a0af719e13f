import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Accounts, type Person } from '../accounts.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

let addresses = 0;
const register = (body: object, on = accounts) =>
  on.ask('POST', '/v1/auth/register', { body: { email: `chooser-${++addresses}@example.com`, ...body } });
const login = (body: object, on = accounts) => on.ask('POST', '/v1/auth/login', { body });
const change = ({ token }: Pick<Person, 'token'>, currentPassword: string, newPassword: string, on = accounts) =>
  on.ask('POST', '/v1/auth/password/change', { token, body: { currentPassword, newPassword } });
const me = (token: string, on = accounts) => on.ask('GET', '/v1/auth/me', { token });

const otters = '\u{1F9A6}';

it('has 8 to 128 characters of any kind', async () => {
  for (const password of [`x${otters.repeat(7)}`, `x${otters.repeat(127)}`, '    .   ', 'żółć gęśl'])
    expect((await register({ password })).status).toBe(201);
  for (const [password, code] of [
    [otters.repeat(7), 'too_short'],
    ['', 'too_short'],
    [otters.repeat(129), 'too_long'],
    [7, 'wrong_type'],
    [undefined, 'required'],
  ] as const) {
    const { status, text, body } = await register({ password });
    expect([status, body.error, body.details]).toMatchObject([
      400,
      'validation_failed',
      { issues: [{ path: '/password', code }] },
    ]);
    if (password) expect(text).not.toContain(String(password));
    expect(text).not.toContain('received');
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
  for (const password of tried) {
    const { status, body } = await register({ email, password });
    expect([password, status, body.error]).toEqual([password, 400, 'password_breached']);
  }
  const { token, password } = await accounts.person();
  const { email: own } = (await me(token)).body as { email: string };
  expect((await change({ token }, password, own.toUpperCase())).body.error).toBe('password_breached');
});

it('is as long as it is in its normal form: a ligature that comes apart, letters that come together', async () => {
  // One character that NFKC makes eighteen, and two of which it makes one.
  expect((await register({ password: '\ufdfa' })).status).toBe(201);
  const { status, body } = await register({ password: 'e\u0301'.repeat(3) + 'abc' });
  expect([status, body.details]).toMatchObject([400, { issues: [{ path: '/password', code: 'too_short' }] }]);
});

describe('with a list of its own', () => {
  let folder: string;
  let listed: Accounts;
  const hash = createHash('sha1').update('seven quiet otters').digest('hex').toUpperCase();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'breached-'));
    await writeFile(join(folder, 'list'), `${hash}:3\n`);
    const { url: DATABASE_URL } = accounts.database;
    listed = await Accounts.start({ DATABASE_URL, BREACH_LIST_FILE: join(folder, 'list'), BREACH_THRESHOLD: '3' });
  });
  afterAll(async () => {
    await listed.close();
    await rm(folder, { recursive: true });
  });

  it('refuses what is on it, and tells those who have it already', async () => {
    const password = 'seven quiet otters';
    const email = 'otters@example.com';
    expect((await register({ email, password })).status).toBe(201);
    expect((await register({ password }, listed)).body.error).toBe('password_breached');
    const token = String((await login({ email, password }, listed)).body.accessToken);
    expect((await me(token, listed)).body.passwordBreached).toBe(true);
    expect((await change({ token }, password, 'eight quiet otters', listed)).status).toBe(204);
    expect((await me(token, listed)).body.passwordBreached).toBe(false);
  });

  it('does not start without the file', async () => {
    await expect(Accounts.start({ BREACH_LIST_FILE: join(folder, 'missing') })).rejects.toThrow('BREACH_LIST_FILE');
  });
});

it('gets a new hash at the next sign-in after the parameters changed', async () => {
  const person = await accounts.person();
  const hashes = () =>
    accounts.database.dataSource.query<{ hash: string }[]>('SELECT password_hash AS hash FROM users WHERE id = $1', [
      person.id,
    ]);
  const { url: DATABASE_URL } = accounts.database;
  const stronger = await Accounts.start({ DATABASE_URL, ARGON2_MEMORY_KIB: '16', ARGON2_PASSES: '2' });
  try {
    const { email, password } = person;
    expect((await login({ email, password: `${password}!` }, stronger)).status).toBe(401);
    expect((await hashes())[0]!.hash).toContain('m=8,t=1,p=1');
    expect((await login({ email, password }, stronger)).status).toBe(200);
    expect((await hashes())[0]!.hash).toContain('m=16,t=2,p=1');
    expect((await login({ email, password }, stronger)).status).toBe(200);
  } finally {
    await stronger.close();
  }
});

describe('changing it', () => {
  const next = 'eight quiet otters';

  it('ends the other sessions, and the old one is not valid any more', async () => {
    const person = await accounts.person();
    const { email, password } = person;
    const other = String((await login({ email, password })).body.accessToken);
    expect(await change(person, password, next)).toMatchObject({ status: 204, text: '' });
    expect([(await me(person.token)).status, (await me(other)).status]).toEqual([200, 401]);
    expect((await login({ email, password })).status).toBe(401);
    expect((await login({ email, password: next })).status).toBe(200);
    expect((await accounts.events(person.id)).map(({ type }) => type)).toEqual(['user.registered', 'session.revoked']);
  });

  it('takes the present one', async () => {
    const person = await accounts.person();
    const refused = await change(person, 'something else', next);
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_credentials']);
    const short = await change(person, person.password, 'short');
    expect([short.status, short.body.details]).toMatchObject([400, { issues: [{ path: '/newPassword' }] }]);
    expect((await change(person, person.password, next)).status).toBe(204);
  });

  it('is done once when it is asked for twice', async () => {
    const person = await accounts.person();
    const answers = await Promise.all([1, 2].map((n) => change(person, person.password, `${next} ${n}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
  });

  it('leaves no session of the old one, however the requests race', async () => {
    for (let round = 0; round < 10; round++) {
      const person = await accounts.person();
      const { email, password } = person;
      const [signedIn] = await Promise.all([login({ email, password }), change(person, password, next)]);
      if (signedIn.status === 200) expect((await me(String(signedIn.body.accessToken))).status).toBe(401);
    }
  });
});
