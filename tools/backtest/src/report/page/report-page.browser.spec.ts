import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessibilityFaults } from '@evenkeel/services/browser';
import { Workplace } from '../../backtest.fixture';
import { SAMPLES, type Sample } from '../../samples/samples';
import { ReportBrowser, type ReportTab } from './report-browser.fixture';

// A browser on a machine that has other work.
jest.setTimeout(90_000);

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

const workplace = new Workplace();
let browser: ReportBrowser;
let tab: ReportTab;
beforeAll(async () => (browser = await ReportBrowser.start()), 120_000);
afterEach(() => tab?.close());
afterAll(async () => {
  await browser?.close();
  workplace.remove();
});

async function pageOf(name: string, content: string): Promise<string> {
  const page = join(workplace.folder, `${name}.html`);
  if (existsSync(page)) return page;
  expect(await workplace.run(workplace.file(`${name}.csv`, content), '--html', page)).toMatchObject({ code: 0 });
  return page;
}

const sample = (name: Sample) => pageOf(name, SAMPLES[name](1).csv);

const LOOKS: ['light' | 'dark', typeof PHONE][] = [
  ['light', DESKTOP],
  ['dark', PHONE],
  ['dark', DESKTOP],
  ['light', PHONE],
];

it.each(sized(LOOKS.slice(0, 2), LOOKS))(
  'fits its window and has nothing that axe objects to: %s, %j',
  async (colorScheme, viewport) => {
    for (const name of ['habits', 'calibrated'] as const) {
      tab = await browser.open(await sample(name), { colorScheme, viewport });
      await tab.picture(`${name}-${viewport.width}-${colorScheme}`);
      expect(await accessibilityFaults(tab.page)).toEqual([]);
      expect(await tab.overflow()).toBe(0);
      await tab.close();
    }
  },
);

it('has the two themes of the system', async () => {
  const page = await sample('shift');
  const grounds: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    tab = await browser.open(page, { colorScheme, viewport: DESKTOP });
    await tab.picture(`shift-1280-${colorScheme}`);
    grounds.push(await tab.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor));
    await tab.close();
  }
  expect(new Set(grounds).size).toBe(2);
});

it('shows the diagrams, the tables and the worst forecasts by name', async () => {
  tab = await browser.open(await sample('habits'), { viewport: DESKTOP });
  const { page } = tab;
  expect(await page.getByRole('img', { name: /^Forecast and what came/ }).count()).toBe(1);
  expect(await page.getByRole('img', { name: /forecasts below 50 %/ }).count()).toBe(1);
  const kinds = page.getByRole('table', { name: 'Figures by kind' }).getByRole('rowheader');
  expect((await kinds.allInnerTexts()).sort()).toEqual([
    '3 times a week',
    '5 times a week',
    'every day',
    'once a week',
  ]);
  expect(await page.getByRole('table', { name: 'Worst forecasts' }).getByRole('row').count()).toBe(11);
  expect(await page.getByText('The order is good').isVisible()).toBe(true);
});

it('asks for nothing but itself, and holds no address', async () => {
  const file = await sample('habits');
  tab = await browser.open(file, { viewport: DESKTOP });
  await tab.page.reload();
  expect(new Set(tab.requested)).toEqual(new Set([tab.page.url()]));
  expect(tab.complaints).toEqual([]);
  expect(readFileSync(file, 'utf8')).not.toMatch(/https?:|<script|@import|url\(/);
});

it('takes names for names', async () => {
  const evil = '<img src=x onerror=alert(1)>"&';
  const csv = SAMPLES.random(1).csv.replaceAll('Coin', evil.replaceAll('"', '""'));
  tab = await browser.open(await pageOf('evil', csv), { viewport: DESKTOP });
  expect(await tab.page.getByRole('rowheader', { name: evil }).count()).toBeGreaterThan(0);
  expect(await tab.page.locator('img').count()).toBe(0);
  expect(tab.complaints).toEqual([]);
});

it('draws nothing from too little', async () => {
  tab = await browser.open(await pageOf('little', 'habit,date,value\nRun,2026-01-01,yes\nRun,2026-01-02,yes\n'), {
    viewport: PHONE,
  });
  expect(await tab.page.locator('svg').count()).toBe(0);
  expect(await tab.page.getByText('Too little to judge').isVisible()).toBe(true);
  expect(await accessibilityFaults(tab.page)).toEqual([]);
  await tab.picture('too-little-360-light');
});
