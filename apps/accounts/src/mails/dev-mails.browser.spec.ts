import { openBrowser } from '@evenkeel/services/browser';
import { Accounts } from '../accounts.fixture';

const accounts = Accounts.forSuite();

it('shows the last 50 mails of a local run, the youngest first', async () => {
  const addresses: string[] = [];
  for (let count = 0; count < 52; count++) {
    addresses.unshift((await accounts.person()).email);
    accounts.clock.advanceMs(1);
  }
  const { body } = await accounts.ask('GET', '/dev/mails');
  const mails = body['mails'] as { to: string }[];
  expect(mails.map(({ to }) => to)).toEqual(addresses.slice(0, 50));
  expect(mails[0]).toMatchObject({
    subject: 'Confirm your email address',
    text: expect.stringContaining('/v1/auth/email/verify#token=hrv_'),
    createdAt: new Date(accounts.clock.now().getTime() - 1).toISOString(),
  });
});

it('has links that work, as a page for browsers', async () => {
  const body = { email: "a&b'<b>@example.com", password: 'a long password' };
  await accounts.ask('POST', '/v1/auth/register', { body });
  const { email } = await accounts.person();
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${accounts.running.url}/dev/mails`);
    const link = page.getByRole('article').filter({ hasText: email }).getByRole('link');
    const token = new URL((await link.getAttribute('href'))!).hash.replace('#token=', '');
    expect(await accounts.ask('POST', '/v1/auth/email/verify', { body: { token } })).toMatchObject({ status: 200 });
  } finally {
    await browser.close();
  }
});

it.each([
  ['none', 0],
  ['smtp://127.0.0.1:9', 1],
])('is not there with SMTP_URL=%s', async (SMTP_URL, waiting) => {
  const other = await Accounts.start({ SMTP_URL });
  await other.person();
  expect(await other.ask('GET', '/dev/mails')).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect(await other.sql('SELECT FROM mails')).toHaveLength(waiting);
  await other.close();
});
