import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import type { Locator } from 'playwright-core';
import { eventsOf, history, nonceOf } from '../projection/history.fixture';
import { aCall, PAYMENTS } from './business.fixture';
import { operatorBrowser, type OperatorTab, PHONE, REVENUE, overflowOf } from './operator-browser.fixture';

const operator = operatorBrowser({ ownClipboard: true });
let tab: OperatorTab;
const copying = () => operator.openNumbers({ permissions: ['clipboard-read', 'clipboard-write'] });
const clipboard = () => tab.page.evaluate(() => navigator.clipboard.readText());

const LIST = `${REVENUE}/payments`;
const button = (name: string | RegExp): Locator => tab.page.getByRole('button', { name });
const rows = (): Locator => tab.page.locator('#payment-rows tr:not(.details)');
const details = (): Locator => tab.page.locator('#payment-rows tr.details');
const hasFocus = (place: Locator) => place.evaluate((element) => element === document.activeElement);

describe('finding payments', () => {
  const box = () => tab.page.getByRole('searchbox', { name: 'Find payments' });
  const all = () => tab.page.getByRole('radio', { name: 'All', exact: true }).check();

  it('by what became of them, or by what an agent tells of one, until the box is emptied', async () => {
    tab = await operator.openNumbers();
    await tab.askedBy(() => tab.page.getByRole('radio', { name: 'Waiting' }).check());
    expect(await rows().locator('.chip').allInnerTexts()).toEqual(['Waiting', 'Waiting']);
    expect(tab.settings.toString()).toBe('days=28&status=settlement_pending');
    const { id } = PAYMENTS[7]!;
    for (const name of [id, `request-${id}`, nonceOf(id)]) {
      // With what a chat or a mail puts around it, which nobody sees.
      await box().fill(` \u200b${name}\u2060 `);
      await tab.askedBy(() => box().press('Enter'));
      expect(await rows().count()).toBe(1);
      expect(tab.settings.toString()).toBe(new URLSearchParams({ days: '28', q: name }).toString());
    }
    await box().fill('nothing of ours');
    await tab.askedBy(() => button('Find').click());
    expect(await rows().allInnerTexts()).toEqual([expect.stringContaining('No payment of this kind.')]);
    await box().fill('');
    await tab.askedBy(() => button('Find').click());
    expect([await rows().count(), tab.settings.toString()]).toEqual([25, 'days=28']);
  });

  it('by a wallet, whose payments can be saved', async () => {
    tab = await operator.openNumbers();
    const { wallet } = PAYMENTS[7]!;
    await box().fill(wallet);
    await tab.askedBy(() => box().press('Enter'));
    expect(tab.settings.toString()).toBe(`days=28&wallet=${wallet}`);
    await button(/^CSV: All payments of 0x/).click();
    await tab.isAsked(`payments.csv?days=28&wallet=${wallet}`);
    await eventually(() => expect(Object.keys(tab.saved)).toEqual(['evenkeel-payments-2026-01-14-2026-02-10.csv']));
  });

  it.each([
    ['the card of today', '#figures .card:nth-child(1)', 'status=settled&day=2026-02-10'],
    ['the card of the period', '#figures .card:nth-child(2)', 'status=settled&from=2026-01-14&to=2026-02-10'],
    ['the card of all time', '#figures .card:nth-child(3)', 'status=settled&from=2025-11-12&to=2026-02-10'],
    ['an endpoint', '#endpoint-rows', 'status=settled&endpoint=%2Fagent%2Fv1%2Fhabits%2Fanalyze'],
    ['a customer', '#customer-rows', 'status=settled&wallet=0x'],
    ['a day of the chart', '#chart', 'status=settled&day=2026-02-10'],
  ])('from the number of %s', async (_what, place, query) => {
    tab = await operator.openNumbers();
    const link = tab.page.locator(place).getByRole('link', { name: /payments?$/ });
    const asked = await tab.askedBy(() => link.first().click());
    expect(asked).toContainEqual(expect.stringContaining(`${LIST}?limit=25&${query}`));
    expect(await tab.focusedId()).toBe('payments-title');
    const chips = button(/^No longer only/);
    while ((await chips.count()) > 0) await tab.askedBy(() => chips.first().click());
    await tab.askedBy(all);
    expect(await rows().count()).toBe(25);
  });

  it('on the days of their settlement, where the number that leads to them counts so', async () => {
    tab = await operator.openNumbers({ hash: '#month=2026-02&basis=settlement' });
    const link = tab.page
      .locator('#figures .card')
      .nth(1)
      .getByRole('link', { name: /payments$/ });
    const asked = await tab.askedBy(() => link.click());
    expect(asked).toContain(`${LIST}?limit=25&status=settled&from=2026-02-01&to=2026-02-10&basis=settlement`);
    await button('No longer only 1 Feb to 10 Feb 2026, by settlement').waitFor();
  });

  it('from the health of all', async () => {
    const settlement = { settled: 90, pending: 2, needs_reconciliation: 1, failed: 4 };
    tab = await operator.openNumbers({
      changes: {
        changes: ({ health }: { health: object }) => ({ health: { ...health, settlement } }),
        reconciliation: () => ({ served_and_failed: { count: 3 }, settled_without_hash: { count: 7, has_more: true } }),
      },
    });
    for (const [name, query] of [
      ['Show what waits', 'status=settlement_pending'],
      ['Show what needs a person', 'status=needs_reconciliation'],
      ['1 failed in 24 h', 'status=settlement_failed'],
      ['3 served and failed', 'group=served_and_failed'],
      ['More than 7 settled without a hash', 'group=settled_without_hash'],
    ] as const) {
      const link = tab.page.locator('#health').getByRole('link', { name });
      expect(await tab.askedBy(() => link.click())).toContain(`${LIST}?limit=25&${query}`);
      expect(await tab.focusedId()).toBe('payments-title');
    }
  });
});

describe('a row', () => {
  it('opens to all that is known of its payment, and to the command that closes it', async () => {
    tab = await copying();
    const { id, wallet } = PAYMENTS[2]!;
    const asked = await tab.askedBy(() => rows().nth(2).locator('.chip').click());
    expect(asked).toEqual([`${LIST}/${id}`]);
    const said = (await details().innerText()).replace(/\s+/g, ' ');
    for (const fact of [id, nonceOf(id), `request-${id}`, /Age 4 min since 2026-02-10T13:57:57\.412Z/, /Served yes/]) {
      expect(said).toMatch(fact);
    }
    const [paid, failed] = await details().locator('code').allInnerTexts();
    const command = new RegExp(`^npm run payment:close -- ${wallet} ${nonceOf(id)} (TRANSACTION_HASH|failed)$`, 'i');
    for (const text of [paid, failed]) expect(text).toMatch(command);
    await details().getByRole('button', { name: 'Copy', exact: true }).last().click();
    await details().getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard()).toBe(failed);
    expect(await accessibilityFaults(tab.page, '.payments')).toEqual([]);
    await tab.picture('payment-open');
    await tab.page.setViewportSize(PHONE);
    expect(await overflowOf(tab.page)).toBe(0);
    await tab.picture('payment-open-phone');
  });

  it('of a settled payment has nothing to close, and leads to the block explorer without a referrer', async () => {
    tab = await operator.openNumbers();
    await tab.askedBy(() => rows().first().locator('.chip').click());
    expect(await details().locator('code').count()).toBe(0);
    const link = details().getByRole('link');
    expect(await link.getAttribute('href')).toMatch(/^https:\/\/basescan\.org\/tx\/0x[0-9a-f]{64}$/);
    expect(await link.getAttribute('rel')).toBe('noreferrer');
  });

  it('opens and closes with the keyboard, one at a time, and with the browser going back', async () => {
    tab = await operator.openNumbers();
    const opener = (index: number) =>
      rows()
        .nth(index)
        .getByRole('button', { name: /details$/ });
    await opener(0).focus();
    await tab.askedBy(() => tab.page.keyboard.press('Enter'));
    expect([await opener(0).getAttribute('aria-expanded'), await hasFocus(opener(0))]).toEqual(['true', true]);
    await opener(1).focus();
    await tab.askedBy(() => tab.page.keyboard.press('Space'));
    expect([await details().count(), tab.settings.get('open')]).toEqual([1, PAYMENTS[1]!.id]);
    await tab.page.goBack();
    await eventually(async () => expect(await opener(0).getAttribute('aria-expanded')).toBe('true'));
    await opener(0).press('Enter');
    await eventually(async () => expect(await details().count()).toBe(0));
  });

  it('stays open in the address, also where it is further down, and is said to be missing where it is', async () => {
    const { id } = PAYMENTS[44]!;
    tab = await operator.openNumbers({ hash: `#days=28&open=${id}` });
    await details().getByText(id).first().waitFor();
    expect(await rows().count()).toBe(26);
    tab = await operator.openNumbers({ hash: '#days=28&open=0194b3a0-0000-7000-8000-ffffffffffff' });
    await tab.page.getByText('No payment has this id, or its event has not arrived.').waitFor();
    expect(await rows().count()).toBe(26);
  });

  it('shows the whole payer on focus, and copies it, also where browsers have no clipboard', async () => {
    tab = await copying();
    const copy = rows()
      .first()
      .getByRole('button', { name: /^Copy 0x/ });
    const full = rows().first().locator('.full');
    expect((await full.boundingBox())!.width).toBeLessThan(2);
    const payer = (await full.textContent())!;
    await tab.page.keyboard.press('Tab');
    await copy.focus();
    expect((await full.boundingBox())!.width).toBeGreaterThan(200);
    await copy.press('Enter');
    await eventually(async () => (await full.innerText()) === 'Copied');
    expect(await clipboard()).toBe(payer);
    await tab.passMs(1_500);
    expect(await full.innerText()).toBe(payer);

    // As over plain http.
    await tab.page.evaluate(() => navigator.clipboard.writeText(''));
    await tab.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await copy.press('Enter');
    await eventually(async () => (await full.innerText()) === 'Copied');
    expect(await hasFocus(copy)).toBe(true);
    const box = tab.page.getByRole('searchbox', { name: 'Find payments' });
    await box.focus();
    await tab.page.keyboard.press('Control+v');
    expect(await box.inputValue()).toBe(payer);
  });
});

describe('the list', () => {
  const idsOf = async () =>
    (await rows()
      .locator('td.when time')
      .evaluateAll((all) => all.map((time) => time.getAttribute('datetime')))) as string[];
  let newestMs = 4_000;
  /** The next ones come in above all others. */
  const settle = (count: number) =>
    operator.reporting.publish(...eventsOf(history(...Array.from({ length: count }, () => aCall((newestMs -= 1), 1)))));

  it('continues below, and no row goes away when new ones come in above', async () => {
    tab = await operator.openNumbers();
    expect(await tab.askedBy(() => button('Load more').click())).toEqual([
      expect.stringMatching(/payments\?limit=25&cursor=[\w-]+&days=28$/),
    ]);
    await eventually(async () => expect(await rows().count()).toBe(50));
    const before = await idsOf();
    await settle(1);
    expect(await tab.askedBy(() => button('Refresh').click())).toContain(`${LIST}?limit=50&days=28`);
    await eventually(async () => expect((await idsOf()).slice(1, 51)).toEqual(before));
    for (const count of [100, 101]) {
      await tab.askedBy(() => button('Load more').click());
      await eventually(async () => expect(await rows().count()).toBe(count));
    }
    expect(await button('Load more').count()).toBe(0);
  });

  it('is the newest page alone where nobody is at it, and keeps the row that has the focus', async () => {
    tab = await operator.openNumbers();
    const [newest] = await idsOf();
    await settle(9);
    await tab.askedBy(() => tab.passMs(30_000));
    await eventually(async () => expect((await idsOf()).indexOf(newest!)).toBe(9));
    expect(await rows().count()).toBe(25);
    const copy = (row: number) => rows().nth(row).getByRole('button').last();
    await copy(20).focus();
    await settle(9);
    await tab.askedBy(() => tab.passMs(30_000));
    await eventually(async () => expect(await rows().count()).toBe(50));
    expect(await hasFocus(copy(29))).toBe(true);
  });
});
