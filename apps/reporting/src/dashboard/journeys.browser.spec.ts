import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import { statementFile } from './answers.fixture';
import { nonceOf } from './business.fixture';
import { collisionsOf, overflowOf } from './layout.fixture';
import { operatorBrowser, type OperatorTab, PHONE } from './operator-browser.fixture';

/** What every other suite shows in Chromium, once in the other browser. */
describe('in Firefox, an operator', () => {
  const operator = operatorBrowser({ name: 'firefox' });
  let tab: OperatorTab;

  const rows = () => tab.place('payment-rows').locator('tr:not(.details)');
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
    expect(tab.complaints).toEqual([]);
    await tab.picture('journey-firefox');
  });

  it('finds a payment that waits, opens its row, and gets the command that closes it', async () => {
    tab = await operator.openNumbers({ hash: '#days=7&theme=dark' });
    const waiting = tab.business.payments[2]!;
    await tab.page.getByRole('searchbox', { name: 'Find payments' }).fill(nonceOf(waiting));
    await tab.page.keyboard.press('Enter');
    await eventually(async () => expect(await rows().count()).toBe(1));
    await rows()
      .first()
      .getByRole('button', { name: /details$/ })
      .click();
    await shown(`npm run payment:close -- ${waiting.payer} ${nonceOf(waiting)} failed`);
    expect(tab.settings.get('open')).toBe(waiting.id);
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
    expect(await collisionsOf(tab.page)).toEqual([]);
    await tab.picture('phone-firefox');
    await tab.page.getByRole('link', { name: 'Statement, Dec 2025' }).click();
    await tab.page.getByRole('button', { name: 'CSV: Statement, Dec 2025' }).click();
    await eventually(() => expect(tab.saved).toEqual({ 'evenkeel-statement-2025-12.csv': statementFile('2025-12') }));
  });
});
