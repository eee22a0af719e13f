import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '@evenkeel/platform/config';
import { eventually } from '@evenkeel/platform/testing';
import {
  launchBrowser,
  openBrowser,
  openTab,
  USUAL_BROWSER,
  type BrowserName,
  type TabOptions,
} from '@evenkeel/services/browser';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import type { HealthFacts } from './browser/answers';
import { Reporting, TOKEN } from '../revenue/reporting.fixture';
import { aBusiness, NOW } from './business.fixture';

/** Pictures of every state, for people; not part of the repository. */
const PICTURES = join(__dirname, '../../../../coverage/dashboard');
export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };
export const WINDOWS = [PHONE, { width: 768, height: 1024 }, DESKTOP, { width: 1920, height: 1080 }] as const;
export const REVENUE = '/v1/admin/revenue';

/** Far shorter than the page waits for an answer. */
const STEP_MS = 2_000;

/** For a picture of Firefox the driver puts this style into the page, which refuses it and says so. */
const STYLE_OF_DRIVER = createHash('sha256').update('body {}').digest('base64');

interface BrowserOptions {
  name?: BrowserName;
  /** Where tests copy: the clipboard of the run's browser is that of all suites. */
  ownClipboard?: boolean;
  /** Tabs stay open for the tests that follow. */
  keepsTabs?: boolean;
  settings?: Environment;
}

/** Changes a part of the answers of a route, whose name is the key. */
type Changes = Record<string, (answer: never) => object>;

export interface PageOptions extends TabOptions {
  hash?: string;
  /** Of a server that passes requests on to the service; default: the service itself. */
  origin?: string;
  /** Whether its time passes by `passMs` alone; what axe and pictures wait for does not come then. */
  timeStands?: boolean;
  changes?: Changes;
}

/** The browser of the tests that follow, and a business; the tabs of a test are closed behind it. */
export function operatorBrowser(options: BrowserOptions = {}): OperatorBrowser {
  const operator = new OperatorBrowser(options);
  // On a busy machine.
  jest.setTimeout(90_000);
  beforeAll(() => operator.start(), 120_000);
  if (!options.keepsTabs) afterEach(() => operator.closeTabs());
  afterAll(() => operator.close());
  return operator;
}

export class OperatorBrowser {
  reporting!: Reporting;
  private browser!: Browser;
  private readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-downloads-'));
  private readonly tabs: OperatorTab[] = [];

  constructor(private readonly options: BrowserOptions) {}

  async start(): Promise<void> {
    const { name = USUAL_BROWSER, ownClipboard, settings } = this.options;
    this.reporting = await Reporting.start(settings);
    this.reporting.clock.set(NOW);
    await this.reporting.publish(...aBusiness());
    const isFirefox = name === 'firefox';
    const isOwn = isFirefox || ownClipboard;
    this.browser = await (isOwn ? launchBrowser(name, isFirefox ? this.folder : undefined) : openBrowser(name));
  }

  /** A new tab without data of other tabs. Its time can be made to pass: see `passMs`. */
  async open({ hash = '', origin, timeStands, changes = {}, ...options }: PageOptions = {}): Promise<OperatorTab> {
    const page = await openTab(this.browser, { viewport: DESKTOP, ...options });
    await page.clock.install();
    // It can stop at no moment that is over.
    if (timeStands) await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 5_000);
    const tab = new OperatorTab(page, this.folder, changes);
    this.tabs.push(tab);
    page.on('request', (request) => tab.requested.push(request.url()));
    const complain = (text: string) => !text.includes(STYLE_OF_DRIVER) && tab.complaints.push(text);
    page.on('console', (message) => complain(message.text()));
    page.on('pageerror', (error) => complain(error.message));
    // Firefox itself saves there, under the name that the page gives it, and the driver does not notice.
    page.on('download', (download) => download.saveAs(join(this.folder, download.suggestedFilename())));
    await page.route(`**${REVENUE}/**`, (route) => tab.answer(route));
    await page.goto(`${origin ?? this.reporting.running.url}/dashboard${hash}`);
    return tab;
  }

  async openNumbers(options: PageOptions = {}): Promise<OperatorTab> {
    const tab = await this.open(options);
    await tab.signIn();
    await tab.page.locator('.chip').first().waitFor();
    await tab.isCalm();
    return tab;
  }

  async closeTabs(): Promise<void> {
    for (const { page } of this.tabs.splice(0)) {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.context().close();
    }
    for (const name of readdirSync(this.folder)) rmSync(join(this.folder, name));
  }

  async close(): Promise<void> {
    await this.closeTabs();
    await this.browser?.close();
    await this.reporting?.close();
    rmSync(this.folder, { recursive: true });
  }
}

/** A tab with the answers of the service, and what a test puts in their place. */
export class OperatorTab {
  /** In place of answers with numbers. */
  refusal: { status: number; headers?: Record<string, string> } | 'no network' | undefined;
  lagSeconds = 0.4;
  /** So many reads are answered, the others wait for `release`. */
  answeredReads = Infinity;
  release!: () => void;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));
  readonly asked: string[] = [];
  readonly requested: string[] = [];
  readonly complaints: string[] = [];

  constructor(
    readonly page: Page,
    private readonly folder: string,
    readonly changes: Changes,
  ) {}

  async answer(route: Route): Promise<void> {
    const { pathname, search } = new URL(route.request().url());
    this.asked.push(pathname + search);
    if (this.asked.length > this.answeredReads) await this.released;
    if (this.refusal === 'no network') return route.abort();
    if (this.refusal) return route.fulfill({ ...this.refusal, json: { error: 'refused', message: 'Refused.' } });
    const response = await route.fetch();
    if (response.status() !== 200 || pathname.endsWith('.csv')) {
      const headers = { ...response.headers(), 'x-lag-seconds': String(this.lagSeconds) };
      return route.fulfill({ response, headers });
    }
    const answer = (await response.json()) as never;
    const change = this.changes[pathname.split('/').at(-1)!];
    const json: object = { ...(answer as object), lag_seconds: this.lagSeconds, ...change?.(answer) };
    return route.fulfill({ response, json });
  }

  async signIn(token = TOKEN): Promise<void> {
    await this.page.getByLabel('Operator token').fill(token);
    await this.page.keyboard.press('Enter');
  }

  rowsOf(id: string): Promise<string[]> {
    return textsOf(this.place(id).locator('tbody tr'));
  }

  focusedId(): Promise<string> {
    return this.page.evaluate(() => document.activeElement!.id);
  }

  place(id: string): Locator {
    return this.page.locator(`#${id}`);
  }

  get settings(): URLSearchParams {
    return new URLSearchParams(new URL(this.page.url()).hash.slice(1));
  }

  async isAsked(path: string): Promise<void> {
    await eventually(() => expect(this.asked).toContain(`${REVENUE}/${path}`));
  }

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

  /** Time stands while the page waits for an answer, so that a busy machine does not look like a slow network. */
  async passMs(durationMs: number): Promise<void> {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= STEP_MS) {
      await this.page.clock.runFor(Math.min(leftMs, STEP_MS));
      await this.isCalm();
    }
  }

  async picture(name: string, fullPage = true): Promise<void> {
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage });
  }

  get saved(): Record<string, string> {
    const names = readdirSync(this.folder);
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(this.folder, name), 'utf8')]));
  }
}

/** The health that polls bring, with other members. */
export function healthWith(over: Partial<HealthFacts>): Changes {
  return { changes: ({ health }: { health: HealthFacts }) => ({ health: { ...health, ...over } }) };
}

export async function textsOf(rows: Locator): Promise<string[]> {
  return (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
}

/** How far the content reaches out to the right of the window, in pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
