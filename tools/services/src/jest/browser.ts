import { chromium, firefox, type Browser, type BrowserType, type LaunchOptions } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, ensureChromium } from '../chromium';
import { ensureFirefox, FIREFOX_CHANNEL } from '../firefox';

export const BROWSERS = ['chromium', 'firefox'] as const;
export type BrowserName = (typeof BROWSERS)[number];

/** In which suites open pages that name no browser: `TEST_BROWSER=firefox`, otherwise Chromium. */
const USUAL: BrowserName = process.env.TEST_BROWSER === 'firefox' ? 'firefox' : 'chromium';

export interface RunningBrowser {
  /** For `openBrowser` of other processes. */
  endpoint: string;
  stop(): Promise<void>;
}

interface KnownBrowser {
  type: BrowserType;
  options: () => Promise<LaunchOptions>;
  /** Names the browser of a test run for its suites. */
  endpoint: string;
}

const KNOWN: Record<BrowserName, KnownBrowser> = {
  chromium: {
    type: chromium,
    options: async () => ({ executablePath: await ensureChromium(), args: CHROMIUM_ARGUMENTS }),
    endpoint: 'TEST_BROWSER_ENDPOINT',
  },
  firefox: {
    type: firefox,
    options: async () => ({ executablePath: await ensureFirefox(), channel: FIREFOX_CHANNEL }),
    endpoint: 'TEST_FIREFOX_ENDPOINT',
  },
};

/** A browser that several processes share. @throws CannotStartService with what to do */
export async function startBrowser(name: BrowserName): Promise<RunningBrowser> {
  const { type, options } = KNOWN[name];
  const server = await type.launchServer(await options());
  return { endpoint: server.wsEndpoint(), stop: () => server.close() };
}

/**
 * The browser of this test run, or a new one outside a run that has one. `close` closes the contexts of the caller; the
 * browser of the run goes on for others.
 */
export async function openBrowser(name = USUAL): Promise<Browser> {
  const { type, endpoint } = KNOWN[name];
  const running = process.env[endpoint];
  return running ? type.connect(running) : launchBrowser(name);
}

/**
 * A new one in any case: its clipboard is that of all its contexts.
 * @param downloadsPath a folder for what is downloaded
 */
export async function launchBrowser(name = USUAL, downloadsPath?: string): Promise<Browser> {
  const { type, options } = KNOWN[name];
  return type.launch({ ...(await options()), downloadsPath });
}
