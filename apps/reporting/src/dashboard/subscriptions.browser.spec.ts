import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import { aBusiness, noBusiness, someSubscriptions } from './business.fixture';
import { collisionsOf, overflowOf } from './layout.fixture';
import { DESKTOP, operatorBrowser, PHONE, type OperatorTab } from './operator-browser.fixture';

const operator = operatorBrowser();
let tab: OperatorTab;

const section = () => tab.page.locator('[data-section=subscriptions]');
const shown = async () => (await section().innerText()).replace(/[\u202f\s]+/g, ' ');

it.each([
  ['light', DESKTOP],
  ['dark', PHONE],
] as const)(
  'fit their window, are legible, and have nothing that axe objects to: %s, %j',
  async (colorScheme, viewport) => {
    const subscriptions = someSubscriptions({ monthly: 1_234_567, pastDue: 12, disputedMicros: 7_990_000 });
    const business = { payments: aBusiness().payments.slice(0, 1), subscriptions };
    tab = await operator.openNumbers({ colorScheme, viewport, hash: '#days=7', business });
    expect(await overflowOf(tab.page)).toBe(0);
    expect(await accessibilityFaults(tab.page, '[data-section=subscriptions]')).toEqual([]);
    expect(await accessibilityFaults(tab.page, '#health')).toEqual([]);
    expect(await collisionsOf(tab.page)).toEqual([]);
    const sizes = await section()
      .locator('*')
      .evaluateAll((all) => all.map((element) => parseFloat(getComputedStyle(element).fontSize)));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12);
    await section().scrollIntoViewIfNeeded();
    await tab.picture(`subscriptions-${viewport.width}-${colorScheme}`, false);
  },
);

it('shows MRR, its movements, plans, standing and invoices', async () => {
  tab = await operator.openNumbers();
  expect((await section().locator('.revenue').innerText()).replace(/\s+/g, ' ')).toMatch(/^11 902\.35 USD a month$/);
  const said = await shown();
  expect(said).toMatch(/↑ \d+ % more than before 4 Jan 2026/);
  expect(said).toMatch(
    /New \+878\.90 Reactivation \+95\.88 Expansion \+12\.00 Contraction −71\.78 Churn −287\.64 End/i,
  );
  expect(said).toMatch(
    /Premium monthly 1 230 9 827\.70 Premium yearly 415 2 074\.65 Other price 0 0\.00 All plans 1 645 11 902\.35/,
  );
  expect(said).toMatch(/Active 1 645 Past due 0 In a trial 27 Will end 14 Granted 3/);
  expect(said).toMatch(
    /Paid 1 645 Gross, USD [\d .]+ Tax, USD [\d .]+ Refunded, USD 95\.88 Disputed, USD 0\.00 Net, USD/,
  );
  const parts = await section()
    .locator('.stacked-bar [data-part]')
    .evaluateAll((all) => all.map((part) => part.getAttribute('data-part')));
  expect(parts).toEqual(['new', 'reactivation', 'expansion', 'contraction', 'churn']);
  expect(tab.asked).toContain('/v1/admin/revenue/subscriptions?days=28&compare=previous');
});

it('is not there before there was any subscription', async () => {
  tab = await operator.openNumbers({ business: { subscriptions: null } });
  expect(await section().isVisible()).toBe(false);
});

it.each([
  ['a subscription, though no call was ever paid', someSubscriptions({ monthly: 3, yearly: 0 })],
  ['a plan that nobody has any more', someSubscriptions({ monthly: 0, yearly: 0 })],
])('is there beside the page for the first payment, with %s', async (_what, subscriptions) => {
  tab = await operator.open({ business: { ...noBusiness(), subscriptions } });
  await tab.signIn();
  await section().waitFor();
  await tab.page.getByText('npm run agent -- recommend').waitFor();
  expect(await tab.page.getByText('Revenue per day').isVisible()).toBe(false);
  expect(await shown()).toContain('Premium monthly');
  expect(await accessibilityFaults(tab.page)).toEqual([]);
  await tab.picture(`subscriptions-alone-${subscriptions.monthly}`);
});

it('have their concerns in the health sentence, which leads to them', async () => {
  const settlement = { settled: 4302, pending: 0, needs_reconciliation: 0, failed: 0 };
  const subscriptions = someSubscriptions({ pastDue: 1_200, disputedMicros: 15_980_000 });
  tab = await operator.openNumbers({ business: { settlement, subscriptions } });
  expect(await tab.page.getByRole('status').innerText()).toBe(
    'All 4,302 payments settled. 1,200 subscriptions are past due. Invoices of 15.98 USD are in dispute.',
  );
  await tab.page.getByRole('link', { name: 'Show subscriptions' }).click();
  expect(await tab.focusedId()).toBe('subscriptions-title');
  expect(await section().evaluate((element) => element.getBoundingClientRect().top < innerHeight)).toBe(true);
});

it('gives the invoices of the period as a file, and says when it cannot', async () => {
  tab = await operator.openNumbers({ hash: '#days=7' });
  const button = section().getByRole('button', { name: /^CSV/ });
  await button.click();
  const file = { 'evenkeel-invoices-2026-01-25-2026-01-31.csv': 'id,amount_usd\r\n' };
  await eventually(() => expect(tab.saved).toEqual(file));
  expect(tab.asked.at(-1)).toBe('/v1/admin/revenue/invoices.csv?days=7');
  tab.refusal = { status: 503 };
  await button.click();
  await section().getByText('Not saved: the service answered 503.').waitFor();
});
