import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from '@evenkeel/services/browser';
import type { Browser, Page } from 'playwright-core';
import { ADMIN_TOKEN } from './reporting-programs.fixture';

/** Pictures for people; not part of the repository. */
const PICTURES = join(__dirname, '../../../../coverage/dashboard');

/** The dashboard as its operator sees it, in a real browser. */
export class OperatorPage {
  /** Whole addresses of all that was requested. */
  readonly requested: string[] = [];

  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
  ) {
    page.on('request', (request) => this.requested.push(request.url()));
  }

  /** @param url of the service that serves it */
  static async open(url: string): Promise<OperatorPage> {
    const browser = await openBrowser();
    const operator = new OperatorPage(browser, await browser.newPage({ viewport: { width: 1280, height: 800 } }));
    // A browser without a window never answers where a file is to be saved: it is downloaded then.
    await operator.page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
    await operator.page.goto(`${url}/dashboard`);
    return operator;
  }

  async signIn(token = ADMIN_TOKEN): Promise<void> {
    await this.page.getByLabel('Operator token').fill(token);
    await this.page.getByRole('button', { name: 'Show the numbers' }).click();
  }

  /** Until the numbers are there: a question before that would cancel them and begin again. */
  async refresh(): Promise<void> {
    await this.page.getByRole('button', { name: 'Refresh' }).click();
    await this.page.locator('button[aria-busy=false]', { hasText: 'Refresh' }).waitFor();
  }

  /** Of one of the cards: what the day, the period or all time has brought. */
  revenueOf(card: string): Promise<string | null> {
    const heading = this.page.getByRole('heading', { name: card, exact: true });
    return this.page.locator('.card').filter({ has: heading }).locator('.revenue .money').textContent();
  }

  /** Payers of the latest payments, newest first. */
  async payers(): Promise<string[]> {
    const names = await this.page.locator('#payment-rows .full').allTextContents();
    return names.map((name) => name.toLowerCase());
  }

  async picture(name: string): Promise<void> {
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
