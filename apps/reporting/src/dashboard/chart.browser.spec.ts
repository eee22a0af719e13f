import { eventually } from '@evenkeel/platform/testing';
import { tap } from '@evenkeel/services/browser';
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
  expect(await readout()).toContain('10 Feb 2026, 14:00 to 15:00, so far');
  const [last, plot] = [await bars('bar').last().boundingBox(), await slider().boundingBox()];
  expect(last!.x + last!.width).toBeLessThan(plot!.x + plot!.width * 0.7);
  // The same weekday of the week before is beside the hours that had revenue then.
  expect(await tab.place('chart').locator('.plot path.before:not(.halo)').count()).toBe(4);
  const labels = await tab.place('chart').locator('svg[viewBox] text').allTextContents();
  expect(labels).toEqual(expect.arrayContaining(['USD', 'calls', '0.00', '10 Feb']));
});

it('takes another interval, which the address keeps, and is a table that leads to payments too', async () => {
  tab = await operator.openNumbers({ hash: '#days=364' });
  expect(await textsOf(tab.place('chart-tools').locator('label'))).toEqual(['Days', 'Weeks', 'Months']);
  await tab.page.getByRole('radio', { name: 'Months' }).check();
  await tab.isAsked('timeseries?days=364&compare=previous&interval=month');
  expect(tab.settings.get('interval')).toBe('month');
  await eventually(async () => expect(await readout()).toContain('1 Feb to 10 Feb 2026, so far'));
  expect(await tab.place('chart-table').locator('a').count()).toBe(0);
  await tab.page.getByRole('button', { name: 'Table' }).click();
  expect(await slider().isVisible()).toBe(false);
  const rows = tab.place('chart-table').locator('tbody tr');
  expect([await rows.count(), ...(await textsOf(rows)).slice(0, 2)]).toEqual([
    13,
    expect.stringMatching(/^1 Feb to 10 Feb 2026, so far /),
    expect.stringMatching(/^1 Jan to 31 Jan 2026 /),
  ]);
  await tab.picture('chart-table');
  await rows.nth(1).getByRole('link').click();
  await eventually(() => expect(tab.settings.get('within')).toBe('2026-01-01/2026-01-31'));
  await tab.page.getByRole('radio', { name: 'Weeks' }).check();
  await eventually(() => expect(tab.settings.has('interval')).toBe(false));
});

it('moves one cursor with pointer and keys, with all values of its point', async () => {
  tab = await operator.openNumbers({ hash: '#days=364' });
  await slider().focus();
  await tab.page.keyboard.press('ArrowLeft');
  expect(await readout()).toMatch(
    /^Week 2 Feb to 8 Feb 2026 Revenue, USD [\d.]+ .*Calls .*Paid .*By credit .*Cost, USD .*Margin, USD .*Payers \d+$/,
  );
  await tab.page.keyboard.press('Home');
  expect(await readout()).toContain('12 Feb to 16 Feb 2025');
  const bar = (await bars('calls-bar').nth(51).boundingBox())!;
  await tab.page.mouse.move(bar.x + bar.width / 2, bar.y - 4);
  expect(await readout()).toContain('2 Feb to 8 Feb 2026');
  expect(await slider().getAttribute('aria-valuetext')).toMatch(/^2 Feb to 8 Feb 2026: revenue/);
});

it.each([
  ['a day', '#days=28', 'day', '9 Feb 2026', '2026-02-09'],
  ['a week', '#days=364', 'within', '2 Feb to 8 Feb 2026', '2026-02-02/2026-02-08'],
] as const)('leads from the bar of %s to its rows', async (_, address, filter, name, wanted) => {
  tab = await operator.openNumbers({ hash: address });
  const all = bars('bar');
  const bar = (await all.nth((await all.count()) - 2).boundingBox())!;
  await tab.page.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
  await eventually(() => expect(tab.settings.get(filter)).toBe(wanted));
  expect(tab.settings.get('status')).toBe('settled');
  expect(await tab.focusedId()).toBe('payments-title');
  expect(await readout()).toContain(name);
});

it('leads there by the keyboard too, and a finger chooses a bar first', async () => {
  tab = await operator.openNumbers({ viewport: PHONE, hasTouch: true });
  await tab.place('chart').scrollIntoViewIfNeeded();
  const bar = (await bars('bar').nth(10).boundingBox())!;
  await tap(tab.page, bar.x + bar.width / 2, bar.y + bar.height / 2);
  expect(await readout()).toContain('24 Jan 2026');
  expect(tab.settings.toString()).toBe('');
  await slider().press('End');
  await slider().press('ArrowLeft');
  await slider().press('Enter');
  await eventually(() => expect(tab.settings.get('day')).toBe('2026-02-09'));
});
