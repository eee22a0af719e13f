import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults, BROWSERS } from '@evenkeel/services/browser';
import { collisionsOf, overflowOf } from './layout.fixture';
import { OperatorBrowser, type OperatorTab, PHONE } from './operator-browser.fixture';
import { nonceOf } from './payment-answers.fixture';

// For a browser on a busy machine.
jest.setTimeout(120_000);

/** The journeys on the page, in Chromium and in Firefox. */
describe.each(BROWSERS)('in %s, an operator', (name) => {
  let operator: OperatorBrowser;
  let tab: OperatorTab;
  beforeAll(async () => (operator = await OperatorBrowser.start({ name })), 120_000);
  afterEach(() => tab.close());
  afterAll(() => operator?.close());

  const rows = () => tab.place('payment-rows').locator('tr:not(.details)');
  const shown = (said: string | RegExp) => tab.page.getByText(said).first().waitFor();

  it('is refused with a wrong token, and signs in with the right one', async () => {
    tab = await operator.open();
    await tab.signIn('not the right one');
    await shown('This is not the operator token of this service.');
    // Chromium writes down each answer with a 401.
    tab.complaints.splice(0);
    await tab.signIn();
    await tab.page.getByRole('status').getByText('2 payments wait for settlement, oldest 4 min.').waitFor();
    expect(await tab.place('figures').locator('.card').count()).toBeGreaterThanOrEqual(3);
    expect(tab.complaints).toEqual([]);
    await tab.picture(`journey-${name}`);
  });

  it.each(sized(['dark'], ['light', 'dark']))(
    'finds nothing that axe objects to, signed out and in: %s',
    async (theme) => {
      tab = await operator.open({ hash: `#days=7&theme=${theme}` });
      expect(await accessibilityFaults(tab.page)).toEqual([]);
      // One of each kind says as much as all of them, sooner.
      tab.business.payments = tab.business.payments.slice(0, 10);
      await tab.signIn();
      await tab.page.locator('.chip').first().waitFor();
      await tab.page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      expect(await accessibilityFaults(tab.page)).toEqual([]);
    },
  );

  it('chooses another period, which is in the address, and goes back', async () => {
    tab = await operator.openNumbers();
    await tab.page.getByRole('link', { name: '7 days', exact: true }).click();
    await tab.isAsked('summary?days=7&compare=previous');
    expect(tab.settings.get('days')).toBe('7');
    await tab.place('figures').getByRole('heading', { name: '7 days' }).waitFor();
    // By the page: the driver waits for a document that Firefox does not load again.
    await tab.page.evaluate(() => history.back());
    await tab.place('figures').getByRole('heading', { name: '28 days' }).waitFor();
    await tab.page.getByRole('link', { name: 'Last month' }).click();
    await tab.isAsked('summary?month=2025-12&compare=previous');
  });

  it('finds a payment that waits, opens its row, and gets the command that closes it', async () => {
    tab = await operator.openNumbers();
    const waiting = tab.business.payments[2]!;
    await tab.page.getByRole('searchbox', { name: 'Find payments' }).fill(nonceOf(waiting));
    await tab.page.keyboard.press('Enter');
    await eventually(async () => expect(await rows().count()).toBe(1));
    expect(tab.settings.get('q')).toBe(nonceOf(waiting));
    await rows()
      .first()
      .getByRole('button', { name: /details$/ })
      .click();
    await shown(`npm run payment:close -- ${waiting.payer} ${nonceOf(waiting)} failed`);
    const details = tab.place('payment-rows').locator('.details');
    for (const said of [waiting.id, waiting.request_id, 'facilitator_timeout', 'yes, the buyer has the result']) {
      expect(await details.innerText()).toContain(said);
    }
    expect(tab.settings.get('open')).toBe(waiting.id);
    expect(await accessibilityFaults(tab.page, '[data-section=payments]')).toEqual([]);
    await tab.picture(`payment-${name}`);
  });

  it('gets to its rows from a number', async () => {
    tab = await operator.openNumbers();
    const { endpoint } = tab.business.payments[0]!;
    await tab
      .place('endpoint-rows')
      .locator(`a[href*="endpoint=${encodeURIComponent(endpoint)}"]`)
      .first()
      .click();
    await eventually(() => expect(tab.settings.get('endpoint')).toBe(endpoint));
    await eventually(async () => expect(await rows().count()).toBe(12));
    expect(await tab.place('payments-title').evaluate((title) => title === document.activeElement)).toBe(true);
  });

  it('is informed while the service does not answer, and sees it recover', async () => {
    tab = await operator.openNumbers();
    tab.refusal = { status: 503 };
    await tab.page.getByRole('button', { name: 'Refresh' }).click();
    await tab.page
      .locator('.notice p', { hasText: /Not refreshed:\s+the service answered 503/ })
      .first()
      .waitFor();
    tab.refusal = undefined;
    await tab.page.getByRole('button', { name: 'Try now' }).first().click();
    await tab.page.locator('.notice').first().waitFor({ state: 'detached' });
  });

  it('reads it on a phone', async () => {
    tab = await operator.openNumbers({ viewport: PHONE });
    expect(await overflowOf(tab.page)).toBe(0);
    expect(await collisionsOf(tab.page)).toEqual([]);
    await tab.picture(`phone-${name}`);
  });
});
