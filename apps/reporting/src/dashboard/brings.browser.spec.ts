import { eventually } from '@evenkeel/platform/testing';
import { PAYMENTS } from './business.fixture';
import { operatorBrowser, type OperatorTab, PHONE, textsOf, overflowOf } from './operator-browser.fixture';

const operator = operatorBrowser();
let tab: OperatorTab;

it('endpoints lead to the payments of the period, and compare its complete days', async () => {
  tab = await operator.openNumbers({ hash: '#days=28' });
  const row = tab.place('endpoint-rows').locator('tr').first();
  expect(await row.locator('.change').innerText()).toMatch(/^↑ .* (more|much)$/);
  await row.getByRole('link').click();
  await eventually(() => expect(tab.settings.get('within')).toBe('2026-01-14/2026-02-10'));
  expect([tab.settings.get('endpoint'), tab.settings.get('status')]).toEqual(['/agent/v1/habits/analyze', 'settled']);
});

describe('customers', () => {
  const rows = () => tab.place('customer-rows').locator('tr');
  const isAsked = (sort: string, limit = 10) =>
    tab.isAsked(`customers?limit=${limit}&days=28&compare=previous&sort=${sort}`);

  it('who paid in the period are sorted by an order that the address keeps', async () => {
    tab = await operator.openNumbers();
    await isAsked('lifetime_spend');
    expect(await tab.place('customers-period').innerText()).toBe('Who paid: 14 Jan to 10 Feb 2026');
    expect(await rows().count()).toBe(10);
    const sortBy = (order: string) => tab.page.getByLabel('Sort by').selectOption(order);
    await sortBy('Spend in the period');
    await isAsked('window_spend');
    expect(tab.settings.get('sort')).toBe('window_spend');
    await sortBy('Lifetime spend');
    await eventually(() => expect(tab.settings.has('sort')).toBe(false));
    await tab.page.setViewportSize(PHONE);
    await sortBy('Fall since before');
    await isAsked('window_fall');
    expect(await textsOf(rows().first().locator('td.spend'))).toEqual([expect.stringMatching(/^[\d.]+ ↓/)]);
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
    const texts = await textsOf(rows());
    expect(texts.map((text) => Number(text.split(' ')[0]))).toEqual(Array.from(texts, (_, index) => index + 1));
    expect(texts.filter((text) => text.includes('none before'))).toHaveLength(13);
    await tab.page.getByRole('button', { name: 'Refresh' }).click();
    await isAsked('lifetime_spend', 43);
    expect(await rows().count()).toBe(43);
  });

  it('lead to their payments of the period, and to all of them', async () => {
    tab = await operator.openNumbers();
    const links = rows().first().getByRole('link');
    await links.first().click();
    await eventually(() => expect(tab.settings.get('within')).toBe('2026-01-14/2026-02-10'));
    const wallet = tab.settings.get('wallet')!;
    expect(PAYMENTS.map((payment) => payment.wallet)).toContain(wallet.toLowerCase());
    await links.last().click();
    await eventually(() => expect(tab.settings.has('within')).toBe(false));
    expect([tab.settings.get('wallet'), tab.settings.get('status')]).toEqual([wallet, 'settled']);
  });
});

it('who comes back is a table with a number in each cell, darker where more did, and can be scrolled', async () => {
  tab = await operator.openNumbers({ viewport: PHONE });
  await tab.isAsked('cohorts?months=12');
  await tab.page.getByRole('table', { name: /^Wallets by the month/ }).waitFor();
  const rows = tab.place('cohorts').locator('tbody tr');
  expect(await textsOf(rows.locator('th'))).toEqual(['Nov 2025', 'Jan 2026']);
  const cells = rows.first().locator('td.age > span');
  const values = (await textsOf(cells)).map(Number);
  const shares = await cells.evaluateAll((all) => all.map((cell) => Number(cell.style.getPropertyValue('--share'))));
  expect([values, shares]).toEqual([values.map(() => 100), values]);
  expect(await cells.first().getAttribute('title')).toMatch(/^Dec 2025: 30 of 30 wallets, \d+ calls, [\d.]+ USD$/);
  // The month that is not over is marked, in every row.
  expect(await cells.last().getAttribute('data-so-far')).toBe('true');
  expect(await tab.place('cohorts').locator('[data-so-far]').count()).toBe(2);
  const region = tab.page.getByRole('region', { name: 'Months after the first payment' });
  await region.focus();
  expect(await overflowOf(tab.page)).toBe(0);
});

it('a month that is over has the cohorts of the year before its end', async () => {
  tab = await operator.openNumbers({ hash: '#month=2025-12' });
  await tab.isAsked('cohorts?from=2025-01-01&to=2025-12-01');
  await tab.isAsked('credits?month=2025-12');
  expect((await tab.rowsOf('cohorts')).map((text) => text.slice(0, 8))).toEqual(['Nov 2025']);
});

it('says so where nobody has paid in the period', async () => {
  tab = await operator.openNumbers({ hash: '#from=2025-10-01&to=2025-10-31&status=settlement_failed' });
  await tab.place('customer-rows').getByText('Nobody paid in this period.').waitFor();
  await tab.place('cohorts').getByText('Nobody paid for the first time in these months.').waitFor();
});

it('a number of calls leads to their payments while the days since the first one are few enough for a list', async () => {
  const since = (day: string) => ({
    summary: ({ all_time }: { all_time: object }) => ({ all_time: { ...all_time, since: day } }),
  });
  const linksOf = async (first: string) => {
    tab = await operator.openNumbers({ changes: since(first) });
    const card = tab.place('figures').locator('.card', { hasText: 'All time' });
    expect(await card.innerText()).toMatch(/Paid calls\s+\d/);
    return card.getByRole('link', { name: / payments?$/ }).count();
  };
  expect([await linksOf('2023-02-06'), await linksOf('2023-02-05')]).toEqual([1, 0]);
});
