import type { Browser, Page } from 'playwright-core';
import { BROWSERS, launchBrowser, openTab, showAsPrinted, tap, type TabOptions } from './jest/browser';

// For two browsers on a busy machine.
jest.setTimeout(60_000);

const PAGE = `data:text/html,<!doctype html><body><noscript><p>no scripts</p></noscript><div style="height: 200px"></div>`;

describe.each(BROWSERS)('a tab of %s', (name) => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => (browser = await launchBrowser(name)), 120_000);
  afterEach(() => page.context().close());
  afterAll(() => browser?.close());

  async function open(options: TabOptions = {}): Promise<void> {
    page = await openTab(browser, options);
    await page.goto(PAGE);
  }

  const matches = (query: string) => page.evaluate((media) => matchMedia(media).matches, query);

  it.each<[string, TabOptions]>([
    ['(prefers-color-scheme: dark)', { colorScheme: 'dark' }],
    ['(prefers-color-scheme: light)', { colorScheme: 'light' }],
    ['(forced-colors: active)', { forcedColors: 'active' }],
    ['(prefers-reduced-motion: reduce)', { reducedMotion: 'reduce' }],
  ])('matches %s with %j, on each of its pages', async (query, options) => {
    await open(options);
    expect(await matches(query)).toBe(true);
    await page.reload();
    expect(await matches(query)).toBe(true);
  });

  it('is light, moves and keeps the colours of its pages when nothing is said', async () => {
    await open();
    for (const query of ['(prefers-color-scheme: light)', '(forced-colors: none)', 'screen'])
      expect([query, await matches(query)]).toEqual([query, true]);
    expect(await matches('(prefers-reduced-motion: reduce)')).toBe(false);
  });

  it('is shown as printed', async () => {
    await open();
    await showAsPrinted(page);
    expect([await matches('print'), await matches('screen')]).toEqual([true, false]);
  });

  it('runs no scripts of its page', async () => {
    await open({ javaScriptEnabled: false });
    expect(await page.locator('noscript p').innerText()).toBe('no scripts');
  });

  it('is tapped with a finger', async () => {
    await open({ hasTouch: true });
    const presses = await page.evaluateHandle(() => {
      const all: unknown[] = [];
      const note = ({ pointerType, isTrusted, clientX, clientY }: PointerEvent) =>
        all.push({ pointerType, isTrusted, clientX, clientY });
      addEventListener('pointerdown', note);
      return all;
    });
    await tap(page, 40, 60);
    expect(await presses.jsonValue()).toEqual([{ pointerType: 'touch', isTrusted: true, clientX: 40, clientY: 60 }]);
  });

  it('knows nothing of what other tabs are told', async () => {
    const other = await openTab(browser, { colorScheme: 'dark', reducedMotion: 'reduce' });
    await open();
    expect(await matches('(prefers-color-scheme: light)')).toBe(true);
    expect(await matches('(prefers-reduced-motion: reduce)')).toBe(false);
    await other.context().close();
  });
});
