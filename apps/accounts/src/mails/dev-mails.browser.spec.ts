import { openBrowser } from '@evenkeel/services/browser';
import { Accounts } from '../accounts.fixture';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

interface ShownMail {
  to: string;
  subject: string;
  text: string;
  createdAt: string;
}

const shown = async () => {
  const { status, body } = await accounts.ask('GET', '/dev/mails');
  expect(status).toBe(200);
  return body['mails'] as ShownMail[];
};

it('shows the last 50 mails of a local run, the youngest first', async () => {
  const people = [];
  for (let count = 0; count < 52; count++) {
    people.push(await accounts.person());
    accounts.clock.advanceMs(1);
  }
  const mails = await shown();
  expect(mails.map(({ to }) => to)).toEqual(
    people
      .map(({ email }) => email)
      .reverse()
      .slice(0, 50),
  );
  expect(mails[0]).toEqual({
    to: people.at(-1)!.email,
    subject: 'Confirm your email address',
    text: expect.stringContaining('/v1/auth/email/verify#token=hrv_'),
    createdAt: new Date(accounts.clock.now().getTime() - 1).toISOString(),
  });
});

it('has links that work, as a page for browsers', async () => {
  await accounts.ask('POST', '/v1/auth/register', {
    body: { email: "a&b'<b>@example.com", password: 'a long password' },
  });
  const { email } = await accounts.person();
  const browser = await openBrowser();
  const page = await browser.newPage();
  try {
    await page.goto(`${accounts.running.url}/dev/mails`);
    const mail = page.getByRole('article').filter({ hasText: email });
    const link = await mail.getByRole('link').getAttribute('href');
    const token = new URL(link!).hash.replace('#token=', '');
    expect(await accounts.ask('POST', '/v1/auth/email/verify', { body: { token } })).toMatchObject({ status: 200 });
  } finally {
    await browser.close();
  }
});

it.each([{ SMTP_URL: 'none' }, { SMTP_URL: 'smtp://127.0.0.1:9' }])('is not there with %j', async (settings) => {
  const other = await Accounts.start(settings);
  try {
    await other.person();
    expect(await other.ask('GET', '/dev/mails')).toMatchObject({ status: 404, body: { error: 'not_found' } });
    const rows = await other.database.dataSource.query<unknown[]>('SELECT 1 FROM mails');
    expect(rows).toHaveLength(settings.SMTP_URL === 'none' ? 0 : 1);
  } finally {
    await other.close();
  }
});
