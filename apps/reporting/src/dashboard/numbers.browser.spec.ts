import type { Locator } from 'playwright-core';
import { aBusiness } from './business.fixture';
import { operatorBrowser, type OperatorTab } from './operator-browser.fixture';

const operator = operatorBrowser({ ownClipboard: true, keepsTabs: true });
let tab: OperatorTab;
beforeAll(async () => {
  tab = await operator.openNumbers({ permissions: ['clipboard-read', 'clipboard-write'] });
}, 120_000);

const cardTexts = () => tab.place('figures').locator('.card:not(.mrr-card)').allInnerTexts();
const button = (name: string | RegExp): Locator => tab.page.getByRole('button', { name });
const clipboard = () => tab.page.evaluate(() => navigator.clipboard.readText());
it('answers the first two questions without scrolling', async () => {
  for (const id of ['health', 'figures', 'chart']) {
    const box = await tab.place(id).boundingBox();
    expect([id, box!.y + box!.height <= 800]).toEqual([id, true]);
  }
  expect(await tab.page.getByRole('status').innerText()).toBe('2 payments wait for settlement, oldest 4 min.');
  await tab.picture('numbers');
});

it('shows three periods, each with its change as text and both ranges of it', async () => {
  const cards = await cardTexts();
  expect(cards.map((card) => card.split('\n')[0])).toEqual(['Today', '28 days', 'All time']);
  expect(cards[0]).toMatch(
    /31 Jan 2026, so far[^]*[↑↓] \d+\u202f% \w+ than Saturday a week before\n31 Jan and 24 Jan, both until 14:02 UTC/,
  );
  expect(cards[1]).toMatch(/4 Jan to 31 Jan 2026[^]*↑ \d+\u202f% more than the same 28 weekdays before/);
  expect(cards[1]).toContain('4 Jan to 31 Jan 2026 and 7 Dec 2025 to 3 Jan 2026');
  expect(cards[2]).toMatch(/since 2 Nov 2025/);
  for (const card of cards) expect(card).toMatch(/Margin, USD\s+\S+ 99\.2\u202f%\s+Cost, USD\s+\S+ 0\.8\u202f%/);
});

it('gives every amount rounded, small ones with all their digits, with the exact one in its title', async () => {
  const amounts = await tab.page
    .locator('.money')
    .evaluateAll((all) =>
      all.map((amount) => [amount.textContent.replace(/\u202f/g, ''), (amount as HTMLElement).title]),
    );
  expect(amounts.length).toBeGreaterThan(50);
  for (const [shown, title] of amounts) {
    expect(title).toMatch(/^\d+\.\d{6} USD$/);
    const isSmall = parseFloat(title!) < 0.1;
    expect(Math.abs(Number(shown) - parseFloat(title!))).toBeLessThanOrEqual(isSmall ? 0 : 0.005);
    expect(shown).toMatch(isSmall ? /^0\.\d\d(\d*[1-9])?$/ : /^\d+\.\d\d$/);
  }
});

it('always lists five endpoints, also without a call', async () => {
  const rows = await tab.place('endpoint-rows').locator('tr').allInnerTexts();
  expect(rows).toHaveLength(5);
  expect(rows[2]).toMatch(/habits\/insights[^]*0\.0\u202f%[^]*0\.00[^]*–$/);
});

describe('the period', () => {
  const period = (name: string) => tab.page.getByRole('link', { name, exact: true }).click();
  const hash = () => new URL(tab.page.url()).hash;

  it('is in the address, and everything follows it', async () => {
    const asked = await tab.askedBy(() => period('7 days'));
    expect(hash()).toBe('#days=7');
    for (const name of ['summary', 'endpoints', 'timeseries']) {
      expect(asked).toContainEqual(expect.stringContaining(`/v1/admin/revenue/${name}?days=7&compare=previous`));
    }
    expect(await tab.place('figures').innerText()).toContain('7 days');
  });

  it.each([
    ['This month', '#month=2026-01', '1 Jan to 31 Jan 2026'],
    ['Last month', '#month=2025-12', '1 Dec to 31 Dec 2025'],
  ])('may be a calendar month: %s', async (name, address, days) => {
    const asked = await tab.askedBy(() => period(name));
    expect(hash()).toBe(address);
    expect(asked).toContain(`/v1/admin/revenue/summary?${address.slice(1)}&compare=previous`);
    expect((await cardTexts())[1]).toContain(days);
    expect(await tab.page.getByRole('link', { name }).getAttribute('aria-current')).toBe('true');
  });

  it('may be any days, which its button shows', async () => {
    await tab.page.getByLabel('Any range of days').click();
    await tab.page.getByLabel('From').fill('2025-11-03');
    await tab.page.getByLabel('To', { exact: true }).fill('2025-12-24');
    const asked = await tab.askedBy(() => button('Show these days').click());
    expect(hash()).toBe('#from=2025-11-03&to=2025-12-24');
    expect(asked).toContain('/v1/admin/revenue/summary?from=2025-11-03&to=2025-12-24&compare=previous');
    expect((await cardTexts())[1]).toMatch(/^52 days\s+3 Nov to 24 Dec 2025/);
    await tab.page.locator('summary', { hasText: '3 Nov to 24 Dec 2025' }).waitFor();
    expect(await button('Show these days').isVisible()).toBe(false);
  });

  it('counts payments by their settlement when that is chosen, and then says nothing of what came later', async () => {
    await tab.askedBy(() => period('Last month'));
    expect((await cardTexts())[1]).toContain('3 of these calls, 0.15 USD, settled after 31 Dec');
    const asked = await tab.askedBy(() => tab.page.getByRole('radio', { name: 'By settlement' }).check());
    expect(hash()).toBe('#month=2025-12&basis=settlement');
    for (const name of ['summary', 'endpoints', 'timeseries']) {
      const query = 'month=2025-12&basis=settlement&compare=previous';
      expect(asked).toContainEqual(expect.stringContaining(`/v1/admin/revenue/${name}?${query}`));
    }
    expect((await cardTexts())[1]).not.toContain('settled after');
    await tab.askedBy(() => tab.page.getByRole('radio', { name: 'By call' }).check());
  });

  it.each([
    ['of one day does not repeat the card of today', 'Today', ['Today', 'All time']],
    ['of more days than there are payments does not repeat that of all time', '364 days', ['Today', '364 days']],
  ])('%s', async (_, name, titles) => {
    await tab.askedBy(() => period(name));
    expect((await cardTexts()).map((card) => card.split('\n')[0])).toEqual(titles);
  });

  it('need not be compared', async () => {
    await tab.askedBy(() => period('28 days'));
    const compare = tab.page.getByRole('switch', { name: 'Compare' });
    const changes = tab.place('figures').getByText(/more than/);
    const asked = await tab.askedBy(() => compare.uncheck());
    expect(asked).toContain('/v1/admin/revenue/summary?days=28');
    expect([hash(), await changes.count()]).toEqual(['#days=28&compare=off', 0]);
    await tab.askedBy(() => compare.check());
    expect(await changes.count()).toBe(2);
  });
});

it('labels both scales of the chart, and has the same numbers as a table', async () => {
  const labels = await tab.place('chart').locator('svg[viewBox] text').allTextContents();
  expect(labels).toEqual(expect.arrayContaining(['USD', 'calls', '0.00', '31 Jan']));
  await button('Table').click();
  expect(await tab.page.getByRole('slider', { name: 'Day of the chart' }).isVisible()).toBe(false);
  const [today] = await tab.place('chart-table').locator('tbody tr').allInnerTexts();
  const grossRevenue = await tab.place('figures').locator('.revenue .money').first().innerText();
  expect(today).toContain(`31 Jan 2026, so far\t${grossRevenue}`);
  await tab.picture('chart-table');
  await button('Chart').click();
});

describe('what is copied', () => {
  it('is exact', async () => {
    await tab.page.evaluate(() => getSelection()!.selectAllChildren(document.querySelector('.revenue .money')!));
    await tab.page.keyboard.press('Control+c');
    expect(await clipboard()).toMatch(/^\d+\.\d{6}$/);
  });

  it('is a table where rows were selected', async () => {
    await tab.page.evaluate(() => getSelection()!.selectAllChildren(document.getElementById('endpoint-rows')!));
    await tab.page.keyboard.press('Control+c');
    const rows = (await clipboard()).split('\n').map((row) => row.split('\t'));
    expect(rows).toHaveLength(5);
    expect(rows[0]!.slice(0, 3)).toEqual(['habits/analyze', expect.stringMatching(/%$/), '0.050000']);
  });
});

describe('a refresh', () => {
  it('comes every 15 seconds, and touches only what has changed', async () => {
    tab.business = aBusiness();
    await tab.askedBy(() => button('Refresh').click());
    await tab.page.evaluate(() => {
      const touched: string[] = [];
      const all = { subtree: true, childList: true, characterData: true, attributes: true } as const;
      new MutationObserver((changes) => {
        for (const { target } of changes) touched.push(target.textContent ?? '');
      }).observe(document.getElementById('numbers')!, all);
      Object.assign(window, { touched });
    });
    const touched = () => tab.page.evaluate(() => (window as unknown as { touched: string[] }).touched.splice(0));

    await tab.askedBy(() => tab.passMs(30_000));
    expect(await touched()).toEqual([]);

    tab.business.settlement = { ...tab.business.settlement, settled: 5123 };
    await tab.askedBy(() => tab.passMs(30_000));
    expect(await touched()).toEqual(['5\u202f123']);
  });

  it('does not move focus or scroll position', async () => {
    const row = tab.place('payment-rows').locator('tr').nth(20).getByRole('button').first();
    await row.focus();
    await row.evaluate((element) => element.scrollIntoView());
    const position = () => tab.page.evaluate(() => [scrollY, document.activeElement!.textContent]);
    const before = await position();
    tab.business.callsOn = () => 77;
    await tab.askedBy(() => tab.passMs(30_000));
    expect(await position()).toEqual(before);
  });
});

it('sends requests to its own origin alone, and only for the numbers', () => {
  const { url } = operator.running;
  const others = tab.requested.filter((address) => !address.startsWith(`${url}/v1/admin/revenue/`));
  expect(others.filter((address) => !/^(blob|data):/.test(address))).toEqual([`${url}/dashboard`]);
  expect(tab.complaints).toEqual([]);
});
