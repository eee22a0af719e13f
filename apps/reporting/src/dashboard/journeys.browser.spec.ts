import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import { nonceOf } from '../projection/history.fixture';
import { PAYMENTS } from './business.fixture';
import { operatorBrowser, type OperatorTab, PHONE, overflowOf } from './operator-browser.fixture';

/** What every other suite shows in Chromium, once in the other browser. */
describe('in Firefox, an operator', () => {
  const operator = operatorBrowser({ name: 'firefox' });
  let tab: OperatorTab;
  const shown = (said: string | RegExp) => tab.page.getByText(said).first().waitFor();

  it('is refused with a wrong token, signs in with the right one, and chooses another period', async () => {
    tab = await operator.open();
    expect(await accessibilityFaults(tab.page)).toEqual([]);
    await tab.signIn('not the right one');
    await shown('This is not the operator token of this service.');
    await tab.signIn();
    await tab.page.getByRole('status').getByText('2 payments wait for settlement, oldest 4 min.').waitFor();
    await tab.page.getByRole('link', { name: '7 days', exact: true }).click();
    await tab.isAsked('summary?days=7&compare=previous');
    await tab.place('figures').getByRole('heading', { name: '7 days' }).waitFor();
    // By the page: the driver waits for a document that Firefox does not load again.
    await tab.page.evaluate(() => history.back());
    await tab.place('figures').getByRole('heading', { name: '28 days' }).waitFor();
    expect(tab.complaints.filter((text) => !text.includes('401'))).toEqual([]);
    await tab.picture('journey-firefox');
  });

  it('finds a payment that waits, opens its row, and gets the command that closes it', async () => {
    tab = await operator.openNumbers({ hash: '#days=7&theme=dark' });
    const { id } = PAYMENTS[1]!;
    await tab.page.getByRole('searchbox', { name: 'Find payments' }).fill(nonceOf(id));
    await tab.page.keyboard.press('Enter');
    const rows = tab.place('payment-rows').locator('tr:not(.details)');
    await eventually(async () => expect(await rows.count()).toBe(1));
    await rows.getByRole('button', { name: /details$/ }).click();
    await shown(new RegExp(`^npm run payment:close -- 0x\\w+ ${nonceOf(id)} failed$`));
    expect(tab.settings.get('open')).toBe(id);
    expect(await accessibilityFaults(tab.page)).toEqual([]);
    await tab.picture('payment-firefox');
  });

  it('is informed while the service does not answer, and sees it recover', async () => {
    tab = await operator.openNumbers();
    tab.refusal = { status: 503 };
    await tab.page.getByRole('button', { name: 'Refresh' }).click();
    const notice = tab.page.locator('.notice p', { hasText: /Not refreshed:\s+the service answered 503/ });
    await notice.first().waitFor();
    tab.refusal = undefined;
    await tab.page.getByRole('button', { name: 'Try now' }).first().click();
    await notice.first().waitFor({ state: 'detached' });
  });

  it('reads it on a phone, and saves a file', async () => {
    tab = await operator.openNumbers({ viewport: PHONE });
    expect(await overflowOf(tab.page)).toBe(0);
    await tab.picture('phone-firefox');
    await tab.page.getByRole('link', { name: 'Statement, Jan 2026' }).click();
    await tab.page.getByRole('button', { name: 'CSV: Statement, Jan 2026' }).click();
    await eventually(() =>
      expect(tab.saved['evenkeel-statement-2026-01.csv']).toMatch(/^month,section,item,count,amount_usd\r\n/),
    );
  });
});
