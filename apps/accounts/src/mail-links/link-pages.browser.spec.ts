import { accessibilityFaults, openBrowser } from '@evenkeel/services/browser';
import type { Browser, Page } from 'playwright-core';
import { Accounts } from '../accounts.fixture';
import { MailServer } from '../mails/mail-server.fixture';

const mails = MailServer.forSuite();
const accounts = Accounts.forSuite(() => ({ SMTP_URL: mails.url }));
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** The page of a link, at the address where this service really is; what its console says is in `complaints`. */
async function open(link: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await browser.newContext()).newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(link.replace('http://localhost:8080', accounts.running.url));
  return { page, complaints };
}

const statusOf = (page: Page) => page.getByRole('status');

it('confirms an address when its person says so', async () => {
  const { email, token } = await accounts.person();
  const { link } = await mails.next(email);
  const { page, complaints } = await open(link!);
  expect(page.url()).not.toContain('hrv_');
  const me = async () => (await accounts.ask('GET', '/v1/auth/me', { token })).body;
  // Opening it is not enough: programs that read mails open links too.
  expect(await me()).toMatchObject({ emailVerified: false });
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await statusOf(page).getByText('Your address is confirmed').waitFor();
  expect(await me()).toMatchObject({ emailVerified: true });
  expect(await page.getByRole('button').count()).toBe(0);
  expect(complaints).toEqual([]);

  const again = await open(link!);
  await again.page.getByRole('button', { name: 'Confirm' }).click();
  await statusOf(again.page).getByText('This link was used before').waitFor();
});

it('takes a new password', async () => {
  const { email } = await accounts.person();
  await mails.next(email);
  await accounts.ask('POST', '/v1/auth/password/forgot', { body: { email } });
  const { page, complaints } = await open((await mails.next(email, 1)).link!);
  expect(await accessibilityFaults(page)).toEqual([]);
  const password = 'a password typed into a page';
  await page.getByLabel('New password').fill(password);
  await page.keyboard.press('Enter');
  await statusOf(page).getByText('Your password is changed').waitFor();
  expect((await accounts.ask('POST', '/v1/auth/login', { body: { email, password } })).status).toBe(200);
  expect(complaints).toEqual([]);
});

it('says what is wrong with a link without a token', async () => {
  const { page } = await open('http://localhost:8080/v1/auth/password/reset');
  await statusOf(page).getByText('This link is not complete').waitFor();
  expect(await page.getByLabel('New password').isVisible()).toBe(false);
});

it.each(['email/verify', 'password/reset'])('%s is one document, not stored, indexed or framed', async (path) => {
  const policies = [];
  for (const _ of [1, 2]) {
    const { headers, text } = await accounts.ask('GET', `/v1/auth/${path}`);
    const policy = headers.get('content-security-policy')!;
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)![1]!;
    const names = ['cache-control', 'x-robots-tag', 'referrer-policy'];
    expect(names.map((name) => headers.get(name))).toEqual(['no-store', 'noindex', 'no-referrer']);
    expect(policy).toContain(`default-src 'none'`);
    expect(text.match(/<(style|script)\b[^>]*>/g)).toEqual([`<style nonce="${nonce}">`, `<script nonce="${nonce}">`]);
    expect(text).not.toMatch(/\{\{|\b(src|href)="(?!data:)|@import|url\(/);
    policies.push(policy);
  }
  expect(policies[0]).not.toBe(policies[1]);
});
