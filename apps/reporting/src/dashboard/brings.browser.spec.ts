import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import { overflowOf } from './layout.fixture';
import { OperatorBrowser, type OperatorTab, PHONE, textsOf } from './operator-browser.fixture';

// For a browser on a busy machine.
jest.setTimeout(90_000);

let operator: OperatorBrowser;
let tab: OperatorTab;
beforeAll(async () => (operator = await OperatorBrowser.start()), 120_000);
afterEach(() => tab.close());
afterAll(() => operator?.close());

describe('endpoints', () => {
  it('lead to the payments of the period, and compare its complete days', async () => {
    tab = await operator.openNumbers({ hash: '#days=7' });
    const row = tab.place('endpoint-rows').locator('tr').first();
    expect(await row.locator('.change').innerText()).toMatch(/^↑ \d+\u202f% more$/);
    await row.getByRole('link').click();
    await eventually(() => expect(tab.settings.get('within')).toBe('2026-01-25/2026-01-31'));
    expect([tab.settings.get('endpoint'), tab.settings.get('status')]).toEqual(['/agent/v1/habits/analyze', 'settled']);
  });
});

describe('customers', () => {
  const rows = () => tab.place('customer-rows').locator('tr');
  const head = (name: string) => tab.page.locator('.customers thead').getByRole('button', { name });

  it('are those who paid in the period, with what they spent in it and how that changed', async () => {
    tab = await operator.openNumbers();
    await tab.isAsked('customers?limit=10&days=28&compare=previous&sort=lifetime_spend');
    expect(await tab.place('customers-period').innerText()).toBe('Who paid: 4 Jan to 31 Jan 2026');
    expect(await rows().count()).toBe(10);
    const [first, , third] = await textsOf(rows());
    expect(first).toMatch(/^1 Copy 0x.* Tier 2 1\.55 ↑ 40 % more 31 134\.05 2 681 9 3 Nov 2025 31 Jan 14:02/);
    expect(third).toContain('4.65 none before');
  });

  it.each([
    ['In period, USD', 'window_spend'],
    ['Paid calls', 'paid_calls'],
    ['Last payment, UTC', 'last_payment'],
  ])('are sorted by %s, which the address keeps', async (name, sort) => {
    tab = await operator.openNumbers();
    await head(name).click();
    await tab.isAsked(`customers?limit=10&days=28&compare=previous&sort=${sort}`);
    expect(tab.settings.get('sort')).toBe(sort);
    const sorted = tab.page.locator('.customers thead').locator('[aria-sort]');
    await eventually(async () => expect(await textsOf(sorted)).toEqual([`${name} ↓`]));
    expect(await sorted.getAttribute('aria-sort')).toBe('descending');
    await head('Lifetime, USD').click();
    await eventually(() => expect(tab.settings.has('sort')).toBe(false));
  });

  it('are found by who fell, which no column says', async () => {
    tab = await operator.openNumbers();
    await tab.page.getByLabel('Sort by').selectOption('Fall since before');
    await tab.isAsked('customers?limit=10&days=28&compare=previous&sort=window_fall');
  });

  it('go on behind the first ones, and stay when the numbers come anew', async () => {
    tab = await operator.openNumbers();
    const more = tab.page.getByRole('button', { name: 'More customers' });
    await more.click();
    await eventually(async () => expect(await rows().count()).toBe(35));
    await more.click();
    await eventually(async () => expect(await rows().count()).toBe(43));
    expect(await more.count()).toBe(0);
    expect((await textsOf(rows())).map((text) => Number(text.split(' ')[0]))).toEqual(
      Array.from({ length: 43 }, (_, index) => index + 1),
    );
    await tab.page.getByRole('button', { name: 'Refresh' }).click();
    await tab.isAsked('customers?limit=43&days=28&compare=previous&sort=lifetime_spend');
    expect(await rows().count()).toBe(43);
  });

  it('say why there are no more of them, and can be asked again', async () => {
    tab = await operator.openNumbers();
    tab.refusal = { status: 503 };
    const more = tab.page.getByRole('button', { name: 'More customers' });
    await more.click();
    await tab.place('customers-more').getByText('Not loaded: the service answered 503.').waitFor();
    tab.refusal = undefined;
    await more.click();
    await eventually(async () => expect(await rows().count()).toBe(35));
    expect(await tab.place('customers-more').getByText('Not loaded').count()).toBe(0);
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

  it('are sorted on a phone as well, where rows have no head', async () => {
    tab = await operator.openNumbers({ viewport: PHONE });
    await tab.page.getByLabel('Sort by').selectOption('Last payment');
    await eventually(() => expect(tab.settings.get('sort')).toBe('last_payment'));
    expect(await head('Paid calls').isVisible()).toBe(false);
    expect(await textsOf(rows().first().locator('td.spend'))).toEqual([expect.stringMatching(/^[\d.]+ /)]);
  });
});

describe('who comes back', () => {
  const cells = (row: number) => tab.place('cohorts').locator('tbody tr').nth(row).locator('td.age > span');

  it('is a table with a number in each cell, and darker where more came back', async () => {
    tab = await operator.openNumbers();
    await tab.isAsked('cohorts?months=12');
    expect(
      await tab
        .place('cohorts')
        .getByRole('table', { name: /^Wallets by the month/ })
        .count(),
    ).toBe(1);
    expect(await textsOf(tab.place('cohorts').locator('thead th:not(.age)'))).toEqual([
      'First paid',
      'Wallets',
      'Revenue, USD',
    ]);
    const values = (await textsOf(cells(0))).map(Number);
    const shades = await cells(0).evaluateAll((all) => all.map((cell) => Number(cell.getAttribute('data-shade'))));
    expect(values).toHaveLength(10);
    for (const [index, value] of values.entries()) expect(shades[index]).toBe(1 + Math.floor(value / 20));
    const grounds = await cells(0).evaluateAll((all) => all.map((cell) => getComputedStyle(cell).backgroundColor));
    expect(new Set(grounds).size).toBe(new Set(shades).size);
    expect(await cells(0).first().getAttribute('title')).toMatch(
      /^Apr 2025: \d+ of 30 wallets, \d+ calls, [\d.]+ USD$/,
    );
    // The month that is not over is marked, in every row.
    expect(await cells(0).last().getAttribute('data-so-far')).toBe('true');
    expect(await tab.place('cohorts').locator('[data-so-far]').count()).toBe(10);
  });

  it('is about the period, and the year before its end', async () => {
    tab = await operator.openNumbers({ hash: '#month=2025-12' });
    await tab.isAsked('cohorts?from=2025-01-01&to=2025-12-01');
    const rows = await textsOf(tab.place('cohorts').locator('tbody tr'));
    expect([rows.length, rows.at(-1)]).toEqual([10, expect.stringMatching(/^Dec 2025 /)]);
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

describe('what is owed in call credits', () => {
  it('leads from the opening to the closing of the period, without what has expired', async () => {
    tab = await operator.openNumbers();
    await tab.isAsked('credits?days=28');
    const rows = await textsOf(tab.place('credits').locator('tbody tr'));
    expect(rows).toEqual([
      'Opening, 4 Jan 6 0.60',
      '+Issued 17 1.70',
      '−Redeemed 9 0.90',
      '−Expired 3 0.30',
      'Closing, 31 Jan, so far 11 1.10',
    ]);
    const exact = await tab
      .place('credits')
      .locator('.money')
      .evaluateAll((all) => all.map((amount) => amount.getAttribute('data-exact')!));
    const [opening, issued, redeemed, expired, closing] = exact.map((text) => BigInt(text.replace('.', ''))) as [
      bigint,
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    expect(closing).toBe(opening + issued - redeemed - expired);
    expect(await tab.place('credits').innerText()).toContain('calls for 0.45 USD, and 0.45 USD of change');
  });

  it('has a closing that is final where the period is over', async () => {
    tab = await operator.openNumbers({ hash: '#month=2025-12' });
    await tab.isAsked('credits?month=2025-12');
    expect((await textsOf(tab.place('credits').locator('tbody tr'))).at(-1)).toBe('Closing, 31 Dec 11 1.10');
  });
});

const LOOKS: ['light' | 'dark', string, typeof PHONE | undefined][] = [
  ['light', '#days=364&table=on', PHONE],
  ['light', '#days=1', undefined],
  ['dark', '#days=364', undefined],
  ['dark', '#days=91', PHONE],
];

it.each(sized(LOOKS.slice(0, 1), LOOKS))(
  'has nothing that axe objects to: %s, %s, %j',
  async (colorScheme, address, viewport) => {
    tab = await operator.openNumbers({ colorScheme, hash: address, ...(viewport && { viewport }) });
    await tab.place('cohorts').locator('table').waitFor();
    for (const part of ['timeseries', 'customers', 'cohorts', 'credits']) {
      expect([part, await accessibilityFaults(tab.page, `[data-section=${part}]`)]).toEqual([part, []]);
    }
    await tab.picture(`brings-${colorScheme}-${address.replace(/\W/g, '-')}-${viewport ? 'phone' : 'desk'}`);
  },
);

it('says so where nobody has paid in the period', async () => {
  tab = await operator.open();
  tab.business.wallets = [];
  await tab.signIn();
  await tab.page.locator('.chip').first().waitFor();
  await tab.place('customer-rows').getByText('Nobody paid in this period.').waitFor();
  await tab.place('cohorts').getByText('Nobody paid for the first time in these months.').waitFor();
  await tab.isCalm();
  expect((await textsOf(tab.place('credits').locator('tbody tr'))).at(-1)).toContain('0 0.00');
});
