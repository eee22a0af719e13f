import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser } from '@evenkeel/services/browser';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Pictures for people to look at; not kept in the repository. */
const PICTURES = join(__dirname, '../../../../../coverage/backtest');

/** Report pages in a browser, opened from the disk as people do. */
export class ReportBrowser {
  private constructor(private readonly browser: Browser) {}

  static async start(): Promise<ReportBrowser> {
    return new ReportBrowser(await openBrowser());
  }

  async open(file: string, options: BrowserContextOptions): Promise<ReportTab> {
    const context = await this.browser.newContext(options);
    const tab = new ReportTab(await context.newPage());
    await tab.page.goto(pathToFileURL(file).href);
    return tab;
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

export class ReportTab {
  /** Every address that was asked for. */
  readonly requested: string[] = [];
  readonly complaints: string[] = [];

  constructor(readonly page: Page) {
    page.on('request', (request) => this.requested.push(request.url()));
    page.on('console', (message) => this.complaints.push(message.text()));
    page.on('pageerror', (error) => this.complaints.push(error.message));
  }

  /** How far the content reaches out to the right of the window, in pixels. */
  overflow(): Promise<number> {
    return this.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  }

  async picture(name: string): Promise<void> {
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
