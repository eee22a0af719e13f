import { eventually } from '@evenkeel/platform/testing';
import { openBrowser } from '@evenkeel/services/browser';
import type { Browser, Page } from 'playwright-core';
import { PageClock } from './page-clock.fixture';
import { Reporting, TOKEN } from '../revenue/reporting.fixture';
import { aPayment, publishedOf } from '../revenue/story.fixture';

// Six pages on a busy machine.
jest.setTimeout(180_000);

const POLL_MS = 15_000;
const MINUTE_POLLS = 4;
const MINUTES = sized(1, 2);

let reporting: Reporting;
let browser: Browser;
beforeAll(async () => {
  reporting = await Reporting.start({ RATE_LIMIT_SCALE: '1' });
  browser = await openBrowser();
}, 120_000);
afterAll(async () => {
  await browser.close();
  await reporting.close();
});

/** A tab with the numbers of the service as it is, and its answers: status and address. */
async function open(): Promise<{ page: Page; clock: PageClock; answers: string[] }> {
  const page = await browser.newPage();
  const answers: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/v1/admin/')) answers.push(`${response.status()} ${response.url()}`);
  });
  const clock = await PageClock.install(page);
  await page.goto(`${reporting.running.url}/dashboard`);
  await page.getByLabel('Operator token').fill(TOKEN);
  await page.keyboard.press('Enter');
  await isCalm(page);
  // The minute of the limit passes with that of the pages, on a machine with other work too.
  await clock.stop();
  return { page, clock, answers };
}

async function isCalm(page: Page): Promise<void> {
  await page.locator('.chip').first().waitFor();
  await eventually(async () => expect(await page.locator('[aria-busy=true]').count()).toBe(0));
}

it('six open tabs stay below the limit of one address, while something changes all the time', async () => {
  await reporting.publish(...publishedOf([aPayment()]));
  const tabs = [];
  for (let tab = 0; tab < 6; tab++) tabs.push(await open());
  for (let poll = 0; poll < MINUTES * MINUTE_POLLS; poll++) {
    await reporting.publish(...publishedOf([aPayment()]));
    reporting.clock.advanceMs(POLL_MS);
    for (const { page, clock } of tabs) {
      await clock.passMs(POLL_MS);
      await isCalm(page);
    }
  }
  for (const { page, answers } of tabs) {
    expect(answers.filter((answer) => !/^20[04] /.test(answer))).toEqual([]);
    expect(await page.locator('.notice').count()).toBe(0);
    // Every poll, what is quick with each second of them, and all the rest in each minute.
    expect(answers.length).toBeGreaterThan(2 * MINUTES * MINUTE_POLLS);
  }
});
