import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import { AS_OF } from './business.fixture';
import { healthAnswer } from './calls-answers.fixture';
import { operatorBrowser, type OperatorTab } from './operator-browser.fixture';

const operator = operatorBrowser();
let tab: OperatorTab;

const noticeOf = async (id: string) => (await tab.place(`${id}-notice`).innerText()).replace(/\s+/g, ' ');
const isCalm = () =>
  eventually(async () => expect(await tab.page.locator('[aria-busy=true], .notice').count()).toBe(0));
/** Of the summary that in the place of its figures, and so on. */
const SECTIONS: (readonly [name: string, id: string])[] = [
  ['summary', 'figures'],
  ['timeseries', 'chart'],
  ...['endpoints', 'payments', 'customers', 'cohorts', 'credits', 'subscriptions'].map((name) => [name, name] as const),
];

/** One read is answered by what is given, the others as ever. */
async function answering(name: string, answer: { status?: number; body?: string } | 'no network'): Promise<void> {
  await tab.page.route(new RegExp(`/v1/admin/revenue/${name}(\\?|$)`), (route) =>
    answer === 'no network' ? route.abort() : route.fulfill(answer),
  );
}

const answeringAgain = (name: string) => tab.page.unroute(new RegExp(`/v1/admin/revenue/${name}(\\?|$)`));

it.each(sized(SECTIONS.slice(0, 3), SECTIONS))(
  'a section that fails says so in its place, and recovers by itself: %s',
  async (name, id) => {
    tab = await operator.openNumbers({ hash: '#days=7' });
    const before = await tab.place('figures').innerText();
    await answering(name, { status: 503 });
    await tab.passMs(61_000);
    tab.business.settlement = { ...tab.business.settlement, settled: 5_000 };
    await tab.passMs(15_000);
    await eventually(async () =>
      expect(await noticeOf(id)).toMatch(
        /^Not refreshed: the service answered 503\. These numbers are \d+ (s|min) old\. (Next try in \d+ s\.|Trying now\.) Try now$/,
      ),
    );
    expect(await tab.page.locator('.notice').count()).toBe(1);
    expect(await tab.place('figures').innerText()).toBe(before);
    expect(await tab.page.locator('.filter', { hasText: 'Settled' }).innerText()).toContain('5\u202f000');
    expect(await accessibilityFaults(tab.page, `#${id}-notice`)).toEqual([]);
    await answeringAgain(name);
    await tab.passMs(60_000);
    await isCalm();
  },
);

it.each([
  ['endpoints', 'endpoint-rows', 'habits/analyze'],
  ['subscriptions', 'figures', 'Subscriptions'],
  ['cohorts', 'cohorts', 'First paid'],
])('a section that was never there says that it is not loaded, beside those that are: %s', async (name, id, text) => {
  tab = await operator.open({ hash: '#days=7' });
  await answering(name, 'no network');
  await tab.signIn();
  await tab.place('figures').locator('.money').first().waitFor();
  await eventually(async () => expect(await noticeOf(name)).toMatch(/^Not loaded: the network does not answer\./));
  await answeringAgain(name);
  await tab.place(`${name}-notice`).getByRole('button', { name: 'Try now' }).click();
  await isCalm();
  expect(await tab.place(id).innerText()).toContain(text);
});

const MALFORMED = [
  '',
  '<html><body>Bad gateway</body></html>',
  'null',
  '[]',
  '{}',
  '{"as_of":"2026-01-31T14:02:07.412Z","lag_seconds":0',
  '{"as_of":"2026-01-31T14:02:07.412Z","lag_seconds":0,"window":null,"points":{},"count":"2"}',
] as const;

const NOT_OURS: readonly (readonly [name: string, body: string])[] = [
  ...MALFORMED.map((body) => ['changes', body] as const),
  ...['summary', 'timeseries', 'payments', 'customers', 'subscriptions'].flatMap((name) =>
    [MALFORMED[1], MALFORMED[6]].map((body) => [name, body] as const),
  ),
];

// Some of the first and of the last kind say as much as all of them, sooner.
it.each(sized([...NOT_OURS.slice(0, 2), NOT_OURS[6]!, ...NOT_OURS.slice(-3)], NOT_OURS))(
  'an answer to %s that is not ours stops no refresh: %s',
  async (name, body) => {
    tab = await operator.openNumbers({ hash: '#days=7' });
    await answering(name, { status: 200, body });
    tab.business.settlement = { ...tab.business.settlement, settled: 5_000 };
    await tab.passMs(61_000);
    const before = tab.asked.length;
    await tab.passMs(61_000);
    await eventually(() => expect(tab.asked.length).toBeGreaterThan(before));
    await answeringAgain(name);
    tab.business.settlement = { ...tab.business.settlement, settled: 6_000 };
    await tab.passMs(61_000);
    await tab.passMs(61_000);
    await isCalm();
    await eventually(async () => expect(await tab.place('payments-tools').innerText()).toContain('6\u202f000'));
    expect(await tab.page.locator('.problem:not(:empty)').count()).toBe(0);
    expect(await tab.place('figures').locator('.revenue .money').count()).toBeGreaterThan(1);
  },
);

it('polls one route while nothing changes, and none while nobody sees the page', async () => {
  tab = await operator.openNumbers();
  const see = (visibilityState: string) =>
    tab.page.evaluate((state) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, value: state });
      document.dispatchEvent(new Event('visibilitychange'));
    }, visibilityState);
  const askedIn = async (polls: number) => {
    const before = tab.asked.length;
    for (let poll = 0; poll < polls; poll++) {
      await tab.passMs(15_000);
      await isCalm();
    }
    return tab.asked.slice(before);
  };
  const asked = await askedIn(6);
  expect(asked.length).toBeGreaterThanOrEqual(6);
  expect(asked.filter((path) => !/\/changes\?since=/.test(path))).toEqual([]);
  await see('hidden');
  expect(await askedIn(4)).toEqual([]);
  const before = tab.asked.length;
  await see('visible');
  await eventually(() => expect(tab.asked.length).toBeGreaterThan(before));
});

it('reads again what has changed, and no more', async () => {
  tab = await operator.openNumbers({ hash: '#days=7' });
  await tab.page.route(/\/changes\?since=/, (route) =>
    route.fulfill({
      json: {
        changed: ['subscriptions'],
        version: 'another',
        as_of: AS_OF,
        lag_seconds: 0,
        health: healthAnswer(tab.business),
      },
    }),
  );
  const before = tab.asked.length;
  for (let poll = 0; poll < 6; poll++) {
    await tab.passMs(15_000);
    await isCalm();
  }
  const asked = new Set(tab.asked.slice(before).map((path) => path.split('?')[0]));
  expect([...asked]).toEqual(['/v1/admin/revenue/subscriptions']);
});

it('says that it is behind as soon as it is, also while a payment waits', async () => {
  tab = await operator.openNumbers();
  const status = () => tab.page.getByRole('status').innerText();
  expect(await status()).toBe('2 payments wait for settlement, oldest 4 min.');
  tab.business.lagSeconds = 6;
  await tab.passMs(15_000);
  await eventually(async () =>
    expect(await status()).toBe(
      '2 payments wait for settlement, oldest 4 min. The numbers are 6 s behind: what is newest is missing.',
    ),
  );
  expect(await tab.page.locator('.freshness').innerText()).toBe('as of 14:02:07 UTC, 6 s behind');
  tab.business.lagSeconds = 0.2;
  await tab.passMs(15_000);
  await eventually(async () => expect(await status()).toBe('2 payments wait for settlement, oldest 4 min.'));
});
