import { eventually } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { issuesOf } from '../habits/habits.fixture';
import { MailServer } from '../mails/mail-server.fixture';

const mails = MailServer.forSuite();
const accounts = Accounts.forSuite(() => ({
  SMTP_URL: mails.url,
  MAIL_FROM: 'Evenkeel <hello@evenkeel.example>',
  APP_LINK_BASE: 'https://app.example/links/',
}));

const verify = (token: unknown) => accounts.ask('POST', '/v1/auth/email/verify', { body: { token } });
const change = ({ token, password }: Person, email: unknown, typed: unknown = password) =>
  accounts.ask('POST', '/v1/auth/email/change', { token, body: { password: typed, email } });
const resend = async ({ token }: Person) => (await accounts.ask('POST', '/v1/auth/email/resend', { token })).status;
const me = async ({ token }: Person) => (await accounts.ask('GET', '/v1/auth/me', { token })).body;
const INVALID = { status: 400, text: expect.stringMatching(/invalid_token.*Use the newest mail/) };
const verifiedEvents = async ({ id }: Person) =>
  (await accounts.events(id)).filter(({ type }) => type === 'user.verified').map(({ data }) => data);

it('sends the link that confirms an address with the account, which it does once, and says so once', async () => {
  const person = await accounts.person();
  const { headers, token, link, html } = await mails.next(person.email);
  expect(headers).toMatchObject({
    from: 'Evenkeel <hello@evenkeel.example>',
    to: person.email,
    subject: 'Confirm your email address',
    'auto-submitted': 'auto-generated',
    'message-id': expect.stringMatching(/^<[0-9a-f-]{36}@localhost>$/),
  });
  expect(token).toMatch(/^hrv_[\w-]{43}$/);
  expect(link).toBe(`https://app.example/links/verify#token=${token}`);
  expect(html).toContain(`<a href="${link}">Confirm this address</a>`);
  expect(await me(person)).toMatchObject({ emailVerified: false });
  expect(await verify(token)).toMatchObject({ status: 200, body: { emailVerified: true } });
  expect(await verify(token)).toMatchObject(INVALID);
  expect(await me(person)).toMatchObject({ emailVerified: true });
  const verifiedAt = accounts.clock.now().toISOString();
  expect(await verifiedEvents(person)).toEqual([{ userId: person.id, verifiedAt }]);
  // Nothing is left to confirm: accepted, and nothing is sent.
  expect(await resend(person)).toBe(202);
  expect(await accounts.sql('SELECT FROM mail_tokens WHERE user_id = $1 AND asked', person.id)).toEqual([]);
});

it('keeps nobody else waiting while the row of its account is locked, however often it is used', async () => {
  const [person, other] = [await accounts.person(), await accounts.person()];
  const { token } = await mails.next(person.email);
  const waiting = await accounts.whileLocked(person.id, async () => {
    const uses = Array.from({ length: 20 }, () => verify(token));
    await eventually(async () => expect(await accounts.waitingForRows()).toBeGreaterThan(0));
    expect((await verify((await mails.next(other.email)).token)).status).toBe(200);
    expect(await accounts.waitingForRows()).toBeLessThan(2);
    return uses;
  });
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
});

it('is used once by two processes that have found it at once', async () => {
  const { id, email } = await accounts.person();
  const { token } = await mails.next(email);
  await accounts.beside({}, async (second) => {
    const uses = await accounts.whileLocked(id, async () => {
      const both = [accounts, second].map((one) => one.ask('POST', '/v1/auth/email/verify', { body: { token } }));
      await eventually(async () => expect(await accounts.waitingForRows()).toBe(2));
      return both;
    });
    expect((await Promise.all(uses)).map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

const NO_TOKENS = [`hrv_${'a'.repeat(43)}`, '', `hrp_${'a'.repeat(43)}`, 'hrv_\u{1f600}'];
it.each(NO_TOKENS)('refuses the token %j', async (token) => expect(await verify(token)).toMatchObject(INVALID));

it('ends a link after 48 hours', async () => {
  const { email } = await accounts.person();
  const { token } = await mails.next(email);
  const began = accounts.clock.now();
  accounts.clock.advanceMs(48 * 3_600_000);
  expect(await verify(token)).toMatchObject(INVALID);
  accounts.clock.advanceMs(-1);
  expect((await verify(token)).status).toBe(200);
  accounts.clock.set(began);
});

describe('another address', () => {
  it('is valid once its link is used; the old address gets a notice before', async () => {
    const person = await accounts.person();
    await verify((await mails.next(person.email)).token);
    const email = `new-${person.email}`;
    expect((await change(person, ` ${email} `)).status).toBe(202);
    const [{ token, headers }, notice] = await Promise.all([mails.next(email), mails.next(person.email, 1)]);
    expect(headers.subject).toBe('Confirm your new email address');
    expect([notice.headers.subject, notice.token]).toEqual(['Your email address is about to change', undefined]);
    expect(notice.text + notice.html).not.toContain(email);
    expect(await me(person)).toMatchObject({ email: person.email });
    expect(await verify(token)).toMatchObject({ status: 200, body: { emailVerified: true } });
    expect(await me(person)).toMatchObject({ email, emailVerified: true });
    expect(await verifiedEvents(person)).toHaveLength(1);
    const { token: old } = await accounts.signIn(person);
    const { token: fresh } = await accounts.signIn({ ...person, email });
    expect([await accounts.statusOf(old), await accounts.statusOf(fresh)]).toEqual([401, 200]);
  });

  it('confirms the account too when the first address never was, also by a link that was sent again', async () => {
    const person = await accounts.person();
    const email = `second-${person.email}`;
    await change(person, email);
    await mails.next(email);
    expect(await resend(person)).toBe(202);
    expect((await verify((await mails.next(email, 1)).token)).status).toBe(200);
    expect(await me(person)).toMatchObject({ email, emailVerified: true });
    expect(await verifiedEvents(person)).toHaveLength(1);
  });

  it('is taken back by asking for the own one', async () => {
    const person = await accounts.person();
    await verify((await mails.next(person.email)).token);
    const email = `mistyped-${person.email}`;
    await change(person, email);
    const { token } = await mails.next(email);
    expect((await change(person, person.email)).status).toBe(202);
    expect(await verify(token)).toMatchObject(INVALID);
    expect(await me(person)).toMatchObject({ email: person.email, emailVerified: true });
  });

  it('needs the password, and an address', async () => {
    const person = await accounts.person();
    const email = 'elsewhere@example.com';
    const refused = await change(person, email, 'not this one');
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_credentials' } });
    expect(issuesOf(await change(person, 'a@example.com\r\nBcc: b@c.de'))).toEqual(['/email bad_format']);
    expect(mails.to(email)).toEqual([]);
    const failed = `SELECT FROM security_events WHERE user_id = $1 AND kind = 'sign_in_failed'`;
    expect(await accounts.sql(failed, person.id)).toHaveLength(1);
  });

  it('is refused when somebody has it meanwhile, and nothing changes', async () => {
    const [person, other] = [await accounts.person(), await accounts.person()];
    const email = other.email.replace('person', 'PERSON');
    await change(person, email);
    const refused = await verify((await mails.next(email)).token);
    expect(refused).toMatchObject({ status: 409, body: { error: 'email_already_registered' } });
    expect(await me(person)).toMatchObject({ email: person.email, emailVerified: false });
  });
});

it('sends three mails in a quarter of an hour that somebody asks for, whatever strangers ask for them, then says 429', async () => {
  const limits = { SMTP_URL: mails.url, RATE_MAIL_ACCOUNT: '3/900', RATE_LIMIT_SCALE: '1' };
  const email = 'limited@example.com';
  await accounts.beside(limits, async (limited) => {
    const { id, token } = await limited.person({ email });
    const ask = () => limited.ask('POST', '/v1/auth/email/resend', { token });
    for (let round = 0; round < 4; round++)
      expect((await limited.ask('POST', '/v1/auth/password/forgot', { body: { email } })).status).toBe(202);
    await eventually(async () => expect(await limited.sql('SELECT FROM reset_requests')).toEqual([]));
    for (let round = 0; round < 3; round++) expect((await ask()).status).toBe(202);
    const { status, headers, body } = await ask();
    const details = { scope: 'account', limit: 3, window_seconds: 900 };
    expect([status, headers.get('retry-after'), body.details]).toEqual([429, '900', details]);
    const asked = `SELECT FROM mail_tokens WHERE user_id = $1 AND kind = 'verify' AND asked`;
    expect(await accounts.sql(asked, id)).toHaveLength(3);
    limited.clock.advanceMs(900_000);
    expect((await ask()).status).toBe(202);
  });
});

describe('a forgotten password', () => {
  const NEXT = 'another long password of theirs';
  const post = (path: string, body: object, token?: string) =>
    accounts.ask('POST', `/v1/auth/${path}`, { token, body });
  const forgot = (email: unknown) => post('password/forgot', { email });
  const reset = (token: unknown, password: unknown = NEXT) => post('password/reset', { token, password });

  /** Somebody who has got the link that confirms their address. */
  async function person(): Promise<Person> {
    const one = await accounts.person();
    await mails.next(one.email);
    return one;
  }

  /** The link of a forgotten password, which is the mail after so many. */
  async function linkOf(email: string, after = 1) {
    expect((await forgot(email)).status).toBe(202);
    return mails.next(email.trim().toLowerCase(), after);
  }

  it('sets a new password by a link, ends every session, and sends a notice of it', async () => {
    const one = await person();
    const { id, email } = one;
    const second = await accounts.signIn(one);
    const mail = await linkOf(` ${email.toUpperCase()} `);
    expect(mail.headers['subject']).toBe('Choose a new password');
    expect(mail.link).toBe(`https://app.example/links/reset#token=${mail.token}`);
    expect(mail.token).toMatch(/^hrp_[\w-]{43}$/);
    expect(await reset(mail.token)).toMatchObject({ status: 204, text: '' });
    const old = await accounts.signIn(one);
    for (const { token } of [one, second, old]) expect(await accounts.statusOf(token)).toBe(401);
    expect(await accounts.statusOf((await accounts.signIn({ email, password: NEXT })).token)).toBe(200);
    expect((await mails.next(email, 2)).headers['subject']).toBe('Your password was changed');
    const reused = `SELECT FROM security_events WHERE user_id = $1 AND kind = 'password_reset'`;
    expect(await accounts.sql(reused, id)).toHaveLength(1);
    const revoked = (await accounts.events(id)).find(({ type }) => type === 'session.revoked');
    expect(revoked!.data['sessionIds']).toHaveLength(2);
  });

  it('takes a link once, and only the newest, for 60 minutes', async () => {
    const { email } = await person();
    const [older, newer] = [await linkOf(email), await linkOf(email, 2)];
    expect(await reset(older.token)).toMatchObject(INVALID);
    const began = accounts.clock.now();
    accounts.clock.advanceMs(3_600_000);
    expect(await reset(newer.token)).toMatchObject(INVALID);
    accounts.clock.advanceMs(-1);
    const answers = await Promise.all([1, 2, 3].map(() => reset(newer.token)));
    accounts.clock.set(began);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400, 400]);
  });

  it('answers the same for an address that nobody has, once it is stored, and sends nothing', async () => {
    const { email } = await person();
    const nobody = 'nobody@example.com';
    await accounts.sql('CREATE TABLE asked (email_key text)');
    await accounts.sql(`
    CREATE FUNCTION keep_asked() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO asked VALUES (NEW.email_key); RETURN NEW; END $$`);
    await accounts.sql(
      'CREATE TRIGGER keep BEFORE INSERT ON reset_requests FOR EACH ROW EXECUTE FUNCTION keep_asked()',
    );
    const [known, unknown] = [await forgot(email), await forgot(nobody)];
    const names = ({ headers }: typeof known) => [...headers.keys()].sort();
    expect([known.status, known.text, names(known)]).toEqual([202, unknown.text, names(unknown)]);
    expect(await accounts.sql('SELECT email_key FROM asked')).toEqual([{ email_key: email }, { email_key: nobody }]);
    await accounts.sql('DROP FUNCTION keep_asked CASCADE');
    await accounts.sql('DROP TABLE asked');
    await mails.next(email, 1);
    await eventually(async () => expect(await accounts.sql('SELECT FROM reset_requests')).toEqual([]));
    expect(await accounts.sql('SELECT FROM mails WHERE recipient = $1', nobody)).toEqual([]);
    expect(mails.to(nobody)).toEqual([]);
  });

  it('ends a change of address that is under way, and a link that went to an address which the account left', async () => {
    const [one, other] = [await person(), await person()];
    const changeOf = async ({ email, password, token }: Person) => {
      await post('email/change', { email: `moved-${email}`, password }, token);
      return (await mails.next(`moved-${email}`)).token;
    };
    const thiefs = await changeOf(one);
    expect((await reset((await linkOf(one.email, 2)).token)).status).toBe(204);
    expect(await verify(thiefs)).toMatchObject(INVALID);
    const { token } = await linkOf(other.email);
    expect((await verify(await changeOf(other))).status).toBe(200);
    expect(await reset(token)).toMatchObject(INVALID);
  });

  it('refuses a token that is unknown or of another kind; a password that is refused leaves the link as it is', async () => {
    const { email } = await accounts.person();
    const { token: ofAnotherKind } = await mails.next(email);
    for (const token of [`hrp_${'b'.repeat(43)}`, ofAnotherKind]) expect(await reset(token)).toMatchObject(INVALID);
    const { token } = await linkOf(email);
    for (const [password, error] of [
      ['seven77', 'validation_failed'],
      ['x'.repeat(129), 'validation_failed'],
      ['password123', 'password_breached'],
    ] as const) {
      const refused = await reset(token, password);
      expect(refused).toMatchObject({ status: 400, body: { error } });
      expect(refused.text).not.toContain(password);
    }
    expect((await reset(token)).status).toBe(204);
  });

  it('a password that its person changed is announced by mail, and ends the links that wait', async () => {
    const { email, password, token } = await person();
    const { token: link } = await linkOf(email);
    await post('password/change', { currentPassword: password, newPassword: NEXT }, token);
    const notice = await mails.next(email, 2);
    expect([notice.headers['subject'], notice.link]).toEqual(['Your password was changed', undefined]);
    expect(await reset(link)).toMatchObject(INVALID);
  });

  it('refuses an address that asks for more mails than it may, and not the people behind it who are signed in', async () => {
    await accounts.beside({ SMTP_URL: 'none', RATE_MAIL: '2/3600', RATE_LIMIT_SCALE: '1' }, async (limited) => {
      const email = 'behind-it@example.com';
      const { password, token } = await limited.person({ email });
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
    });
  });
});
