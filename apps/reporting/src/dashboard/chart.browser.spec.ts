import { eventually } from '@evenkeel/platform/testing';
import { tap } from '@evenkeel/services/browser';
import { overflowOf } from './layout.fixture';
import { operatorBrowser, type OperatorTab, PHONE, textsOf } from './operator-browser.fixture';

const operator = operatorBrowser();
let tab: OperatorTab;

const slider = () => tab.place('chart').getByRole('slider');
const readout = async () => (await textsOf(tab.page.locator('.readout')))[0]!;
const bars = (kind: string) => tab.place('chart').locator(`.plot rect.${kind}`);

it('has the hours of today, with a place for those to come, and the present one hatched', async () => {
  tab = await operator.openNumbers({ hash: '#days=1' });
  await tab.isAsked('timeseries?days=1&compare=previous&interval=hour');
  expect(await tab.page.getByRole('heading', { name: 'Revenue per hour' }).isVisible()).toBe(true);
  expect(await bars('bar').count()).toBe(15);
  expect(await bars('so-far').evaluateAll((all) => all.map((bar) => bar.getAttribute('class')))).toEqual([
    'bar so-far',
    'calls-bar so-far',
  ]);
  expect(await readout()).toContain('31 Jan 2026, 14:00 to 15:00, so far');
  const [last, plot] = [await bars('bar').last().boundingBox(), await slider().boundingBox()];
  expect(last!.x + last!.width).toBeLessThan(plot!.x + plot!.width * 0.7);
  // The same weekday of the week before is beside each hour that has begun.
  expect(await tab.place('chart').locator('.plot path.before:not(.halo)').count()).toBe(15);
});

it.each([
  ['#days=91', PHONE, 'week', 14],
  ['#days=364', undefined, 'week', 53],
  ['#days=364', PHONE, 'month', 12],
  ['#from=2023-02-01&to=2026-01-31', undefined, 'month', 36],
] as const)(
  'of %s in %j has bars of a %s, %i of them, the calls beneath',
  async (address, viewport, interval, count) => {
    tab = await operator.openNumbers({ hash: address, ...(viewport && { viewport }) });
    expect(tab.asked).toContainEqual(expect.stringContaining(`interval=${interval}`));
    const boxes = (kind: string) =>
      bars(kind).evaluateAll((all) =>
        all.map((bar) => {
          const { x, y, bottom } = bar.getBoundingClientRect();
          return { x, y, bottom };
        }),
      );
    await eventually(async () => expect(await bars('bar').count()).toBe(count));
    const [revenue, calls] = [await boxes('bar'), await boxes('calls-bar')];
    expect(calls).toHaveLength(count);
    expect(revenue.at(-1)!.x - revenue.at(-2)!.x).toBeGreaterThan(5);
    expect(calls.at(-2)!.x).toBeCloseTo(revenue.at(-2)!.x, 1);
    expect(calls.at(-2)!.y).toBeGreaterThan(revenue.at(-2)!.bottom);
    expect(await overflowOf(tab.page)).toBe(0);
  },
);

it('takes another interval, which the address keeps, and the one that suits is in no address', async () => {
  tab = await operator.openNumbers({ hash: '#days=364' });
  expect(await textsOf(tab.place('chart-tools').locator('label'))).toEqual(['Days', 'Weeks', 'Months']);
  await tab.page.getByRole('radio', { name: 'Months' }).check();
  await tab.isAsked('timeseries?days=364&compare=previous&interval=month');
  expect(tab.settings.get('interval')).toBe('month');
  await eventually(async () => expect(await readout()).toContain('1 Jan to 31 Jan 2026, so far'));
  await tab.page.getByRole('radio', { name: 'Weeks' }).check();
  await eventually(async () => expect(await readout()).toContain('26 Jan to 31 Jan 2026, so far'));
  expect(tab.settings.has('interval')).toBe(false);
});

it('moves one cursor with pointer and keys, with all values of its point', async () => {
  tab = await operator.openNumbers({ hash: '#days=364' });
  await slider().focus();
  await tab.page.keyboard.press('ArrowLeft');
  expect(await readout()).toMatch(
    /^Week 19 Jan to 25 Jan 2026 Revenue, USD [\d.]+ Calls .*Paid .*By credit .*Cost, USD .*Margin, USD .*Payers \d+$/,
  );
  await tab.page.keyboard.press('PageDown');
  expect(await readout()).toContain('22 Dec to 28 Dec 2025');
  const bar = (await bars('calls-bar').nth(51).boundingBox())!;
  await tab.page.mouse.move(bar.x + bar.width / 2, bar.y - 4);
  expect(await readout()).toContain('19 Jan to 25 Jan 2026');
  expect(await slider().getAttribute('aria-valuetext')).toMatch(/^19 Jan to 25 Jan 2026: revenue/);
});

it.each([
  ['a day', '#days=28', 'day', '30 Jan 2026', '2026-01-30'],
  ['a week', '#days=364', 'within', '19 Jan to 25 Jan 2026', '2026-01-19/2026-01-25'],
  ['an hour, by its day', '#days=1', 'day', '31 Jan 2026, 13:00', '2026-01-31'],
] as const)('leads from the bar of %s to its rows', async (_, address, filter, name, wanted) => {
  tab = await operator.openNumbers({ hash: address });
  const all = bars('bar');
  const bar = (await all.nth((await all.count()) - 2).boundingBox())!;
  await tab.page.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
  await eventually(() => expect(tab.settings.get(filter)).toBe(wanted));
  expect(tab.settings.get('status')).toBe('settled');
  const days = wanted.split('/');
  const query = filter === 'day' ? `day=${wanted}` : `from=${days[0]}&to=${days[1]}`;
  await tab.isAsked(`payments?limit=25&status=settled&${query}`);
  expect(await tab.focusedId()).toBe('payments-title');
  expect(await readout()).toContain(name);
});

it('leads there by the keyboard too, and a finger chooses a bar first', async () => {
  tab = await operator.openNumbers({ viewport: PHONE, hasTouch: true });
  await tab.place('chart').scrollIntoViewIfNeeded();
  const bar = (await bars('bar').nth(10).boundingBox())!;
  await tap(tab.page, bar.x + bar.width / 2, bar.y + bar.height / 2);
  expect(await readout()).toContain('14 Jan 2026');
  expect(tab.settings.toString()).toBe('');
  await slider().press('End');
  await slider().press('ArrowLeft');
  await slider().press('Enter');
  await eventually(() => expect(tab.settings.get('day')).toBe('2026-01-30'));
});

it('is a table too, each row of which leads to its payments', async () => {
  tab = await operator.openNumbers({ hash: '#days=364&interval=month' });
  expect(await tab.place('chart-table').locator('a').count()).toBe(0);
  await tab.page.getByRole('button', { name: 'Table' }).click();
  const rows = tab.place('chart-table').locator('tbody tr');
  expect([await rows.count(), ...(await textsOf(rows)).slice(0, 2)]).toEqual([
    12,
    expect.stringMatching(/^1 Jan to 31 Jan 2026, so far /),
    expect.stringMatching(/^1 Dec to 31 Dec 2025 /),
  ]);
  await rows.nth(1).getByRole('link').click();
  await eventually(() => expect(tab.settings.get('within')).toBe('2025-12-01/2025-12-31'));
});
