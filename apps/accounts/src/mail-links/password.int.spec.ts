import { Accounts, type Person } from '../accounts.fixture';
import { MailServer } from '../mails/mail-server.fixture';
import { eventually } from '@evenkeel/platform/testing';

let mails: MailServer;
let accounts: Accounts;
beforeAll(async () => {
  mails = await MailServer.start();
  accounts = await Accounts.start({ SMTP_URL: mails.url, APP_LINK_BASE: 'https://app.example/links/' });
});
afterAll(async () => {
  await accounts.close();
  await mails.stop();
});

const NEW_PASSWORD = 'another long password of theirs';
const forgot = (email: unknown) => accounts.ask('POST', '/v1/auth/password/forgot', { body: { email } });
const reset = (token: unknown, password: unknown = NEW_PASSWORD) =>
  accounts.ask('POST', '/v1/auth/password/reset', { body: { token, password } });
const login = (email: string, password: string) =>
  accounts.ask('POST', '/v1/auth/login', { body: { email, password } });
const invalid = { status: 400, body: { error: 'invalid_token' } };

/** Somebody who has got the link that confirms their address. */
async function person(): Promise<Person> {
  const one = await accounts.person();
  await mails.next(one.email);
  return one;
}

function rows(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return accounts.database.dataSource.query(sql, values);
}

const requestsAreAnswered = () => eventually(async () => (await rows('SELECT 1 FROM reset_requests')).length === 0);

it('sets a new password by a link, ends every session, and tells of it', async () => {
  const { id, email, password, token: access } = await person();
  const second = (await login(email, password)).body as { refreshToken: string; accessToken: string };
  expect((await forgot(` ${email.toUpperCase()} `)).status).toBe(202);
  const mail = await mails.next(email, 1);
  expect(mail.headers['subject']).toBe('Choose a new password');
  expect(mail.token).toMatch(/^hrp_[\w-]{43}$/);
  expect(mail.link).toBe(`https://app.example/links/reset#token=${mail.token}`);

  const answer = await reset(mail.token);
  expect([answer.status, answer.text]).toEqual([204, '']);
  for (const token of [access, second.accessToken]) {
    expect((await accounts.ask('GET', '/v1/auth/me', { token })).status).toBe(401);
  }
  expect([(await login(email, password)).status, (await login(email, NEW_PASSWORD)).status]).toEqual([401, 200]);
  expect((await mails.next(email, 2)).headers['subject']).toBe('Your password was changed');

  const kinds = await rows('SELECT kind FROM security_events WHERE user_id = $1', id);
  expect(kinds.map(({ kind }) => kind)).toContain('password_reset');
  const [event] = await rows(`SELECT payload FROM outbox WHERE aggregate = $1 AND type = 'session.revoked'`, id);
  const { sessionIds } = event!['payload'] as { sessionIds: string[] };
  const ended = await rows('SELECT id FROM sessions WHERE user_id = $1 AND revoked_at IS NOT NULL', id);
  expect([...sessionIds].sort()).toEqual(ended.map((session) => session['id']).sort());
  expect(sessionIds).toHaveLength(2);
  const live = 'SELECT 1 FROM refresh_tokens WHERE session_id = ANY($1) AND revoked_at IS NULL AND used_at IS NULL';
  expect(await rows(live, sessionIds)).toEqual([]);
});

it('takes a link once, and only the newest', async () => {
  const { email } = await person();
  await forgot(email);
  const older = await mails.next(email, 1);
  await forgot(email);
  const newer = await mails.next(email, 2);
  expect(await reset(older.token)).toMatchObject(invalid);
  const answers = await Promise.all([reset(newer.token), reset(newer.token), reset(newer.token)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 400, 400]);
});

it('ends a link after 60 minutes', async () => {
  const { email } = await person();
  await forgot(email);
  const { token } = await mails.next(email, 1);
  const began = accounts.clock.now();
  accounts.clock.set(new Date(began.getTime() + 3_600_000));
  const late = await reset(token);
  accounts.clock.set(new Date(began.getTime() + 3_600_000 - 1));
  const inTime = await reset(token);
  accounts.clock.set(began);
  expect([late, inTime]).toMatchObject([invalid, { status: 204 }]);
});

it('answers the same for an address that nobody has, and sends nothing', async () => {
  const { email } = await person();
  const [known, unknown] = [await forgot(email), await forgot('nobody@example.com')];
  expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
  const names = ({ headers }: typeof known) => [...headers.keys()].sort();
  expect(names(known)).toEqual(names(unknown));
  await mails.next(email, 1);
  await requestsAreAnswered();
  expect(mails.to('nobody@example.com')).toEqual([]);
  expect(await rows(`SELECT 1 FROM mails WHERE recipient = 'nobody@example.com'`)).toEqual([]);
});

it('stores the address that is asked for before it answers, whether somebody has it or not, and nothing else', async () => {
  const { email } = await person();
  await requestsAreAnswered();
  await rows(`CREATE TABLE asked (email_key text)`);
  await rows(`
    CREATE FUNCTION keep_asked() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO asked VALUES (NEW.email_key); RETURN NEW; END $$`);
  await rows(`CREATE TRIGGER keep_asked BEFORE INSERT ON reset_requests FOR EACH ROW EXECUTE FUNCTION keep_asked()`);
  for (const asked of [email, 'nobody@example.com']) await forgot(asked);
  expect(await rows('SELECT email_key FROM asked')).toEqual([
    { email_key: email },
    { email_key: 'nobody@example.com' },
  ]);
  await rows('DROP FUNCTION keep_asked CASCADE');
  await rows('DROP TABLE asked');
});

it('ends a change of address that is under way', async () => {
  const { email, password, token } = await person();
  await accounts.ask('POST', '/v1/auth/email/change', { token, body: { email: `thief-${email}`, password } });
  const theirs = await mails.next(`thief-${email}`);
  await forgot(email);
  expect((await reset((await mails.next(email, 2)).token)).status).toBe(204);
  const { status, body } = await accounts.ask('POST', '/v1/auth/email/verify', { body: { token: theirs.token } });
  expect([status, body.error]).toEqual([400, 'invalid_token']);
});

it('ends a link that went to an address which the account left', async () => {
  const { email, password, token } = await person();
  await forgot(email);
  const old = await mails.next(email, 1);
  await accounts.ask('POST', '/v1/auth/email/change', { token, body: { email: `moved-${email}`, password } });
  const { token: proof } = await mails.next(`moved-${email}`);
  expect((await accounts.ask('POST', '/v1/auth/email/verify', { body: { token: proof } })).status).toBe(200);
  expect(await reset(old.token)).toMatchObject(invalid);
});

it.each([
  ['forgot', { email: 'nobody' }],
  ['forgot', {}],
  ['reset', { token: `hrp_${'a'.repeat(43)}` }],
  ['reset', { token: 7, password: NEW_PASSWORD }],
])('%s refuses the body %j', async (route, body) => {
  const answer = await accounts.ask('POST', `/v1/auth/password/${route}`, { body });
  expect([answer.status, answer.body.error]).toEqual([400, 'validation_failed']);
});

it('refuses a token that is unknown, or of another kind', async () => {
  const { email } = await accounts.person();
  const { token } = await mails.next(email);
  expect([await reset(`hrp_${'b'.repeat(43)}`), await reset(token)]).toMatchObject([invalid, invalid]);
});

it.each([
  ['too short', 'seven77', 'validation_failed'],
  ['too long', 'x'.repeat(129), 'validation_failed'],
  ['published', 'password123', 'password_breached'],
])('refuses a password that is %s, and leaves the link as it is', async (_name, password, code) => {
  const { email } = await person();
  await forgot(email);
  const { token } = await mails.next(email, 1);
  const refused = await reset(token, password);
  expect([refused.status, refused.body.error]).toEqual([400, code]);
  expect(refused.text).not.toContain(password);
  expect((await reset(token)).status).toBe(204);
});

it('tells of a password that was changed by its person, and ends the links that wait', async () => {
  const { email, password, token } = await person();
  await forgot(email);
  const { token: link } = await mails.next(email, 1);
  const body = { currentPassword: password, newPassword: NEW_PASSWORD };
  expect((await accounts.ask('POST', '/v1/auth/password/change', { token, body })).status).toBe(204);
  const notice = await mails.next(email, 2);
  expect(notice.headers['subject']).toBe('Your password was changed');
  expect(notice.link).toBeUndefined();
  expect(await reset(link)).toMatchObject(invalid);
});

it('refuses an address that asks for more mails than it may, and not the people behind it who are signed in', async () => {
  const limited = await Accounts.start({ SMTP_URL: 'none', RATE_MAIL: '2/3600', RATE_LIMIT_SCALE: '1' });
  try {
    const { email, password, token } = await limited.person();
    const ask = (path: string, body?: object) => limited.ask('POST', `/v1/auth/${path}`, { token, body });
    const asked = [
      await ask('password/forgot', { email: 'nobody@example.com' }),
      await ask('password/forgot', { email }),
      await ask('password/forgot', { email }),
      await ask('email/resend'),
      await ask('email/change', { email: `new-${email}`, password }),
      await ask('email/resend'),
    ];
    expect(asked.map(({ status }) => status)).toEqual([202, 202, 429, 202, 202, 429]);
    expect(asked[2]!.body).toMatchObject({ error: 'rate_limited', details: { scope: 'address', limit: 2 } });
    expect(Number(asked[2]!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  } finally {
    await limited.close();
  }
});
