import { eventually } from '@evenkeel/platform/testing';
import { overflowOf } from './layout.fixture';
import { operatorBrowser, type OperatorTab, PHONE, textsOf } from './operator-browser.fixture';

const operator = operatorBrowser();
let tab: OperatorTab;

it('endpoints lead to the payments of the period, and compare its complete days', async () => {
  tab = await operator.openNumbers({ hash: '#days=7' });
  const row = tab.place('endpoint-rows').locator('tr').first();
  expect(await row.locator('.change').innerText()).toMatch(/^↑ \d+\u202f% more$/);
  await row.getByRole('link').click();
  await eventually(() => expect(tab.settings.get('within')).toBe('2026-01-25/2026-01-31'));
  expect([tab.settings.get('endpoint'), tab.settings.get('status')]).toEqual(['/agent/v1/habits/analyze', 'settled']);
});

describe('customers', () => {
  const rows = () => tab.place('customer-rows').locator('tr');
  const head = () => tab.page.locator('.customers thead');
  const isAsked = (sort: string, limit = 10) =>
    tab.isAsked(`customers?limit=${limit}&days=28&compare=previous&sort=${sort}`);

  it('are those who paid in the period, with what they spent in it and how that changed', async () => {
    tab = await operator.openNumbers();
    await isAsked('lifetime_spend');
    expect(await tab.place('customers-period').innerText()).toBe('Who paid: 4 Jan to 31 Jan 2026');
    expect(await rows().count()).toBe(10);
    const [first, , third] = await textsOf(rows());
    expect(first).toMatch(/^1 Copy 0x.* Tier 2 1\.55 ↑ 40 % more 31 134\.05 2 681 9 3 Nov 2025 31 Jan 14:02/);
    expect(third).toContain('4.65 none before');
  });

  it('are sorted by a column or another order, which the address keeps, on a phone as well', async () => {
    tab = await operator.openNumbers();
    await head().getByRole('button', { name: 'In period, USD' }).click();
    await isAsked('window_spend');
    expect(tab.settings.get('sort')).toBe('window_spend');
    const sorted = head().locator('[aria-sort=descending]');
    await eventually(async () => expect(await textsOf(sorted)).toEqual(['In period, USD ↓']));
    await head().getByRole('button', { name: 'Lifetime, USD' }).click();
    await eventually(() => expect(tab.settings.has('sort')).toBe(false));
    await tab.page.setViewportSize(PHONE);
    await tab.page.getByLabel('Sort by').selectOption('Fall since before');
    await isAsked('window_fall');
    expect(await textsOf(rows().first().locator('td.spend'))).toEqual([expect.stringMatching(/^[\d.]+ /)]);
  });

  it('go on behind the first ones, say why they do not, and stay when the numbers come anew', async () => {
    tab = await operator.openNumbers();
    const more = tab.page.getByRole('button', { name: 'More customers' });
    tab.refusal = { status: 503 };
    await more.click();
    await tab.place('customers-more').getByText('Not loaded: the service answered 503.').waitFor();
    tab.refusal = undefined;
    await more.click();
    await eventually(async () => expect(await rows().count()).toBe(35));
    expect(await tab.place('customers-more').getByText('Not loaded').count()).toBe(0);
    await more.click();
    await eventually(async () => expect(await rows().count()).toBe(43));
    expect(await more.count()).toBe(0);
    expect((await textsOf(rows())).map((text) => Number(text.split(' ')[0]))).toEqual(
      Array.from({ length: 43 }, (_, index) => index + 1),
    );
    await tab.page.getByRole('button', { name: 'Refresh' }).click();
    await isAsked('lifetime_spend', 43);
    expect(await rows().count()).toBe(43);
  });

  it('lead to their payments of the period, and to all of them', async () => {
    tab = await operator.openNumbers();
    const wallet = tab.business.wallets[0]!;
    await rows().first().getByRole('link', { name: '31 payments' }).click();
    await eventually(() => expect(tab.settings.get('wallet')).toBe(wallet));
    expect(tab.settings.get('within')).toBe('2026-01-04/2026-01-31');
    await rows().first().getByRole('link', { name: '2,681 payments' }).click();
    await eventually(() => expect(tab.settings.has('within')).toBe(false));
    expect([tab.settings.get('wallet'), tab.settings.get('status')]).toEqual([wallet, 'settled']);
  });
});

describe('who comes back', () => {
  const cells = (row: number) => tab.place('cohorts').locator('tbody tr').nth(row).locator('td.age > span');

  it('is a table with a number in each cell, and darker where more came back', async () => {
    tab = await operator.openNumbers();
    await tab.isAsked('cohorts?months=12');
    await tab
      .place('cohorts')
      .getByRole('table', { name: /^Wallets by the month/ })
      .waitFor();
    const values = (await textsOf(cells(0))).map(Number);
    const looks = await cells(0).evaluateAll((all) =>
      all.map((cell) => ({ shade: cell.dataset['shade'], ground: getComputedStyle(cell).backgroundColor })),
    );
    expect(values).toHaveLength(10);
    for (const [index, value] of values.entries()) {
      expect(looks[index]!.shade).toBe(String(value === 0 ? 0 : Math.min(5, 1 + Math.floor(value / 20))));
    }
    expect(new Set(looks.map(({ ground }) => ground)).size).toBe(new Set(looks.map(({ shade }) => shade)).size);
    const title = await cells(0).first().getAttribute('title');
    expect(title).toMatch(/^Apr 2025: \d+ of 30 wallets, \d+ calls, [\d.]+ USD$/);
    // The month that is not over is marked, in every row.
    expect(await cells(0).last().getAttribute('data-so-far')).toBe('true');
    expect(await tab.place('cohorts').locator('[data-so-far]').count()).toBe(10);
  });

  it('can be scrolled by the keyboard on a phone, and moves nothing else', async () => {
    tab = await operator.openNumbers({ viewport: PHONE });
    const region = tab.page.getByRole('region', { name: 'Months after the first payment' });
    await region.focus();
    await tab.page.keyboard.press('ArrowRight');
    await eventually(async () => expect(await region.evaluate((box) => box.scrollLeft)).toBeGreaterThan(0));
    expect(await overflowOf(tab.page)).toBe(0);
  });
});

it('what is owed in call credits leads from the opening to the closing of the period', async () => {
  tab = await operator.openNumbers();
  await tab.isAsked('credits?days=28');
  expect(await tab.rowsOf('credits')).toEqual([
    'Opening, 4 Jan 6 0.60',
    '+Issued 17 1.70',
    '−Redeemed 9 0.90',
    '−Expired 3 0.30',
    'Closing, 31 Jan, so far 11 1.10',
  ]);
  expect(await tab.place('credits').innerText()).toContain('calls for 0.45 USD, and 0.45 USD of change');
});

it('a month that is over has the cohorts of the year before its end, and a closing that is final', async () => {
  tab = await operator.openNumbers({ hash: '#month=2025-12' });
  await tab.isAsked('cohorts?from=2025-01-01&to=2025-12-01');
  await tab.isAsked('credits?month=2025-12');
  const months = await tab.rowsOf('cohorts');
  expect([months.length, months.at(-1)]).toEqual([10, expect.stringMatching(/^Dec 2025 /)]);
  expect((await tab.rowsOf('credits')).at(-1)).toBe('Closing, 31 Dec 11 1.10');
});

it('says so where nobody has paid in the period', async () => {
  tab = await operator.openNumbers({ business: { wallets: [] } });
  await tab.place('customer-rows').getByText('Nobody paid in this period.').waitFor();
  await tab.place('cohorts').getByText('Nobody paid for the first time in these months.').waitFor();
  expect((await tab.rowsOf('credits')).at(-1)).toContain('0 0.00');
});
