import { text } from 'node:stream/consumers';
import { eventually } from '@evenkeel/platform/testing';
import type { Locator } from 'playwright-core';
import { aPayment, aBusiness } from './revenue-answers.fixture';
import { OperatorBrowser, type OperatorTab } from './operator-browser.fixture';

// For a browser on a busy machine.
jest.setTimeout(60_000);

let operator: OperatorBrowser;
let tab: OperatorTab;
beforeAll(async () => {
  operator = await OperatorBrowser.start();
  tab = await operator.openNumbers({ permissions: ['clipboard-read', 'clipboard-write'] });
}, 120_000);
afterAll(() => operator?.close());

const place = (id: string): Locator => tab.page.locator(`#${id}`);
const button = (name: string | RegExp): Locator => tab.page.getByRole('button', { name });
const clipboard = () => tab.page.evaluate(() => navigator.clipboard.readText());
/** Reads since then, once there are some. */
async function askedBy(act: () => Promise<void>): Promise<string[]> {
  const before = tab.asked.length;
  await act();
  await eventually(() => tab.asked.length > before);
  await eventually(async () => (await tab.page.locator('button[aria-busy=true]').count()) === 0);
  return tab.asked.slice(before);
}

it('answers the first two questions without scrolling', async () => {
  for (const id of ['health', 'figures', 'chart']) {
    const box = await place(id).boundingBox();
    expect([id, box!.y + box!.height <= 800]).toEqual([id, true]);
  }
  expect(await tab.page.getByRole('status').innerText()).toBe('2 payments wait for settlement, oldest 4 min.');
  await tab.picture('numbers');
});

it('shows three periods, each with its change as text', async () => {
  const cards = await place('figures').locator('.card').allInnerTexts();
  expect(cards.map((card) => card.split('\n')[0])).toEqual(['Today', '28 days', 'All time']);
  expect(cards[0]).toMatch(/31 Jan 2026, so far[^]*↓ \d+\u202f% less than yesterday up to this time/);
  expect(cards[1]).toMatch(/4 Jan to 31 Jan 2026[^]*↑ \d+\u202f% more than the 27 days before/);
  expect(cards[2]).toMatch(/since 2 Nov 2025[^]*nothing to compare/);
});

it('gives every amount rounded, with the exact one in its title', async () => {
  const amounts = await tab.page
    .locator('.money')
    .evaluateAll((all) =>
      all.map((amount) => [amount.textContent.replace(/\u202f/g, ''), (amount as HTMLElement).title]),
    );
  expect(amounts.length).toBeGreaterThan(50);
  for (const [shown, title] of amounts) {
    expect(title).toMatch(/^\d+\.\d{6} USD$/);
    expect(Math.abs(Number(shown) - parseFloat(title!))).toBeLessThanOrEqual(0.005);
    expect(shown).toMatch(/^\d+\.\d\d$/);
  }
});

it('always lists five endpoints, also without a call', async () => {
  const rows = await place('endpoint-rows').locator('tr').allInnerTexts();
  expect(rows).toHaveLength(5);
  expect(rows[2]).toMatch(/habits\/insights[^]*0\.0\u202f%[^]*0\.00[^]*–$/);
});

describe('the period', () => {
  it('is in the address, and everything follows it', async () => {
    const asked = await askedBy(() => tab.page.getByRole('link', { name: '7 days', exact: true }).click());
    expect(new URL(tab.page.url()).hash).toBe('#days=7');
    for (const name of ['summary', 'endpoints', 'timeseries']) {
      expect(asked).toContain(`/v1/admin/revenue/${name}?days=7&compare=previous`);
    }
    expect(await place('figures').innerText()).toContain('7 days');
    expect(await place('chart').locator('rect.bar').count()).toBe(8);
  });

  it('goes back with the browser', async () => {
    await askedBy(async () => void (await tab.page.goBack()));
    expect(await place('figures').innerText()).toContain('28 days');
  });

  it('need not be compared', async () => {
    const compare = tab.page.getByRole('switch', { name: 'Compare' });
    const asked = await askedBy(() => compare.uncheck());
    expect(asked).toContain('/v1/admin/revenue/summary?days=28');
    expect(new URL(tab.page.url()).hash).toBe('#days=28&compare=off');
    expect(await tab.page.getByText(/more than/).count()).toBe(0);
    await askedBy(() => compare.check());
    expect(await tab.page.getByText(/more than/).count()).toBe(2);
  });
});

describe('the chart', () => {
  const slider = () => tab.page.getByRole('slider', { name: 'Day of the chart' });
  const readout = () => tab.page.locator('.readout').innerText();

  it('hatches today, and labels both scales', async () => {
    expect(await place('chart').locator('rect.so-far').count()).toBe(1);
    const labels = await place('chart').locator('svg[viewBox] text').allTextContents();
    expect(labels).toEqual(expect.arrayContaining(['USD', 'calls', '0.00', '31 Jan']));
  });

  it('moves one cursor with the arrow keys', async () => {
    await slider().focus();
    expect(await slider().getAttribute('aria-valuetext')).toMatch(/^31 Jan 2026, so far: revenue \d+\.\d\d USD/);
    await tab.page.keyboard.press('ArrowLeft');
    expect(await readout()).toContain('30 Jan 2026');
    expect(await slider().getAttribute('aria-valuetext')).toMatch(/^30 Jan 2026: revenue/);
    await tab.page.keyboard.press('Home');
    expect(await readout()).toContain('4 Jan 2026');
    expect(await slider().getAttribute('aria-valuenow')).toBe('1');
  });

  it('and with the pointer', async () => {
    const { x, y, width } = (await slider().boundingBox())!;
    await tab.page.mouse.move(x + width / 2, y + 60);
    expect(await readout()).toMatch(/1[78] Jan 2026/);
  });

  it('is a table too, with the same numbers', async () => {
    expect(await place('chart-table').locator('tbody tr').count()).toBe(28);
    await button('Table').click();
    expect(await slider().isVisible()).toBe(false);
    const [today] = await place('chart-table').locator('tbody tr').allInnerTexts();
    const grossRevenue = await place('figures').locator('.revenue .money').first().innerText();
    expect(today).toContain(`31 Jan 2026, so far\t${grossRevenue}`);
    await tab.picture('chart-table');
    await button('Chart').click();
    expect(await slider().isVisible()).toBe(true);
  });
});

describe('the payments', () => {
  const rows = () => place('payment-rows').locator('tr');

  it('are filtered by what became of them', async () => {
    await askedBy(() => tab.page.getByRole('radio', { name: 'Waiting' }).check());
    expect(await rows().count()).toBe(2);
    expect(await rows().locator('.chip').allInnerTexts()).toEqual(['Waiting', 'Waiting']);
    expect(new URL(tab.page.url()).hash).toBe('#days=28&status=settlement_pending');
    await askedBy(() => tab.page.getByRole('radio', { name: 'All' }).check());
    expect(await rows().count()).toBe(25);
  });

  it('are found by what an agent tells of one, until the box is emptied', async () => {
    const { id, request_id: request, transaction_hash: transaction } = tab.business.payments[7]!;
    const box = tab.page.getByRole('searchbox', { name: 'Find payments' });
    for (const told of [id, transaction!, request]) {
      await box.fill(` ${told} `);
      await askedBy(() => box.press('Enter'));
      expect(await rows().count()).toBe(1);
      expect(new URLSearchParams(new URL(tab.page.url()).hash.slice(1)).get('q')).toBe(told);
    }
    await box.fill('nothing of ours');
    await askedBy(() => button('Find').click());
    expect(await rows().allInnerTexts()).toEqual([expect.stringContaining('No payment of this kind.')]);
    await box.fill('');
    await askedBy(() => button('Find').click());
    expect(await rows().count()).toBe(25);
    expect(new URL(tab.page.url()).hash).toBe('#days=28');
  });

  it.each([
    ['an endpoint', 'endpoint-rows', 'endpoint', (): string => tab.business.payments[0]!.endpoint],
    ['a customer', 'customer-rows', 'wallet', (): string => tab.business.payments[0]!.payer],
    ['a day of the chart', 'chart', 'day', (): string => '2026-01-31'],
  ] as const)('are what the number of %s leads to', async (_, from, filter, wanted) => {
    if (from === 'chart') await tab.page.getByRole('slider', { name: 'Day of the chart' }).press('End');
    const link = place(from).locator(`a[href*="${filter}=${encodeURIComponent(wanted())}"]`);
    const asked = await askedBy(() => link.first().click());
    const query = new URLSearchParams({ limit: '25', [filter]: wanted() });
    expect(asked).toContain(`/v1/admin/revenue/payments?${query.toString()}`);
    expect(await place('payments-title').evaluate((title) => title === document.activeElement)).toBe(true);
    await askedBy(() => button(/^No longer only/).click());
    expect(await rows().count()).toBe(25);
  });

  it('lead to the block explorer, without a referrer', async () => {
    const link = rows().first().getByRole('link');
    expect(await link.getAttribute('href')).toMatch(/^https:\/\/basescan\.org\/tx\/0x[0-9a-f]{64}$/);
    expect(await link.getAttribute('rel')).toBe('noreferrer');
  });

  it('show the whole payer on focus, and copy it', async () => {
    const { payer } = tab.business.payments[0]!;
    const copy = rows()
      .first()
      .getByRole('button', { name: `Copy ${payer}` });
    const full = rows().first().locator('.full');
    expect((await full.boundingBox())!.width).toBeLessThan(2);
    await tab.page.keyboard.press('Tab');
    await copy.focus();
    expect((await full.boundingBox())!.width).toBeGreaterThan(200);
    await copy.press('Enter');
    await eventually(async () => (await full.innerText()) === 'Copied');
    expect(await clipboard()).toBe(payer);
    await tab.passMs(1_500);
    expect(await full.innerText()).toBe(payer);
  });

  it('come as a file', async () => {
    const [download] = await Promise.all([tab.page.waitForEvent('download'), button(/^CSV of the payments/).click()]);
    expect(download.suggestedFilename()).toBe('evenkeel-payments-2026-01-04-2026-01-31.csv');
    expect(await text(await download.createReadStream())).toBe('id,amount_usd\r\n');
    expect(tab.asked.at(-1)).toBe('/v1/admin/revenue/payments.csv?days=28');
  });

  it('continue below, and stay when new ones come in above', async () => {
    await button('Load more').click();
    await eventually(async () => (await rows().count()) === 50);
    expect(tab.asked.at(-1)).toBe('/v1/admin/revenue/payments?limit=25&cursor=25');
    await button('Load more').click();
    await eventually(async () => (await rows().count()) === 60);
    expect(await button('Load more').count()).toBe(0);

    tab.business.payments.unshift(aPayment(-1));
    const asked = await askedBy(() => button('Refresh').click());
    expect(asked).toContain('/v1/admin/revenue/payments?limit=60');
    expect(await rows().count()).toBe(61);
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
    tab.business = aBusiness();
    await askedBy(() => button('Refresh').click());
    await tab.page.evaluate(() => {
      const touched: string[] = [];
      const all = { subtree: true, childList: true, characterData: true, attributes: true } as const;
      new MutationObserver((changes) => {
        for (const { target } of changes) touched.push(target.textContent ?? '');
      }).observe(document.getElementById('numbers')!, all);
      Object.assign(window, { touched });
    });
    const touched = () => tab.page.evaluate(() => (window as unknown as { touched: string[] }).touched.splice(0));

    await askedBy(() => tab.passMs(15_000));
    expect(await touched()).toEqual([]);

    tab.business.settlement = { ...tab.business.settlement, settled: 5123 };
    await askedBy(() => tab.passMs(15_000));
    expect(await touched()).toEqual(['5\u202f123']);
  });

  it('does not move focus or scroll position', async () => {
    const row = place('payment-rows').locator('tr').nth(20).getByRole('button');
    await row.focus();
    await row.evaluate((element) => element.scrollIntoView());
    const position = () => tab.page.evaluate(() => [scrollY, document.activeElement!.textContent]);
    const before = await position();
    tab.business.callsOn = () => 77;
    await askedBy(() => tab.passMs(15_000));
    expect(await position()).toEqual(before);
  });
});

it('sends requests to its own origin alone, and only for the numbers', () => {
  const { url } = operator.running;
  const others = tab.requested.filter((address) => !address.startsWith(`${url}/v1/admin/revenue/`));
  expect(others.filter((address) => !/^(blob|data):/.test(address))).toEqual([`${url}/dashboard`]);
  expect(tab.complaints).toEqual([]);
});
