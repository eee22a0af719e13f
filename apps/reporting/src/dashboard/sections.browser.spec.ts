import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import { eventsOf, history } from '../projection/history.fixture';
import { anInvoice, publishedOf } from '../projection/subscriptions/subscription-history.fixture';
import { aCall } from './business.fixture';
import { operatorBrowser, REVENUE, type OperatorTab } from './operator-browser.fixture';

const POLL_MS = 15_000;

const settle = ({ reporting }: ReturnType<typeof operatorBrowser>) =>
  reporting.publish(...eventsOf(history(aCall(86_400_000))));
const isCalm = ({ page }: OperatorTab) =>
  eventually(async () => expect(await page.locator('[aria-busy=true], .notice').count()).toBe(0));

describe('a section', () => {
  const operator = operatorBrowser();
  let tab: OperatorTab;

  const noticeOf = async (id: string) => (await tab.place(`${id}-notice`).innerText()).replace(/\s+/g, ' ');
  const settledCount = async () =>
    Number(/Settled\s*(\d+)/.exec((await tab.place('payments-tools').innerText()).replace(/\u202f/g, ''))![1]);
  const askedIn = async (polls: number) => {
    const before = tab.asked.length;
    for (let poll = 0; poll < polls; poll++) {
      await tab.passMs(POLL_MS);
      await isCalm(tab);
    }
    return tab.asked.slice(before);
  };

  /** One read is answered by what is given, the others as ever. */
  const read = (name: string) => new RegExp(`/v1/admin/revenue/${name}(\\?|$)`);
  const answering = (name: string, answer: { status?: number; body?: string } | 'no network') =>
    tab.page.route(read(name), (route) => (answer === 'no network' ? route.abort() : route.fulfill(answer)));

  /** Of the summary that in the place of its figures, and so on. */
  const SECTIONS: (readonly [name: string, id: string])[] = [
    ['summary', 'figures'],
    ['timeseries', 'chart'],
    ...['endpoints', 'payments', 'customers', 'cohorts', 'credits', 'subscriptions'].map(
      (name) => [name, name] as const,
    ),
  ];

  it.each(sized(SECTIONS.slice(1, 3), SECTIONS))(
    'that fails says so in its place, and recovers by itself: %s',
    async (name, id) => {
      tab = await operator.openNumbers({ hash: '#days=7' });
      await answering(name, { status: 503 });
      await tab.passMs(61_000);
      await settle(operator);
      await operator.reporting.publish(...publishedOf({ invoices: [anInvoice({ invoiceId: `in_${name}` })] }));
      const before = await settledCount();
      await tab.passMs(POLL_MS);
      await eventually(async () =>
        expect(await noticeOf(id)).toMatch(
          /^Not refreshed: the service answered 503\. These numbers are \d+ (s|min) old\. (Next try in \d+ s\.|Trying now\.) Try now$/,
        ),
      );
      expect(await tab.page.locator('.notice').count()).toBe(1);
      expect(await settledCount()).toBe(before + 1);
      expect(await accessibilityFaults(tab.page, `#${id}-notice`)).toEqual([]);
      await tab.page.unroute(read(name));
      await tab.passMs(60_000);
      await isCalm(tab);
    },
  );

  it.each([
    ['endpoints', 'endpoint-rows', 'habits/analyze'],
    ['subscriptions', 'figures', 'Subscriptions'],
  ])('that was never there says that it is not loaded, beside those that are: %s', async (name, id, text) => {
    tab = await operator.open({ hash: '#days=7' });
    await answering(name, 'no network');
    await tab.signIn();
    await tab.place('figures').locator('.money').first().waitFor();
    await eventually(async () => expect(await noticeOf(name)).toMatch(/^Not loaded: the network does not answer\./));
    await tab.page.unroute(read(name));
    await tab.place(`${name}-notice`).getByRole('button', { name: 'Try now' }).click();
    await isCalm(tab);
    expect(await tab.place(id).innerText()).toContain(text);
  });

  const OTHERS = '{"as_of":"2026-01-31T14:02:07.412Z","lag_seconds":0,"window":null,"points":{},"count":"2"}';
  const NOT_OURS: readonly (readonly [name: string, body: string])[] = [
    ...['changes', 'payments', 'subscriptions'].map((name) => [name, OTHERS] as const),
    ...['', 'null', '[]', '{}', OTHERS.slice(0, 9)].map((body) => ['changes', body] as const),
    ...['summary', 'timeseries', 'customers'].flatMap((name) =>
      [OTHERS, '<html>'].map((body) => [name, body] as const),
    ),
  ];

  // Some of each kind say as much as all of them, sooner.
  it.each(sized([...NOT_OURS.slice(0, 4), NOT_OURS.at(-1)!], NOT_OURS))(
    'stops no refresh with an answer to %s that is not ours: %s',
    async (name, body) => {
      tab = await operator.openNumbers({ hash: '#days=7' });
      await answering(name, { status: 200, body });
      await settle(operator);
      await tab.passMs(61_000);
      const [before, asked] = [await settledCount(), tab.asked.length];
      await tab.passMs(61_000);
      await eventually(() => expect(tab.asked.length).toBeGreaterThan(asked));
      await tab.page.unroute(read(name));
      await settle(operator);
      await tab.passMs(122_000);
      await isCalm(tab);
      await eventually(async () => expect(await settledCount()).toBeGreaterThan(before));
      expect(await tab.page.locator('.problem:not(:empty)').count()).toBe(0);
      expect(await tab.place('figures').locator('.revenue .money').count()).toBeGreaterThan(1);
    },
  );

  it('is read again when its part has changed, else one route is polled, and none while nobody sees the page', async () => {
    tab = await operator.openNumbers();
    const asked = await askedIn(4);
    expect(asked.length).toBeGreaterThanOrEqual(4);
    expect(asked.filter((path) => !/\/changes\?since=/.test(path))).toEqual([]);

    await operator.reporting.publish(...publishedOf({ invoices: [anInvoice({ invoiceId: 'in_again' })] }));
    const reads = (await askedIn(5)).filter((path) => !/\/changes\?since=/.test(path));
    expect(reads).toEqual([`${REVENUE}/subscriptions?days=28&compare=previous`]);

    const see = (visibilityState: string) =>
      tab.page.evaluate((state) => {
        Object.defineProperty(document, 'visibilityState', { configurable: true, value: state });
        document.dispatchEvent(new Event('visibilitychange'));
      }, visibilityState);
    await see('hidden');
    expect(await askedIn(4)).toEqual([]);
    const before = tab.asked.length;
    await see('visible');
    await eventually(() => expect(tab.asked.length).toBeGreaterThan(before));
  });

  it('is said to be behind as soon as it is, also while a payment waits', async () => {
    tab = await operator.openNumbers();
    const status = tab.page.getByRole('status');
    tab.lagSeconds = 6;
    await tab.passMs(POLL_MS);
    await status.getByText(/^2 payments wait .* The numbers are 6 s behind: what is newest is missing\./).waitFor();
    expect(await tab.page.locator('.freshness').innerText()).toBe('as of 14:02:07 UTC, 6 s behind');
    tab.lagSeconds = 0.2;
    await tab.passMs(POLL_MS);
    await eventually(async () => expect(await status.innerText()).not.toContain('behind'));
  });
});

describe('six open tabs', () => {
  const operator = operatorBrowser({ settings: { RATE_LIMIT_SCALE: '1' } });

  it('stay below the limit of one address, while something changes all the time', async () => {
    const tabs = [];
    for (let tab = 0; tab < 6; tab++) tabs.push(await operator.openNumbers({ timeStands: true }));
    const answers: string[] = [];
    for (const { page } of tabs) page.on('response', (answer) => answers.push(`${answer.status()} ${answer.url()}`));
    const polls = sized(1, 2) * 4;
    for (let poll = 0; poll < polls; poll++) {
      await settle(operator);
      operator.reporting.clock.advanceMs(POLL_MS);
      for (const tab of tabs) {
        await tab.passMs(POLL_MS);
        await tab.isCalm();
      }
    }
    expect(answers.filter((answer) => !/^20[04] /.test(answer))).toEqual([]);
    for (const { page } of tabs) expect(await page.locator('.notice').count()).toBe(0);
    // Every poll, what is quick with each second of them, and all the rest in each minute.
    expect(answers.length).toBeGreaterThan(6 * 2 * polls);
  }, 180_000);
});
