import { inflateSync } from 'node:zlib';
import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults, showAsPrinted } from '@evenkeel/services/browser';
import type { Page } from 'playwright-core';
import { statementFile } from './answers.fixture';
import { aBusiness } from './business.fixture';
import { collisionsOf, overflowOf } from './layout.fixture';
import { DESKTOP, operatorBrowser, PHONE, WINDOWS, type OperatorTab } from './operator-browser.fixture';

const operator = operatorBrowser();
let tab: OperatorTab;

/** The next press of Tab leads to the first stop of the page. */
async function startAtTop(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
}

/** The metadata of a PDF; a browser may pack it into streams. */
function objectsOf(paper: Buffer): string {
  const text = paper.toString('latin1');
  const packed = [...text.matchAll(/\/ObjStm\b[^]*?stream\r?\n([^]*?)endstream/g)];
  return [text, ...packed.map(([, stream]) => inflateSync(Buffer.from(stream!, 'latin1')).toString('latin1'))].join(
    '\n',
  );
}

const LOOKS = WINDOWS.flatMap((viewport) => [['light', viewport] as const, ['dark', viewport] as const]);

it.each(LOOKS)('fits its window: %s, %j', async (colorScheme, viewport) => {
  tab = await operator.openNumbers({ colorScheme, viewport });
  await tab.picture(`numbers-${viewport.width}-${colorScheme}`);
  expect(await overflowOf(tab.page)).toBe(0);
  expect(await collisionsOf(tab.page)).toEqual([]);
});

const AXE_LOOKS: (readonly ['light' | 'dark', typeof PHONE, string])[] = [
  ['dark', PHONE, '#days=91'],
  ['light', DESKTOP, '#days=28'],
  ['light', PHONE, '#days=364&table=on'],
  ['dark', DESKTOP, '#days=364'],
  ...LOOKS.map(([colorScheme, viewport]) => [colorScheme, viewport, '#days=1'] as const),
];

it.each(sized(AXE_LOOKS.slice(0, 3), AXE_LOOKS))(
  'has nothing that axe objects to: %s, %j, %s',
  async (colorScheme, viewport, hash) => {
    // One payment of each kind says as much as all of them, sooner.
    const payments = aBusiness().payments.slice(0, sized(10, 60));
    tab = await operator.openNumbers({ colorScheme, viewport, hash, business: { payments } });
    expect(await accessibilityFaults(tab.page)).toEqual([]);
  },
);

it('fits every window between a phone and a desk', async () => {
  tab = await operator.openNumbers();
  const all = [360, 480, 600, 719, 720, 721, 740, 760, 780, 800, 820, 840, 860, 880, 900, 960, 1100];
  for (const width of sized([360, 600, 720, 721, 780, 840, 900, 1100], all)) {
    await tab.page.setViewportSize({ width, height: 900 });
    const fit = { width, overflow: await overflowOf(tab.page), collisions: await collisionsOf(tab.page) };
    expect(fit).toEqual({ width, overflow: 0, collisions: [] });
  }
});

it('can be read in the colours that a person has forced', async () => {
  tab = await operator.openNumbers({ forcedColors: 'active' });
  expect(await accessibilityFaults(tab.page)).toEqual([]);
  expect(await collisionsOf(tab.page)).toEqual([]);
  // Drawings have contrast to their background, whatever the colours of the page were.
  const fills = await tab.page.evaluate(() => {
    const ground = getComputedStyle(document.body).backgroundColor;
    return [...document.querySelectorAll('#chart svg rect')].filter((bar) => getComputedStyle(bar).fill === ground)
      .length;
  });
  expect(fills).toBe(0);
  await tab.picture('numbers-forced-colors');
});

it('takes the theme that is chosen, keeps it in the address, and does not fade with reduced motion', async () => {
  tab = await operator.open({ colorScheme: 'light', reducedMotion: 'reduce' });
  const look = () =>
    tab.page.evaluate(() => {
      const { backgroundColor } = getComputedStyle(document.documentElement);
      return [backgroundColor, getComputedStyle(document.documentElement).getPropertyValue('--fade')];
    });
  const light = await look();
  expect(light[1]).toBe('0ms');
  const theme = tab.page.getByRole('button', { name: /^Theme/ });
  await theme.click();
  expect(await look()).toEqual(light);
  await theme.click();
  expect(new URL(tab.page.url()).hash).toBe('#days=28&theme=dark');
  expect(await look()).not.toEqual(light);
  await tab.page.reload();
  expect(await look()).not.toEqual(light);
});

it('leads the keyboard through everything in the order of reading', async () => {
  tab = await operator.openNumbers({ business: { payments: aBusiness().payments.slice(0, 1) } });
  await startAtTop(tab.page);
  const names: string[] = [];
  for (let stop = 0; stop < 46; stop++) {
    await tab.page.keyboard.press('Tab');
    const { name, seen } = await tab.page.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      const box = element.matches('[type=radio]') ? element.nextElementSibling! : element;
      const { outlineStyle, outlineWidth } = getComputedStyle(box);
      const words = element.ariaLabel ?? element.closest('label')?.textContent ?? element.textContent;
      return { name: words.replace(/\s+/g, ' ').trim(), seen: outlineStyle === 'solid' && outlineWidth === '2px' };
    });
    names.push(name);
    expect([name, seen]).toEqual([name, true]);
  }
  const count = expect.stringMatching(/^[\d,]+ (payments|payers)$/);
  expect(names).toEqual([
    'Skip to the numbers',
    ...['Refresh', 'Theme: auto, change to light', 'Sign out'],
    ...['Today', 'Yesterday', ...[7, 28, 91, 364].map((days) => `${days} days`)],
    ...['This month', 'Last month', 'Any range of days'],
    ...['By call', 'Compare', 'Show these payments', '1 failed in 24 h'],
    ...[...Array<unknown>(6).fill(count), 'Subscriptions'],
    ...['Days', 'Table', count, 'Day of the chart'],
    ...Array<unknown>(5).fill(count),
    ...['All', 'Find payments', 'Find'],
    ...[expect.stringMatching(/^CSV: All payments/), 'Statement, Dec 2025'],
    expect.stringMatching(/^CSV: Call credits/),
    expect.stringMatching(/, details$/),
    expect.stringMatching(/^Copy 0x/),
    expect.stringMatching(/^Block explorer: 0x/),
    ...[expect.stringMatching(/^CSV: Customers/), expect.stringMatching(/^Sort by/)],
    ...['In period, USD', expect.stringMatching(/^Lifetime, USD/)],
  ]);
});

it('has one first heading, landmarks, and a link that skips to its numbers', async () => {
  tab = await operator.openNumbers({ hash: '#days=7' });
  await startAtTop(tab.page);
  await tab.page.keyboard.press('Tab');
  await tab.page.keyboard.press('Enter');
  expect(await tab.focusedId()).toBe('main');
  expect(new URL(tab.page.url()).hash).toBe('#days=7');
  expect(await tab.page.locator('h1').count()).toBe(1);
  for (const role of ['banner', 'main', 'navigation', 'contentinfo'] as const) {
    expect([role, await tab.page.getByRole(role).count()]).toEqual([role, 1]);
  }
  expect(await tab.page.locator('[role=status], [role=alert], [aria-live]').count()).toBe(1);
});

/** On white paper, without what could be pressed. */
async function isOnePage(picture: string): Promise<void> {
  const paper = await tab.page.pdf({ preferCSSPageSize: true, printBackground: true });
  expect(/\/Count (\d+)/.exec(objectsOf(paper))![1]).toBe('1');
  await showAsPrinted(tab.page);
  const ground = await tab.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(ground).toBe('rgb(255, 255, 255)');
  for (const name of ['Refresh', 'Print']) {
    expect(await tab.page.getByRole('button', { name }).isVisible()).toBe(false);
  }
  await tab.picture(picture);
}

it.each([DESKTOP, PHONE])('prints on one A4 page, and a statement on another: from %j', async (viewport) => {
  tab = await operator.openNumbers({ colorScheme: 'dark', viewport });
  await isOnePage(`print-from-${viewport.width}`);

  tab = await operator.openNumbers({ viewport });
  await tab.page.getByRole('link', { name: 'Statement, Dec 2025' }).click();
  await tab.isAsked('statement.csv?month=2025-12');
  const gross = tab.page
    .getByRole('table', { name: 'Calls', exact: true })
    .getByRole('row', { name: /^Gross revenue/ });
  expect(await gross.innerText()).toMatch(/\d+\.\d{6}$/);
  for (const id of ['health', 'figures', 'subscriptions']) expect(await tab.place(id).isVisible()).toBe(false);
  expect(await overflowOf(tab.page)).toBe(0);
  expect(await collisionsOf(tab.page)).toEqual([]);
  expect(await accessibilityFaults(tab.page)).toEqual([]);
  await tab.picture(`statement-${viewport.width}`);
  await isOnePage(`statement-print-from-${viewport.width}`);
});

it('the statement of the month that is shown is saved as a file, and is left again', async () => {
  tab = await operator.openNumbers({ hash: '#month=2026-01' });
  await tab.page.getByRole('link', { name: 'Statement, Jan 2026' }).click();
  await tab.page.getByRole('heading', { name: 'Statement, Jan 2026, so far' }).waitFor();
  await tab.page.getByRole('button', { name: 'CSV: Statement, Jan 2026' }).click();
  await eventually(() => expect(tab.saved).toEqual({ 'evenkeel-statement-2026-01.csv': statementFile('2026-01') }));
  await tab.page.getByRole('link', { name: 'Back to the numbers' }).click();
  await tab.page.getByRole('heading', { name: 'Latest payments' }).waitFor();
  expect(new URL(tab.page.url()).hash).toBe('#month=2026-01');
});

it('says that it needs scripts where they are blocked', async () => {
  tab = await operator.open({ javaScriptEnabled: false });
  expect(await tab.page.locator('noscript p').innerText()).toMatch(/^This page needs scripts/);
  expect(await tab.page.getByText('Latest payments').isVisible()).toBe(false);
  await tab.picture('no-script');
});
