import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import type { Locator } from 'playwright-core';
import { aPayment, nonceOf } from './business.fixture';
import { overflowOf } from './layout.fixture';
import { operatorBrowser, type OperatorTab, PHONE, type PageOptions } from './operator-browser.fixture';

const operator = operatorBrowser({ ownClipboard: true });
let tab: OperatorTab;

const CLIPBOARD: PageOptions = { permissions: ['clipboard-read', 'clipboard-write'] };
const PAYMENTS = '/v1/admin/revenue/payments';
const button = (name: string | RegExp): Locator => tab.page.getByRole('button', { name });
const rows = (): Locator => tab.page.locator('#payment-rows tr:not(.details)');
const details = (): Locator => tab.page.locator('#payment-rows tr.details');

describe('finding payments', () => {
  it('by what became of them', async () => {
    tab = await operator.openNumbers();
    await tab.askedBy(() => tab.page.getByRole('radio', { name: 'Waiting' }).check());
    expect(await rows().locator('.chip').allInnerTexts()).toEqual(['Waiting', 'Waiting']);
    expect(tab.settings.toString()).toBe('days=28&status=settlement_pending');
    await tab.askedBy(() => tab.page.getByRole('radio', { name: 'All', exact: true }).check());
    expect(await rows().count()).toBe(25);
  });

  it('by what an agent tells of one, whatever is chosen besides, until the box is emptied', async () => {
    tab = await operator.openNumbers({ hash: '#days=28&status=settlement_pending' });
    const payment = tab.business.payments[7]!;
    const { id, request_id: request, transaction_hash: transaction } = payment;
    const box = tab.page.getByRole('searchbox', { name: 'Find payments' });
    for (const told of [id, transaction!, request, nonceOf(payment)]) {
      await box.fill(` ${told} `);
      await tab.askedBy(() => box.press('Enter'));
      expect(await rows().count()).toBe(1);
      expect(tab.settings.toString()).toBe(new URLSearchParams({ days: '28', q: told }).toString());
    }
    await box.fill('nothing of ours');
    await tab.askedBy(() => button('Find').click());
    expect(await rows().allInnerTexts()).toEqual([expect.stringContaining('No payment of this kind.')]);
    await box.fill('');
    await tab.askedBy(() => button('Find').click());
    expect([await rows().count(), tab.settings.toString()]).toEqual([25, 'days=28']);
  });

  it('by a wallet, whose payments can be saved', async () => {
    tab = await operator.openNumbers();
    const { payer } = tab.business.payments[7]!;
    const box = tab.page.getByRole('searchbox', { name: 'Find payments' });
    await box.fill(payer);
    await tab.askedBy(() => box.press('Enter'));
    expect(tab.settings.toString()).toBe(`days=28&wallet=${payer}`);
    await tab.page.getByRole('button', { name: /^CSV: All payments of 0x/ }).click();
    await tab.isAsked(`payments.csv?days=28&wallet=${payer}`);
    await eventually(() => expect(Object.keys(tab.saved)).toEqual(['evenkeel-payments-2026-01-04-2026-01-31.csv']));
  });

  it.each([
    ['the card of today', '#figures .card:nth-child(1)', 'status=settled&day=2026-01-31'],
    ['the card of the period', '#figures .card:nth-child(2)', 'status=settled&from=2026-01-04&to=2026-01-31'],
    ['the card of all time', '#figures .card:nth-child(3)', 'status=settled&from=2025-11-02&to=2026-01-31'],
    ['an endpoint', '#endpoint-rows', 'status=settled&endpoint=%2Fagent%2Fv1%2Fhabits%2Fanalyze'],
    ['a customer', '#customer-rows', 'status=settled&wallet=0x'],
    ['a day of the chart', '#chart', 'status=settled&day=2026-01-31'],
  ])('from the number of %s', async (_what, place, query) => {
    tab = await operator.openNumbers();
    const link = tab.page.locator(place).getByRole('link', { name: /payments?$/ });
    const asked = await tab.askedBy(() => link.first().click());
    expect(asked).toContainEqual(expect.stringContaining(`${PAYMENTS}?limit=25&${query}`));
    expect(await tab.focusedId()).toBe('payments-title');
    const chips = button(/^No longer only/);
    while ((await chips.count()) > 0) await tab.askedBy(() => chips.first().click());
    await tab.askedBy(() => tab.page.getByRole('radio', { name: 'All', exact: true }).check());
    expect(await rows().count()).toBe(25);
  });

  it('on the days of their settlement, where the number that leads to them counts so', async () => {
    tab = await operator.openNumbers({ hash: '#month=2026-01&basis=settlement' });
    const link = tab.page
      .locator('#figures .card')
      .nth(1)
      .getByRole('link', { name: /payments$/ });
    const asked = await tab.askedBy(() => link.click());
    const query = 'limit=25&status=settled&from=2026-01-01&to=2026-01-31&basis=settlement';
    expect(asked).toContain(`${PAYMENTS}?${query}`);
    await button('No longer only 1 Jan to 31 Jan 2026, by settlement').waitFor();
  });

  it.each([
    ['what waits', 'Show what waits', `${PAYMENTS}?limit=25&status=settlement_pending`],
    ['what needs a person', 'Show what needs a person', `${PAYMENTS}?limit=25&status=needs_reconciliation`],
    ['what failed', '1 failed in 24 h', `${PAYMENTS}?limit=25&status=settlement_failed`],
    ['what was served and failed', '3 served and failed', `${PAYMENTS}?limit=25&group=served_and_failed`],
    ['what names no transaction', '7 settled without a hash', `${PAYMENTS}?limit=25&group=settled_without_hash`],
  ])('from the health of all: %s', async (_what, name, path) => {
    const settlement = { settled: 90, pending: 2, needs_reconciliation: 1, failed: 4 };
    tab = await operator.openNumbers({ business: { settlement, servedAndFailed: 3, settledWithoutHash: 7 } });
    const link = tab.page.locator('#health').getByRole('link', { name });
    expect(await tab.askedBy(() => link.click())).toContain(path);
    expect(await tab.focusedId()).toBe('payments-title');
  });
});

describe('a row', () => {
  it('opens to all that is known of its payment, and to the command that closes it', async () => {
    tab = await operator.openNumbers(CLIPBOARD);
    const payment = tab.business.payments[2]!;
    const asked = await tab.askedBy(() => rows().nth(2).locator('.chip').click());
    expect(asked).toEqual([`${PAYMENTS}/${payment.id}`]);
    const said = (await details().innerText()).replace(/\s+/g, ' ');
    for (const fact of [payment.id, nonceOf(payment), payment.request_id, payment.payer, 'facilitator_timeout']) {
      expect(said).toContain(fact);
    }
    expect(said).toMatch(/Age 3 min since 2026-01-31T13:58:49\.412Z/);
    expect(said).toMatch(/Served yes/);
    expect(said).toMatch(/Verified 31 Jan 13:58:49 Waiting|31 Jan 13:58:49 Verified/);
    const command = `npm run payment:close -- ${payment.payer} ${nonceOf(payment)}`;
    expect(await details().locator('code').allInnerTexts()).toEqual([
      `${command} TRANSACTION_HASH`,
      `${command} failed`,
    ]);
    await details().getByRole('button', { name: 'Copy', exact: true }).last().click();
    await details().getByRole('button', { name: 'Copied' }).waitFor();
    expect(await tab.page.evaluate(() => navigator.clipboard.readText())).toBe(`${command} failed`);
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
    expect(await opener(0).getAttribute('aria-expanded')).toBe('true');
    expect(await opener(0).evaluate((element) => element === document.activeElement)).toBe(true);
    await opener(1).focus();
    await tab.askedBy(() => tab.page.keyboard.press('Space'));
    expect([await details().count(), tab.settings.get('open')]).toEqual([1, tab.business.payments[1]!.id]);
    await tab.page.goBack();
    await eventually(async () => expect(await opener(0).getAttribute('aria-expanded')).toBe('true'));
    await opener(0).press('Enter');
    await eventually(async () => expect(await details().count()).toBe(0));
  });

  it('stays open in the address, also where it is further down, and is said to be missing where it is', async () => {
    const { id } = aPayment(44);
    tab = await operator.openNumbers({ hash: `#days=28&open=${id}` });
    await details().getByText(id).waitFor();
    expect(await rows().count()).toBe(26);
    tab = await operator.openNumbers({ hash: '#days=28&open=0194b3a0-0000-7000-8000-ffffffffffff' });
    await tab.page.getByText('No payment has this id, or its event has not arrived.').waitFor();
    expect(await rows().count()).toBe(26);
  });

  it('shows the whole payer on focus, and copies it', async () => {
    tab = await operator.openNumbers(CLIPBOARD);
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
    expect(await tab.page.evaluate(() => navigator.clipboard.readText())).toBe(payer);
    await tab.passMs(1_500);
    expect(await full.innerText()).toBe(payer);
  });

  it('is copied where browsers have no clipboard, as over plain http', async () => {
    tab = await operator.openNumbers();
    await tab.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    const { payer } = tab.business.payments[0]!;
    const copy = rows()
      .first()
      .getByRole('button', { name: `Copy ${payer}` });
    await copy.press('Enter');
    await eventually(async () => (await rows().first().locator('.full').innerText()) === 'Copied');
    expect(await copy.evaluate((element) => element === document.activeElement)).toBe(true);
    const box = tab.page.getByRole('searchbox', { name: 'Find payments' });
    await box.focus();
    await tab.page.keyboard.press('Control+v');
    expect(await box.inputValue()).toBe(payer);
  });
});

describe('the list', () => {
  const idsOf = () => rows().evaluateAll((all) => all.map((row) => row.querySelector('time')!.dateTime));
  const times = (newest: number, count: number) =>
    tab.business.payments.slice(newest, newest + count).map(({ verified_at: at }) => at);

  it('continues below, and no row goes away when new ones come in above', async () => {
    tab = await operator.openNumbers();
    expect(await tab.askedBy(() => button('Load more').click())).toEqual([
      `${PAYMENTS}?limit=25&cursor=${tab.business.payments[24]!.id}&days=28`,
    ]);
    await eventually(async () => expect(await rows().count()).toBe(50));
    await tab.askedBy(() => button('Load more').click());
    await eventually(async () => expect(await rows().count()).toBe(60));
    expect(await button('Load more').count()).toBe(0);

    tab.business.payments.unshift(aPayment(-1));
    expect(await tab.askedBy(() => button('Refresh').click())).toContain(`${PAYMENTS}?limit=60&days=28`);
    expect(await idsOf()).toEqual(times(0, 61));
  });

  it('keeps the row that has the focus', async () => {
    tab = await operator.openNumbers();
    const copy = rows().nth(20).getByRole('button').last();
    await copy.focus();
    tab.business.payments.unshift(...Array.from({ length: 9 }, (_, index) => aPayment(index - 9)));
    await tab.askedBy(() => tab.passMs(30_000));
    expect(
      await rows()
        .nth(29)
        .getByRole('button')
        .last()
        .evaluate((element) => element === document.activeElement),
    ).toBe(true);
  });

  it('is the newest page alone where nobody is at it', async () => {
    tab = await operator.openNumbers();
    tab.business.payments.unshift(...Array.from({ length: 9 }, (_, index) => aPayment(index - 9)));
    await tab.askedBy(() => tab.passMs(30_000));
    await eventually(async () => expect(await idsOf()).toEqual(times(0, 25)));
  });

  it('has an end, and says how older ones are found', async () => {
    const payments = Array.from({ length: 500 }, (_, index) => aPayment(index));
    tab = await operator.openNumbers({ business: { payments } });
    for (let shown = 25; shown < 400; shown += 25) {
      await button('Load more').click();
      await eventually(async () => expect(await rows().count()).toBe(shown + 25));
    }
    await tab.page.getByText('The list ends after 400 rows.').waitFor();
    expect(await button('Load more').count()).toBe(0);
  });
});
