import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import {
  chromium,
  firefox,
  type Browser,
  type BrowserContextOptions,
  type BrowserType,
  type LaunchOptions,
  type Page,
} from 'playwright-core';
import { ensureProgram } from '../ensure-program';
import { emulateInFirefox, FIREFOX_ARGUMENTS, tapInFirefox, type Emulation } from '../firefox-emulation';

export type BrowserName = 'chromium' | 'firefox';

/** In which suites open pages that name no browser: `TEST_BROWSER=firefox`, otherwise Chromium. */
export const USUAL_BROWSER: BrowserName = process.env.TEST_BROWSER === 'firefox' ? 'firefox' : 'chromium';

export interface RunningBrowser {
  /** For `openBrowser` of other processes. */
  endpoint: string;
  stop(): Promise<void>;
}

interface KnownBrowser {
  type: BrowserType;
  options: () => Promise<LaunchOptions>;
}

/** `playwright-core` drives browsers as their makers publish them, and downloads none. */
const KNOWN: Record<BrowserName, KnownBrowser> = {
  chromium: {
    type: chromium,
    options: async () => ({
      executablePath: await ensureProgram({
        name: 'chromium',
        debianPackage: 'chromium',
        purpose: 'Chromium 123 or newer',
      }),
      // A container has no sandbox of its own to give.
      args: ['--no-sandbox'],
    }),
  },
  firefox: {
    type: firefox,
    options: async () => ({
      executablePath: await ensureProgram({
        name: 'firefox-esr',
        debianPackage: 'firefox-esr',
        purpose: 'Firefox 140 or newer',
      }),
      // By WebDriver BiDi.
      channel: 'moz-firefox',
      args: FIREFOX_ARGUMENTS,
    }),
  },
};

/** One that several processes share. @throws CannotStartService with what to do */
export async function startChromium(): Promise<RunningBrowser> {
  const { type, options } = KNOWN.chromium;
  const server = await type.launchServer(await options());
  return { endpoint: server.wsEndpoint(), stop: () => server.close() };
}

/**
 * The Chromium of this test run, or a new browser where it is Firefox or the run has none. `close` closes the contexts of the
 * caller; the browser of the run goes on for others.
 */
export async function openBrowser(name = USUAL_BROWSER): Promise<Browser> {
  const running = process.env['TEST_BROWSER_ENDPOINT'];
  return name === 'chromium' && running ? KNOWN.chromium.type.connect(running) : launchBrowser(name);
}

/**
 * A new one in any case: its clipboard is that of all its contexts.
 * @param downloadsPath a folder for what is downloaded
 */
export async function launchBrowser(name = USUAL_BROWSER, downloadsPath?: string): Promise<Browser> {
  const { type, options } = KNOWN[name];
  return type.launch({ ...(await options()), downloadsPath });
}

export type TabOptions = Omit<BrowserContextOptions, keyof Emulation> & Omit<Emulation, 'media'>;

/**
 * A tab without data of others.
 * @param browser of `launchBrowser` where it is Firefox
 */
export async function openTab(browser: Browser, { colorScheme = 'light', ...options }: TabOptions): Promise<Page> {
  const context = await browser.newContext({ colorScheme, ...options });
  const page = await context.newPage();
  if (isFirefox(page)) await emulateInFirefox(page, { colorScheme, ...options });
  return page;
}

/** Shows a tab of `openTab` as it is printed. */
export async function showAsPrinted(page: Page): Promise<void> {
  await (isFirefox(page) ? emulateInFirefox(page, { media: 'print' }) : page.emulateMedia({ media: 'print' }));
}

/**
 * Taps with a finger on a tab of `openTab`.
 * @param x from the left of the window, in pixels
 * @param y from its top
 */
export async function tap(page: Page, x: number, y: number): Promise<void> {
  await (isFirefox(page) ? tapInFirefox(page, x, y) : page.touchscreen.tap(x, y));
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The findings of axe on a page, a line each; all its rules, those of good practice too.
 * @param within selector of a part; default all of it, which takes a second or two where there is much on it
 */
export async function accessibilityFaults(page: Page, within = ':root'): Promise<string[]> {
  await page.evaluate(AXE);
  const only = '{ resultTypes: ["violations"] }'; // else it also describes, at length, all that is right
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(within)}, ${only})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

function isFirefox(page: Page): boolean {
  return page.context().browser()?.browserType() === firefox;
}
