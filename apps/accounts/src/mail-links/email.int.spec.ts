import { eventually } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { issuesOf } from '../habits/habits.fixture';
import { MailServer } from '../mails/mail-server.fixture';

const mails = MailServer.forSuite();
const accounts = Accounts.forSuite(() => ({ SMTP_URL: mails.url, MAIL_FROM: 'Evenkeel <hello@evenkeel.example>' }));

const verify = (token: unknown) => accounts.ask('POST', '/v1/auth/email/verify', { body: { token } });
const change = ({ token, password }: Person, email: unknown, typed: unknown = password) =>
  accounts.ask('POST', '/v1/auth/email/change', { token, body: { password: typed, email } });
const resend = async ({ token }: Person) => (await accounts.ask('POST', '/v1/auth/email/resend', { token })).status;
const me = async ({ token }: Person) => (await accounts.ask('GET', '/v1/auth/me', { token })).body;
const INVALID = { status: 400, body: { error: 'invalid_token' } };
const verifiedEvents = async ({ id }: Person) =>
  (await accounts.events(id)).filter(({ type }) => type === 'user.verified').map(({ data }) => data);

it('sends the link that confirms an address with the account, which it does once, and says so once', async () => {
  const person = await accounts.person();
  const { headers, token, link, html } = await mails.next(person.email);
  expect(headers).toMatchObject({
    ...{ from: 'Evenkeel <hello@evenkeel.example>', to: person.email, subject: 'Confirm your email address' },
    'auto-submitted': 'auto-generated',
    'message-id': expect.stringMatching(/^<[0-9a-f-]{36}@localhost>$/),
  });
  expect(token).toMatch(/^hrv_[\w-]{43}$/);
  expect(link).toBe(`http://localhost:8080/v1/auth/email/verify#token=${token}`);
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

it.each([`hrv_${'a'.repeat(43)}`, '', `hrp_${'a'.repeat(43)}`, 'hrv_\u{1f600}'])(
  'refuses the token %j',
  async (token) => expect(await verify(token)).toMatchObject(INVALID),
);

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

  it('needs the password, and an address', async () => {
    const person = await accounts.person();
    const email = 'elsewhere@example.com';
    expect(await change(person, email, 'not this one')).toMatchObject({
      status: 401,
      body: { error: 'invalid_credentials' },
    });
    expect(issuesOf(await change(person, 'a@example.com\r\nBcc: b@c.de'))).toEqual(['/email bad_format']);
    expect(mails.to(email)).toEqual([]);
    const failed = `SELECT FROM security_events WHERE user_id = $1 AND kind = 'sign_in_failed'`;
    expect(await accounts.sql(failed, person.id)).toHaveLength(1);
  });

  it('is refused when somebody has it meanwhile, and nothing changes', async () => {
    const [person, other] = [await accounts.person(), await accounts.person()];
    const email = other.email.replace('person', 'PERSON');
    await change(person, email);
    expect(await verify((await mails.next(email)).token)).toMatchObject({
      status: 409,
      body: { error: 'email_already_registered' },
    });
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
