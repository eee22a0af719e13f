import { Accounts, type Person } from '../accounts.fixture';
import { MailServer } from '../mails/mail-server.fixture';
import { eventually } from '@evenkeel/platform/testing';

let mails: MailServer;
let accounts: Accounts;
beforeAll(async () => {
  mails = await MailServer.start();
  accounts = await Accounts.start({ SMTP_URL: mails.url, MAIL_FROM: 'Evenkeel <hello@evenkeel.example>' });
});
afterAll(async () => {
  await accounts.close();
  await mails.stop();
});

const verify = (token: unknown) => accounts.ask('POST', '/v1/auth/email/verify', { body: { token } });
const change = (person: Person, body: object) =>
  accounts.ask('POST', '/v1/auth/email/change', { token: person.token, body: { password: person.password, ...body } });
const resend = ({ token }: Person) => accounts.ask('POST', '/v1/auth/email/resend', { token });
const me = async ({ token }: Person) => (await accounts.ask('GET', '/v1/auth/me', { token })).body;
const invalid = { status: 400, body: { error: 'invalid_token' } };

async function verifiedPerson(): Promise<Person> {
  const person = await accounts.person();
  expect((await verify((await mails.next(person.email)).token)).status).toBe(200);
  return person;
}

function eventsOf({ id }: Person, type: string): Promise<{ data: object }[]> {
  return accounts.database.dataSource.query('SELECT payload AS data FROM outbox WHERE aggregate = $1 AND type = $2', [
    id,
    type,
  ]);
}

it('sends the link that confirms an address with the account', async () => {
  const person = await accounts.person();
  const mail = await mails.next(person.email);
  expect(mail.headers).toMatchObject({
    from: 'Evenkeel <hello@evenkeel.example>',
    to: person.email,
    subject: 'Confirm your email address',
    'auto-submitted': 'auto-generated',
    'message-id': expect.stringMatching(/^<[0-9a-f-]{36}@localhost>$/),
  });
  expect(mail.token).toMatch(/^hrv_[\w-]{43}$/);
  expect(mail.link).toBe(`http://localhost:8080/v1/auth/email/verify#token=${mail.token}`);
  expect(mail.html).toContain(`<a href="${mail.link}">Confirm this address</a>`);
  expect(await me(person)).toMatchObject({ emailVerified: false });
});

it('confirms an address once, and says so once', async () => {
  const person = await accounts.person();
  const { token } = await mails.next(person.email);
  expect(await verify(token)).toMatchObject({ status: 200, body: { emailVerified: true } });
  expect(await verify(token)).toMatchObject(invalid);
  expect(await me(person)).toMatchObject({ emailVerified: true });
  expect(await eventsOf(person, 'user.verified')).toEqual([
    { data: { userId: person.id, verifiedAt: accounts.clock.now().toISOString() } },
  ]);
});

it.each([
  ['unknown', `hrv_${'a'.repeat(43)}`],
  ['empty', ''],
  ['of another kind', `hrp_${'a'.repeat(43)}`],
  ['with letters beyond ASCII', 'hrv_\u{1f600}\u0000'],
])('refuses a token that is %s', async (_name, token) => {
  const { status, body } = await verify(token);
  expect([status, body.error]).toEqual([400, token.includes('\u0000') ? expect.any(String) : 'invalid_token']);
});

it.each([{}, { token: 7 }, { token: 'x'.repeat(129) }, { token: null }])('refuses the body %j', async (body) => {
  const answer = await accounts.ask('POST', '/v1/auth/email/verify', { body });
  expect([answer.status, answer.body.error]).toEqual([400, 'validation_failed']);
});

it('ends a link after 48 hours', async () => {
  const person = await accounts.person();
  const { token } = await mails.next(person.email);
  const began = accounts.clock.now();
  accounts.clock.set(new Date(began.getTime() + 48 * 3_600_000));
  const late = await verify(token);
  accounts.clock.set(new Date(began.getTime() + 48 * 3_600_000 - 1));
  const inTime = await verify(token);
  accounts.clock.set(began);
  expect([late, inTime]).toMatchObject([invalid, { status: 200 }]);
});

describe('sent again', () => {
  it('is accepted when there is nothing to confirm, and sends nothing', async () => {
    const person = await verifiedPerson();
    expect((await resend(person)).status).toBe(202);
    const asked = await accounts.database.dataSource.query('SELECT 1 FROM mail_tokens WHERE user_id = $1 AND asked', [
      person.id,
    ]);
    expect(asked).toEqual([]);
  });
});

describe('another address', () => {
  it('is valid once its link is used; the old address gets a notice before', async () => {
    const person = await verifiedPerson();
    const email = `new-${person.email}`;
    expect((await change(person, { email: ` ${email} ` })).status).toBe(202);
    const [{ token, headers }, notice] = await Promise.all([mails.next(email), mails.next(person.email, 1)]);
    expect([headers.subject, notice.headers.subject]).toEqual([
      'Confirm your new email address',
      'Your email address is about to change',
    ]);
    expect(notice.text + notice.html).not.toContain(email);
    expect(notice.token).toBeUndefined();
    expect(await me(person)).toMatchObject({ email: person.email });

    expect(await verify(token)).toMatchObject({ status: 200, body: { emailVerified: true } });
    expect(await me(person)).toMatchObject({ email, emailVerified: true });
    expect(await eventsOf(person, 'user.verified')).toHaveLength(1);
    const login = (address: string) =>
      accounts.ask('POST', '/v1/auth/login', { body: { email: address, password: person.password } });
    expect([(await login(person.email)).status, (await login(email)).status]).toEqual([401, 200]);
  });

  it('confirms the account too when the first address never was', async () => {
    const person = await accounts.person();
    const email = `second-${person.email}`;
    await change(person, { email });
    await mails.next(email);
    expect((await resend(person)).status).toBe(202);
    const { token } = await mails.next(email, 1);
    expect(await verify(token)).toMatchObject({ status: 200 });
    expect(await me(person)).toMatchObject({ email, emailVerified: true });
    expect(await eventsOf(person, 'user.verified')).toHaveLength(1);
  });

  it('needs the password', async () => {
    const person = await accounts.person();
    const answer = await change(person, { email: 'elsewhere@example.com', password: 'not this one' });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_credentials']);
    expect(mails.to('elsewhere@example.com')).toEqual([]);
    const failures = await accounts.database.dataSource.query(
      `SELECT 1 FROM security_events WHERE user_id = $1 AND kind = 'sign_in_failed'`,
      [person.id],
    );
    expect(failures).toHaveLength(1);
  });

  it.each([
    '',
    'nobody',
    'a b@example.com',
    'a@b',
    `${'x'.repeat(250)}@example.com`,
    'a@example.com\r\nBcc: b@c.de',
    7,
  ])('refuses %j', async (email) => {
    const answer = await change(await accounts.person(), { email });
    expect([answer.status, answer.body.error]).toEqual([400, 'validation_failed']);
  });

  it('is refused when somebody has it meanwhile, and nothing changes', async () => {
    const [person, other] = [await accounts.person(), await accounts.person()];
    const email = other.email.replace('person', 'PERSON');
    await change(person, { email });
    const { token } = await mails.next(email);
    const answer = await verify(token);
    expect([answer.status, answer.body.error]).toEqual([409, 'email_already_registered']);
    expect(await me(person)).toMatchObject({ email: person.email, emailVerified: false });
  });
});

it('sends three mails in a quarter of an hour that somebody asks for, whatever strangers ask for them, then says 429', async () => {
  const limited = await Accounts.start({ SMTP_URL: mails.url, RATE_MAIL_ACCOUNT: '3/900', RATE_LIMIT_SCALE: '1' });
  try {
    const { email, token } = await limited.person({ displayName: 'limited' });
    const ask = () => limited.ask('POST', '/v1/auth/email/resend', { token });
    const before = mails.to(email).length;
    const stranger = () => limited.ask('POST', '/v1/auth/password/forgot', { body: { email } });
    for (let round = 0; round < 4; round++) expect((await stranger()).status).toBe(202);
    await eventually(async () =>
      expect(await limited.database.dataSource.query('SELECT FROM reset_requests')).toEqual([]),
    );
    for (let round = 0; round < 3; round++) expect((await ask()).status).toBe(202);
    const { status, headers, body } = await ask();
    expect([status, body.error, body.details]).toEqual([
      429,
      'rate_limited',
      { scope: 'account', limit: 3, window_seconds: 900 },
    ]);
    expect(headers.get('retry-after')).toBe('900');
    // The clock stands still: all of them are of one instant.
    const tokens = () =>
      limited.database.dataSource.query<{ asked: boolean; count: number }[]>(
        `SELECT asked, count(*)::integer FROM mail_tokens WHERE kind = 'verify' GROUP BY asked ORDER BY asked`,
      );
    const [registered, asked] = [
      { asked: false, count: 1 },
      { asked: true, count: 3 },
    ];
    expect(await tokens()).toEqual([registered, asked]);
    limited.clock.advanceMs(900_000);
    await ask();
    expect(await tokens()).toEqual([registered, { ...asked, count: 4 }]);
    await mails.next(email, before);
  } finally {
    await limited.close();
  }
});
