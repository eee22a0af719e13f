import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import {
  chromium,
  firefox,
  type Browser,
  type BrowserContextOptions,
  type LaunchOptions,
  type Page,
} from 'playwright-core';
import { ensureProgram } from '../ensure-program';

/** `playwright-core` drives browsers as their makers publish them, and downloads none. */
const KNOWN = {
  chromium: {
    type: chromium,
    program: { name: 'chromium', debianPackage: 'chromium', purpose: 'Chromium 123 or newer' },
    // A container has no sandbox of its own to give.
    options: { args: ['--no-sandbox'] },
  },
  firefox: {
    type: firefox,
    program: { name: 'firefox-esr', debianPackage: 'firefox-esr', purpose: 'Firefox 140 or newer' },
    // By WebDriver BiDi, whose commands else reach pages alone, not the window around them.
    options: { channel: 'moz-firefox', args: ['--remote-allow-system-access'] },
  },
};

export type BrowserName = keyof typeof KNOWN;

/** In which suites open pages that name no browser: `TEST_BROWSER=firefox`, otherwise Chromium. */
export const USUAL_BROWSER: BrowserName = process.env.TEST_BROWSER === 'firefox' ? 'firefox' : 'chromium';

async function optionsOf(name: BrowserName): Promise<LaunchOptions> {
  const { program, options } = KNOWN[name];
  return { executablePath: await ensureProgram(program), ...options };
}

/** One that several processes share. @throws CannotStartService with what to do */
export async function startChromium(): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const server = await chromium.launchServer(await optionsOf('chromium'));
  return { endpoint: server.wsEndpoint(), stop: () => server.close() };
}

/**
 * The Chromium of this test run, or a new browser where it is Firefox or the run has none. `close` closes the contexts of the
 * caller; the browser of the run goes on for others.
 */
export async function openBrowser(name = USUAL_BROWSER): Promise<Browser> {
  const running = process.env['TEST_BROWSER_ENDPOINT'];
  return name === 'chromium' && running ? chromium.connect(running) : launchBrowser(name);
}

/**
 * A new one in any case: its clipboard is that of all its contexts.
 * @param downloadsPath a folder for what is downloaded
 */
export async function launchBrowser(name = USUAL_BROWSER, downloadsPath?: string): Promise<Browser> {
  return KNOWN[name].type.launch({ ...(await optionsOf(name)), downloadsPath });
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

/** The settings of a person that a page can read, named as in `playwright-core`. */
interface Emulation {
  colorScheme?: 'light' | 'dark';
  forcedColors?: 'active';
  reducedMotion?: 'reduce';
  /** From the next page on. */
  javaScriptEnabled?: false;
  media?: 'print';
}

/** Their names in a browsing context of Firefox, where its own tools for developers set them too. */
const FIELDS: Record<keyof Emulation, string> = {
  colorScheme: 'prefersColorSchemeOverride',
  forcedColors: 'forcedColorsOverride',
  reducedMotion: 'prefersReducedMotionOverride',
  javaScriptEnabled: 'allowJavascript',
  media: 'mediumOverride',
};

/** The channel of the driver to a tab. */
interface BidiChannel {
  /** The id of the tab. */
  sessionId: string;
  send<Answer>(command: string, parameters: object): Promise<Answer>;
}

interface Tree {
  contexts: { context: string; clientWindow: string }[];
}

/**
 * Makes true in a tab of Firefox what the driver accepts as options of a context, and forgets there without a word.
 * @throws Error where the browser was launched by another process
 */
async function emulateInFirefox(page: Page, emulation: Emulation): Promise<void> {
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(FIELDS)) {
    const value = emulation[name as keyof Emulation];
    if (value !== undefined) fields[field] = value;
  }
  const channel = channelOf(page);
  const { contexts } = await channel.send<Tree>('browsingContext.getTree', { root: channel.sessionId });
  const windows = await channel.send<Tree>('browsingContext.getTree', { 'moz:scope': 'chrome' });
  const around = windows.contexts.find(({ clientWindow }) => clientWindow === contexts[0]!.clientWindow)!;
  const { type } = await channel.send<{ type: string }>('script.callFunction', {
    // The driver opens each tab in a window of its own.
    functionDeclaration: '(fields) => void Object.assign(gBrowser.selectedBrowser.browsingContext, JSON.parse(fields))',
    arguments: [{ type: 'string', value: JSON.stringify(fields) }],
    target: { context: around.context },
    awaitPromise: false,
  });
  if (type !== 'success') throw new Error(`Firefox refuses ${JSON.stringify(fields)}`);
}

/** Taps with a finger, which the driver does in other browsers alone. */
async function tapInFirefox(page: Page, x: number, y: number): Promise<void> {
  const channel = channelOf(page);
  const actions = [
    { type: 'pointerMove', x, y },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ];
  await channel.send('input.performActions', {
    context: channel.sessionId,
    actions: [{ type: 'pointer', id: 'finger', parameters: { pointerType: 'touch' }, actions }],
  });
}

/** `playwright-core` has no public way to send a command of WebDriver BiDi, and Firefox takes one driver at a time. */
function channelOf(page: Page): BidiChannel {
  const { _connection: connection } = page as unknown as {
    _connection: { toImpl?: (page: Page) => { delegate: { _session: BidiChannel } } };
  };
  if (!connection.toImpl) throw new Error('Only a Firefox of this process takes commands: use launchBrowser.');
  return connection.toImpl(page).delegate._session;
}
