import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningHttp } from '@evenkeel/platform/http';
import { eventually } from '@evenkeel/platform/testing';
import { openBrowser, type BrowserName } from '@evenkeel/services/browser';
import type { Browser, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { PageClock } from './page-clock.fixture';
import { servePage } from './page-server.fixture';
import { aBusiness, answerTo, type Business, unchanged } from './revenue-answers.fixture';

export const TOKEN = 'the operator knows this token';
/** Pictures of every state, for people; not part of the repository. */
const PICTURES = join(__dirname, '../../../../coverage/dashboard');
export const DESKTOP = { width: 1280, height: 800 };
export const TABLET = { width: 768, height: 1024 };
export const PHONE = { width: 360, height: 740 };
/** What people look at it with. */
export const WINDOWS = [PHONE, TABLET, { width: 850, height: 1100 }, DESKTOP, { width: 1920, height: 1080 }] as const;
export const REVENUE = '/v1/admin/revenue';

export interface TabOptions extends BrowserContextOptions {
  hash?: string;
}

/** The page as it is served, in a browser as people use, with answers that a test chooses. */
export class OperatorBrowser {
  private constructor(
    readonly running: RunningHttp,
    private readonly browser: Browser,
  ) {}

  /** @param open `launchBrowser` where tests copy: the clipboard of the run's browser is that of all suites */
  static async start(name?: BrowserName, open = openBrowser): Promise<OperatorBrowser> {
    const running = await servePage();
    return new OperatorBrowser(running, await open(name));
  }

  /** A new tab without data of other tabs. Its time can be made to pass: see `passMs`. */
  async open({ hash = '', ...options }: TabOptions = {}): Promise<OperatorTab> {
    const context = await this.browser.newContext({ viewport: DESKTOP, ...options });
    const page = await context.newPage();
    const tab = new OperatorTab(page, await PageClock.install(page));
    page.on('request', (request) => tab.requested.push(request.url()));
    page.on('console', (message) => tab.complaints.push(message.text()));
    page.on('pageerror', (error) => tab.complaints.push(error.message));
    await page.route(`**${REVENUE}/**`, (route) => tab.answer(route));
    // No test can answer a dialog of the machine.
    await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
    await page.goto(`${this.running.url}/dashboard${hash}`);
    return tab;
  }

  /** The same, with the numbers on it. */
  async openNumbers(options: TabOptions = {}): Promise<OperatorTab> {
    const tab = await this.open(options);
    await tab.signIn();
    await tab.page.locator('.chip').first().waitFor();
    await tab.page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    return tab;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.running.close();
  }
}

/** The answers to the page; a test changes them while it is open. */
export class OperatorTab {
  business: Business = aBusiness();
  /** In place of answers with numbers. */
  refusal: { status: number; headers?: Record<string, string> } | 'no network' | undefined;
  /** So many reads are answered, the others wait for `release`. */
  answeredReads = Infinity;
  release!: () => void;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));
  /** Reads of the numbers, path and query. */
  readonly asked: string[] = [];
  /** Everything that was requested, by whole address. */
  readonly requested: string[] = [];
  /** Lines of the console of the browser. */
  readonly complaints: string[] = [];

  constructor(
    readonly page: Page,
    private readonly clock: PageClock,
  ) {}

  async answer(route: Route): Promise<void> {
    const url = new URL(route.request().url());
    this.asked.push(url.pathname + url.search);
    if (this.asked.length > this.answeredReads) {
      this.clock.excuse(route.request());
      await this.released;
    }
    if (this.refusal === 'no network') return route.abort();
    if (this.refusal) return route.fulfill({ ...this.refusal, json: { error: 'refused', message: 'Refused.' } });
    if (route.request().headers()['x-admin-token'] !== TOKEN) return route.fulfill({ status: 401, json: {} });
    if (url.pathname.endsWith('.csv')) return route.fulfill({ body: 'id,amount_usd\r\n', contentType: 'text/csv' });
    const json = answerTo(url, this.business);
    if (json === undefined) return route.fulfill({ status: 404, json: { error: 'payment_not_found' } });
    return route.fulfill(json === null ? { status: 204, headers: unchanged(this.business) } : { json });
  }

  async signIn(token = TOKEN): Promise<void> {
    await this.page.getByLabel('Operator token').fill(token);
    await this.page.keyboard.press('Enter');
  }

  place(id: string): Locator {
    return this.page.locator(`#${id}`);
  }

  /** What the address says of the view. */
  get settings(): URLSearchParams {
    return new URLSearchParams(new URL(this.page.url()).hash.slice(1));
  }

  /** @param path of a read of the numbers, and its query */
  async isAsked(path: string): Promise<void> {
    await eventually(() => expect(this.asked).toContain(`${REVENUE}/${path}`));
  }

  /** Reads since then, once there are some. */
  async askedBy(act: () => Promise<unknown>): Promise<string[]> {
    const before = this.asked.length;
    await act();
    await eventually(() => this.asked.length > before);
    await this.isCalm();
    return this.asked.slice(before);
  }

  async isCalm(): Promise<void> {
    await eventually(async () => expect(await this.page.locator('[aria-busy=true]').count()).toBe(0));
  }

  passMs(durationMs: number): Promise<void> {
    return this.clock.passMs(durationMs);
  }

  async picture(name: string, fullPage = true): Promise<void> {
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage });
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

export async function textsOf(rows: Locator): Promise<string[]> {
  return (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
}
