import type { Page } from 'playwright-core';

/** The settings of a person that a page can read, named as in `playwright-core`. */
export interface Emulation {
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

/** For `launch`: without it commands reach pages alone, not the window around them. */
export const FIREFOX_ARGUMENTS = ['--remote-allow-system-access'];

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
export async function emulateInFirefox(page: Page, emulation: Emulation): Promise<void> {
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
export async function tapInFirefox(page: Page, x: number, y: number): Promise<void> {
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
