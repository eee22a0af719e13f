import { chromium, type Browser } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, ensureChromium } from '../chromium';

export interface RunningBrowser {
  /** For `openBrowser` of other processes. */
  endpoint: string;
  stop(): Promise<void>;
}

/** Names the browser of a test run for its suites. */
const BROWSER_ENDPOINT = 'TEST_BROWSER_ENDPOINT';

/** A browser that several processes share. @throws CannotStartService with what to do */
export async function startBrowser(): Promise<RunningBrowser> {
  const server = await chromium.launchServer({ executablePath: await ensureChromium(), args: CHROMIUM_ARGUMENTS });
  return { endpoint: server.wsEndpoint(), stop: () => server.close() };
}

/**
 * The browser of this test run, or a new one outside a run that has one. `close` closes the contexts of the caller; the
 * browser of the run goes on for others.
 */
export async function openBrowser(): Promise<Browser> {
  const endpoint = process.env[BROWSER_ENDPOINT];
  if (endpoint) return chromium.connect(endpoint);
  return chromium.launch({ executablePath: await ensureChromium(), args: CHROMIUM_ARGUMENTS });
}
