import { eventually } from '@evenkeel/platform/testing';
import type { Locator } from 'playwright-core';
import { eventsOf, history } from '../projection/history.fixture';
import { aCall } from './business.fixture';
import { operatorBrowser, REVENUE, textsOf, type OperatorTab } from './operator-browser.fixture';

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
  expect(await tab.page.getByRole('status').innerText()).toMatch(/^2 payments wait for settlement, oldest 4 min\./);
  await tab.picture('numbers');
});

it('shows three periods, each with its change as text and both ranges of it', async () => {
  const cards = await cardTexts();
  expect(cards.map((card) => card.split('\n')[0])).toEqual(['Today', '28 days', 'All time']);
  expect(cards[0]).toMatch(
    /10 Feb 2026, so far[^]*↑ \d+\u202f% more than Tuesday a week before\n10 Feb and 3 Feb, both until 14:02 UTC/,
  );
  expect(cards[1]).toMatch(/14 Jan to 10 Feb 2026[^]*↑ \d+\u202f% more than the same 28 weekdays before/);
  expect(cards[1]).toContain('14 Jan to 10 Feb 2026 and 17 Dec 2025 to 13 Jan 2026');
  expect(cards[2]).toMatch(/since 12 Nov 2025/);
  for (const card of cards) expect(card).toMatch(/Margin, USD\s+\S+ 99\.\d\u202f%\s+Cost, USD\s+\S+ 0\.\d\u202f%/);
});

it('gives every amount rounded, small ones with all their digits, with the exact one in its title', async () => {
  const amounts = await tab.page
    .locator('.money')
    .evaluateAll((all) =>
      all.map((amount) => [amount.textContent.replace(/\u202f/g, ''), (amount as HTMLElement).title]),
    );
  expect(amounts.length).toBeGreaterThan(50);
  for (const [shown, title] of amounts) {
    expect(title).toMatch(/^-?\d+\.\d{6} USD$/);
    const isSmall = Math.abs(parseFloat(title!)) < 0.1;
    expect(Math.abs(Number(shown!.replace('\u2212', '-')) - parseFloat(title!))).toBeLessThanOrEqual(
      isSmall ? 0 : 0.005,
    );
  }
});

it('always lists five endpoints, also without a call', async () => {
  const rows = await textsOf(tab.place('endpoint-rows').locator('tr'));
  expect([rows.length, rows[2]]).toEqual([5, expect.stringMatching(/^habits\/insights 0\.0 % .* 0\.00 –$/)]);
});

it('shows MRR, its movements, plans, standing and invoices of subscriptions', async () => {
  const section = tab.page.locator('[data-section=subscriptions]');
  const said = (await section.innerText()).replace(/[\u202f\s]+/g, ' ');
  expect(said).toMatch(/12\.99 USD a month nothing to compare Start/);
  expect(said).toMatch(
    /Start 0\.00 New \+15\.98 Reactivation 0\.00 Expansion 0\.00 Contraction −2\.99 Churn 0\.00 End/i,
  );
  expect(said).toMatch(/Premium monthly 1 7\.99 Premium yearly 1 5\.00 .*All plans 2 12\.99/);
  expect(said).toMatch(/Active 1 Past due 1 In a trial 1 Will end 1 Granted 1/);
  expect(said).toMatch(
    /Paid 2 Gross, USD 15\.98 Tax, USD 1\.28 Refunded, USD 2\.00 Disputed, USD 0\.00 Net, USD 12\.70/,
  );
  expect(tab.asked).toContain(`${REVENUE}/subscriptions?days=28&compare=previous`);
});

it('leads what is owed in call credits from the opening to the closing of the period', async () => {
  expect((await tab.rowsOf('credits')).slice(0, 5)).toEqual([
    'Opening, 14 Jan 3 0.30',
    '+Issued 2 0.20',
    '−Redeemed 1 0.10',
    '−Expired 1 0.10',
    'Closing, 10 Feb, so far 3 0.30',
  ]);
  expect(await tab.place('credits').innerText()).toContain('calls for 0.05 USD, and 0.05 USD of change');
});

describe('the period', () => {
  const period = (name: string) => tab.page.getByRole('link', { name, exact: true }).click();
  const hash = () => new URL(tab.page.url()).hash;

  it.each([
    ['7 days', '#days=7', '4 Feb to 10 Feb 2026'],
    ['This month', '#month=2026-02', '1 Feb to 10 Feb 2026'],
    ['Last month', '#month=2026-01', '1 Jan to 31 Jan 2026'],
  ])('is in the address, and everything follows it: %s', async (name, address, days) => {
    const asked = await tab.askedBy(() => period(name));
    expect(hash()).toBe(address);
    for (const read of ['summary', 'endpoints', 'timeseries']) {
      const question = `${REVENUE}/${read}?${address.slice(1)}&compare=previous`;
      expect(asked).toContainEqual(expect.stringContaining(question));
    }
    expect((await cardTexts())[1]).toContain(days);
    expect(await tab.page.getByRole('link', { name, exact: true }).getAttribute('aria-current')).toBe('true');
  });

  it('may be any days, which its button shows', async () => {
    await tab.page.getByLabel('Any range of days').click();
    await tab.page.getByLabel('From').fill('2025-11-13');
    await tab.page.getByLabel('To', { exact: true }).fill('2025-12-24');
    await tab.askedBy(() => button('Show these days').click());
    expect(hash()).toBe('#from=2025-11-13&to=2025-12-24');
    expect((await cardTexts())[1]).toMatch(/^42 days\s+13 Nov to 24 Dec 2025/);
    await button(/^13 Nov to 24 Dec 2025$/).waitFor();
    expect(await button('Show these days').isVisible()).toBe(false);
    expect((await tab.rowsOf('credits')).at(-1)).toBe('Closing, 24 Dec 0 0.00');
  });

  it.each([
    ['that end before they begin', '2025-12-24', '2025-11-13'],
    ['of more than three years', '2020-01-01', '2025-11-13'],
    ['of another century', '1999-12-31', '2000-01-02'],
  ])('may not be days %s, which is said where they are chosen', async (_, from, to) => {
    await button(/^13 Nov to 24 Dec 2025$/).click();
    await tab.page.getByLabel('From').fill(from);
    const last = tab.page.getByLabel('To', { exact: true });
    await last.fill(to);
    await button('Show these days').click();
    expect(await last.evaluate((input: HTMLInputElement) => input.validationMessage)).toBe(
      'From 2000 on, not before the first day, and at most 1,100 days after it.',
    );
    expect(hash()).toBe('#from=2025-11-13&to=2025-12-24');
    await tab.page.keyboard.press('Escape');
  });

  it('counts payments by their settlement when that is chosen', async () => {
    const asked = await tab.askedBy(() => tab.page.getByRole('radio', { name: 'By settlement' }).check());
    expect(hash()).toBe('#from=2025-11-13&to=2025-12-24&basis=settlement');
    const query = 'from=2025-11-13&to=2025-12-24&basis=settlement&compare=previous';
    for (const name of ['summary', 'endpoints', 'timeseries']) {
      expect(asked).toContainEqual(expect.stringContaining(`${REVENUE}/${name}?${query}`));
    }
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
    expect(asked).toContain(`${REVENUE}/summary?days=28`);
    expect([hash(), await changes.count()]).toEqual(['#days=28&compare=off', 0]);
    await tab.askedBy(() => compare.check());
    expect(await changes.count()).toBeGreaterThan(1);
  });
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

    // Of no period that is shown, and nobody has paid.
    const refused = aCall(60 * 86_400_000, 0, { states: ['settlement_failed'], served: false });
    await operator.reporting.publish(...eventsOf(history(refused)));
    await tab.askedBy(() => tab.passMs(30_000));
    await eventually(async () => expect(await touched()).toEqual(['2']));
  });

  it('does not move focus or scroll position', async () => {
    const row = tab.place('payment-rows').locator('tr').nth(20).getByRole('button').first();
    await row.focus();
    await row.evaluate((element) => element.scrollIntoView());
    const position = () => tab.page.evaluate(() => [scrollY, document.activeElement!.textContent]);
    const before = await position();
    await operator.reporting.publish(...eventsOf(history(aCall(40 * 86_400_000))));
    await tab.askedBy(() => tab.passMs(30_000));
    expect(await position()).toEqual(before);
  });
});

it('sends requests to its own origin alone, and only for the numbers', () => {
  const { url } = operator.reporting.running;
  const others = tab.requested.filter((address) => !address.startsWith(`${url}${REVENUE}/`));
  expect(others.filter((address) => !/^(blob|data):/.test(address))).toEqual([`${url}/dashboard`]);
  expect(tab.complaints).toEqual([]);
});
