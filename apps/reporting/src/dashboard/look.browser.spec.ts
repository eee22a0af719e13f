import { inflateSync } from 'node:zlib';
import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults, showAsPrinted } from '@evenkeel/services/browser';
import { NOW, PAYMENTS } from './business.fixture';
import {
  DESKTOP,
  healthWith,
  operatorBrowser,
  PHONE,
  WINDOWS,
  type OperatorTab,
  overflowOf,
} from './operator-browser.fixture';

const operator = operatorBrowser();
let tab: OperatorTab;

/** The next press of Tab leads to the first stop of the page. */
async function startAtTop(): Promise<void> {
  await tab.page.evaluate(() => {
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

async function fits(): Promise<void> {
  const width = tab.page.viewportSize()!.width;
  expect([width, await overflowOf(tab.page)]).toEqual([width, 0]);
}

it('fits a phone with a payment that needs a person, and says why in a long word', async () => {
  const { id } = PAYMENTS[0]!;
  const status = 'needs_reconciliation';
  const reason = 'invalid_exact_evm_payload_authorization_valid_before';
  const story = [{ at: NOW.toISOString(), state: status, reason }];
  const changes = {
    payments: ({ payments }: { payments: object[] }) => ({ payments: payments.map((one) => ({ ...one, status })) }),
    [id]: () => ({ status, reason, story }),
  };
  tab = await operator.openNumbers({ viewport: PHONE, hash: `#open=${id}`, changes });
  await tab.place('payment-rows').getByText(reason).first().waitFor();
  await fits();
});

it.each(['light', 'dark'] as const)('fits every window between a phone and a large screen: %s', async (colorScheme) => {
  const large = { past_due: 1_234_567, failed_last_24h: 1_000 };
  tab = await operator.openNumbers({ colorScheme, changes: healthWith(large) });
  for (const viewport of WINDOWS) {
    await tab.page.setViewportSize(viewport);
    await fits();
    await tab.picture(`numbers-${viewport.width}-${colorScheme}`);
  }
  const all = [480, 600, 719, 720, 721, 740, 760, 780, 800, 820, 840, 860, 880, 900, 960, 1100];
  for (const width of sized([600, 720, 721, 780, 840, 900, 1100], all)) {
    await tab.page.setViewportSize({ width, height: 900 });
    await fits();
  }
  const sizes = await tab.page
    .locator('main *')
    .evaluateAll((parts) => parts.map((part) => parseFloat(getComputedStyle(part).fontSize)));
  expect(Math.min(...sizes.filter((size) => size > 0))).toBeGreaterThanOrEqual(12);
});

it.each([
  ['dark', PHONE, '#days=91'],
  ['light', DESKTOP, '#days=28'],
  ...sized(
    [],
    [
      ['light', PHONE, '#days=364&table=on'],
      ['dark', DESKTOP, '#days=364'],
    ],
  ),
] as ['light' | 'dark', typeof PHONE, string][])(
  'has nothing that axe objects to: %s, %j, %s',
  async (colorScheme, viewport, hash) => {
    tab = await operator.openNumbers({ colorScheme, viewport, hash });
    expect(await accessibilityFaults(tab.page)).toEqual([]);
  },
);

it('can be read in the colours that a person has forced', async () => {
  tab = await operator.openNumbers({ forcedColors: 'active', hash: '#days=28&status=settlement_pending' });
  expect(await accessibilityFaults(tab.page)).toEqual([]);
  // Drawings have contrast to their background, whatever the colours of the page were.
  const fills = await tab.page.evaluate(() => {
    const ground = getComputedStyle(document.body).backgroundColor;
    return [...document.querySelectorAll('#chart svg rect')].filter((bar) => getComputedStyle(bar).fill === ground)
      .length;
  });
  expect(fills).toBe(0);
  await tab.picture('numbers-forced-colors');
});

it('takes the theme that is chosen, and keeps it in the address', async () => {
  tab = await operator.open({ colorScheme: 'light' });
  const look = () => tab.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await look();
  const theme = tab.page.getByRole('button', { name: /^Theme/ });
  await theme.click();
  expect(await look()).toBe(light);
  await theme.click();
  expect(new URL(tab.page.url()).hash).toBe('#days=28&theme=dark');
  expect(await look()).not.toBe(light);
  await tab.page.reload();
  expect(await look()).not.toBe(light);
});

it('leads the keyboard through everything in the order of reading, past a link that skips to the numbers', async () => {
  tab = await operator.openNumbers({ hash: '#days=28&status=settlement_pending&q=request-' });
  await startAtTop();
  const names: string[] = [];
  for (let stop = 0; stop < 26; stop++) {
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
  const count = expect.stringMatching(/^[\d,]+ payments$/);
  expect(names).toEqual([
    'Skip to the numbers',
    'Refresh',
    'Theme: auto, change to light',
    'Sign out',
    ...['Today', 'Yesterday', ...[7, 28, 91, 364].map((days) => `${days} days`)],
    'This month',
    'Last month',
    'Any range of days',
    'By call',
    'Compare',
    'Show these payments',
    'Show subscriptions',
    '1 failed in 24 h',
    ...Array<unknown>(3).fill(count),
    'Subscriptions',
    'Days',
    'Table',
    count,
    'Day of the chart',
  ]);
  await startAtTop();
  await tab.page.keyboard.press('Tab');
  await tab.page.keyboard.press('Enter');
  expect(await tab.focusedId()).toBe('main');
  expect(tab.settings.get('q')).toBe('request-');
  expect(await tab.page.locator('h1').count()).toBe(1);
  for (const role of ['banner', 'main', 'navigation', 'contentinfo'] as const) {
    expect([role, await tab.page.getByRole(role).count()]).toEqual([role, 1]);
  }
  expect(await tab.page.locator('[role=status], [role=alert], [aria-live]').count()).toBe(1);
});

/** A4 within its margins, in pixels. */
const PAPER = { width: 733, height: 1062 };

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

  tab = await operator.openNumbers({ viewport, hash: '#month=2026-02' });
  await tab.page.getByRole('link', { name: 'Statement, Feb 2026' }).click();
  await tab.page.getByRole('heading', { name: 'Statement, Feb 2026, so far' }).waitFor();
  const gross = tab.page
    .getByRole('table', { name: 'Calls', exact: true })
    .getByRole('row', { name: /^Gross revenue/ });
  expect(await gross.innerText()).toMatch(/\d+\.\d{6}$/);
  for (const id of ['health', 'figures', 'subscriptions']) expect(await tab.place(id).isVisible()).toBe(false);
  await fits();
  expect(await accessibilityFaults(tab.page)).toEqual([]);
  await tab.picture(`statement-${viewport.width}`);
  await tab.page.getByRole('button', { name: 'CSV: Statement, Feb 2026' }).click();
  await eventually(() =>
    expect(tab.saved['evenkeel-statement-2026-02.csv']).toContain('2026-02,calls,gross_revenue,,'),
  );
  await isOnePage(`statement-print-from-${viewport.width}`);
});

it('prints all that may be wrong, and a month beside the one before, on one page, each value in its card', async () => {
  const settlement = { settled: 43_029, pending: 39, needs_reconciliation: 24, failed: 322 };
  const disputes = { open: 7, amount: { usd: 1107.93, usd_exact: '1107.930000' } };
  const wrong = healthWith({ settlement, disputes, past_due: 1_264, failed_last_24h: 322 });
  const group = (count: number) => ({ count, has_more: false });
  const amount = { usd: 98_765.43, usd_exact: '98765.430000' };
  const large = {
    gross_revenue: amount,
    net_margin: amount,
    attributed_cost: amount,
    paid_calls: 1_234_567,
    unique_payers: 12_345,
  };
  const changes = {
    ...wrong,
    reconciliation: () => ({ served_and_failed: group(170), settled_without_hash: group(1_113) }),
    summary: (answer: { window: object; all_time: object }) => ({
      window: { ...answer.window, ...large },
      all_time: { ...answer.all_time, ...large },
    }),
    subscriptions: ({ plans }: { plans: object[] }) => ({ plans: [...plans, { ...plans[0], code: null }] }),
  };
  tab = await operator.openNumbers({ changes, hash: '#month=2026-01' });
  await isOnePage('print-of-trouble');
  await tab.page.setViewportSize(PAPER);
  await fits();
  const cards = tab.place('figures').locator('.card:visible');
  const widths = await cards.evaluateAll((all) => all.map((card) => card.scrollWidth - card.clientWidth));
  expect(widths).toEqual(widths.map(() => 0));
});

it('says that it needs scripts where they are blocked', async () => {
  tab = await operator.open({ javaScriptEnabled: false });
  expect(await tab.page.locator('noscript p').innerText()).toMatch(/^This page needs scripts/);
  expect(await tab.page.getByText('Latest payments').isVisible()).toBe(false);
  await tab.picture('no-script');
});
