import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import { aMonthOfSubscriptions, publishedOf } from '../projection/subscriptions/subscription-history.fixture';
import { TOKEN } from '../revenue/reporting.fixture';
import { aBusiness } from './business.fixture';
import { healthWith, operatorBrowser, PHONE, type OperatorTab } from './operator-browser.fixture';

const operator = operatorBrowser();
let tab: OperatorTab;

const shown = (text: string | RegExp) => tab.page.getByText(text).first().waitFor();
const says = async (pattern: RegExp) =>
  eventually(async () =>
    expect((await tab.page.locator('#notice p').innerText()).replace(/\s+/g, ' ')).toMatch(pattern),
  );

/** Lines of a shell in which this is typed, with an `npm` that says which token it has. */
function typed(command: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-typed-'));
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "started with $ADMIN_TOKEN"\n', { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const said = execFileSync('sh', ['-c', command], { encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  return said.trim().split('\n');
}

describe('the token', () => {
  const field = () => tab.page.getByLabel('Operator token');
  const hasFocus = () => field().evaluate((element) => element === document.activeElement);

  it('is asked for first, with nothing requested, and stays in its field when it is wrong', async () => {
    tab = await operator.open();
    expect(await hasFocus()).toBe(true);
    expect([await field().getAttribute('autocomplete'), await field().getAttribute('type')]).toEqual([
      'off',
      'password',
    ]);
    expect(await tab.page.getByLabel('Keep for this tab').isChecked()).toBe(false);
    await shown(/stays in the memory of this tab/);
    expect(tab.asked).toEqual([]);
    expect(await accessibilityFaults(tab.page)).toEqual([]);
    await tab.picture('token');
    for (const wrong of ['not the right one', 'ключ']) {
      await tab.signIn(wrong);
      await shown('This is not the operator token of this service.');
      expect([await field().inputValue(), await hasFocus()]).toEqual([wrong, true]);
      expect(await field().getAttribute('aria-invalid')).toBe('true');
    }
    expect(await accessibilityFaults(tab.page)).toEqual([]);
    await tab.picture('wrong-token');
  });

  it('is refused while too many requests come from here, and where none is configured', async () => {
    tab = await operator.open();
    tab.refusal = { status: 429, headers: { 'retry-after': '20' } };
    await tab.signIn();
    await shown(/could not be tried: too many requests from this address/);
    tab.refusal = { status: 501 };
    await tab.signIn();
    await shown('No operator token is configured');
    const command = await tab.page.locator('.command code').innerText();
    expect(command).toMatch(/; npm start$/);
    expect(await accessibilityFaults(tab.page)).toEqual([]);
    await tab.picture('not-configured');
    const [printed, started] = typed(command);
    expect(printed).toMatch(/^[0-9a-f]{48}$/);
    expect(started).toBe(`started with ${printed}`);
    await tab.page.getByRole('button', { name: 'Enter the token' }).click();
    await field().waitFor();
  });

  it('is forgotten with the tab unless the operator keeps it, and asked for again when it is refused', async () => {
    tab = await operator.openNumbers();
    // A tab's own storage ends with it; the other one would outlive tab and browser.
    const stored = () => tab.page.evaluate(() => ({ tab: { ...sessionStorage }, browser: { ...localStorage } }));
    const nothing = { tab: {}, browser: {} };
    expect(await stored()).toEqual(nothing);
    await tab.page.reload();
    await field().waitFor();
    await tab.page.getByLabel('Keep for this tab').check();
    await tab.signIn();
    await shown('Settled');
    await tab.page.reload();
    await shown('Settled');
    expect(await stored()).toEqual({ tab: { 'evenkeel.operator-token': TOKEN }, browser: {} });
    const payer = (await tab.page.locator('#payment-rows .full').first().textContent())!;
    await tab.page.getByRole('button', { name: 'Sign out' }).click();
    await field().waitFor();
    expect(await stored()).toEqual(nothing);
    expect(await tab.page.content()).not.toContain(payer);

    await tab.signIn();
    await shown('Settled');
    await tab.isCalm();
    tab.refusal = { status: 401 };
    await tab.page.getByRole('button', { name: 'Refresh' }).click();
    await shown('This is not the operator token of this service.');
    expect(await tab.page.getByText('Latest payments').isVisible()).toBe(false);
  });
});

it.each([
  ['a desk', undefined],
  ['a phone', PHONE],
])(
  'reserves the places of the numbers that are on their way, so that nothing moves: on %s',
  async (where, viewport) => {
    const settlement = { settled: 4302, pending: 0, needs_reconciliation: 0, failed: 0 };
    tab = await operator.open({ ...(viewport && { viewport }), changes: healthWith({ settlement, past_due: 0 }) });
    // The one that tries the token.
    tab.answeredReads = 1;
    await tab.signIn();
    await tab.page.locator('#payment-rows .skeleton').first().waitFor();
    const places = () =>
      tab.page.evaluate(() =>
        ['health', 'figures', 'chart', 'endpoint-rows', 'payment-rows'].map((id) => {
          const { top, height } = document.getElementById(id)!.getBoundingClientRect();
          return [id, Math.round(top + scrollY), Math.round(height)];
        }),
      );
    const before = await places();
    expect(await accessibilityFaults(tab.page, '.endpoints')).toEqual([]);
    await tab.picture(`loading-${where.replace(' ', '-')}`);
    tab.release();
    await tab.page.locator('.chip').first().waitFor();
    expect(await places()).toEqual(before);
  },
);

it('says how to make the first payment, beside subscriptions that there are, and shows it when it comes', async () => {
  const { reporting } = operator;
  await reporting.forget();
  await reporting.publish(...publishedOf(aMonthOfSubscriptions()));
  tab = await operator.open();
  await tab.signIn();
  // The page is not at an agent's default address.
  await shown(`npm run agent -- recommend --url ${reporting.running.url}`);
  await shown(/No payment yet\./);
  expect(await tab.page.locator('[data-section=subscriptions]').innerText()).toContain('Premium monthly');
  expect(await tab.page.getByText('Revenue per day').isVisible()).toBe(false);
  expect(await accessibilityFaults(tab.page)).toEqual([]);
  await tab.picture('empty');

  await reporting.publish(...aBusiness());
  await tab.passMs(2_000);
  await shown('Revenue per day');
  expect(await tab.page.getByText('npm run agent').isVisible()).toBe(false);
});

describe('when there are no new numbers', () => {
  it.each([
    ['too many requests from this address', { status: 429, headers: { 'retry-after': '20' } }, 20],
    ['the network does not answer', 'no network', 2],
  ] as const)('keeps the last ones with their age: %s', async (why, refusal, waitSeconds) => {
    tab = await operator.openNumbers({ timeStands: true });
    const before = await tab.place('figures').innerText();
    tab.refusal = refusal;
    await tab.passMs(15_000);
    await says(new RegExp(`^Not refreshed: ${why}. These numbers are 1\\d s old. Next try in \\d+ s.$`));
    await shown(/^as of 14:02:07 UTC, \d+ s old$/);
    expect(await tab.place('figures').innerText()).toBe(before);
    expect(await tab.page.getByRole('status').innerText()).toContain('Not refreshed since 14:02:07 UTC.');
    await tab.picture('stale');
    tab.refusal = undefined;
    await tab.passMs(waitSeconds * 1_000);
    await shown('as of 14:02:07 UTC, 0.4 s behind');
    expect(await tab.page.getByText('Not refreshed').count()).toBe(0);
  });

  it('is shown before the first numbers, so that everybody can read it', async () => {
    tab = await operator.open();
    tab.answeredReads = 1;
    await tab.signIn();
    await tab.page.locator('#payment-rows .skeleton').first().waitFor();
    tab.refusal = { status: 503 };
    tab.release();
    await says(/^Not loaded: the service answered 503. Next try in \d s.$/);
    expect(await accessibilityFaults(tab.page, '#notice')).toEqual([]);
  });
});

it('what is wrong is described in words, which lead to it', async () => {
  const settlement = { settled: 9, pending: 0, needs_reconciliation: 1, failed: 0 };
  const disputes = { open: 1, amount: { usd: 15.98, usd_exact: '15.980000' } };
  tab = await operator.openNumbers({ changes: healthWith({ settlement, past_due: 1_200, disputes }) });
  expect(await tab.page.getByRole('status').innerText()).toBe(
    '1 payment needs a person. 1,200 subscriptions are past due. Invoices of 15.98 USD are in dispute.',
  );
  expect(await tab.page.getByRole('link', { name: 'Show these payments' }).count()).toBe(1);
  expect(await accessibilityFaults(tab.page, '#health')).toEqual([]);
  await tab.picture('health');
  await tab.page.getByRole('link', { name: 'Show subscriptions' }).click();
  expect(await tab.focusedId()).toBe('subscriptions-title');
});

it('leads to subscriptions from a period before the first of them too, with a dash for what nobody brings', async () => {
  tab = await operator.openNumbers({ hash: '#from=2025-12-01&to=2025-12-31', changes: healthWith({ past_due: 1 }) });
  await tab.page.getByRole('link', { name: 'Show subscriptions' }).click();
  expect(await tab.focusedId()).toBe('subscriptions-title');
  const section = tab.page.locator('[data-section=subscriptions]');
  expect((await section.innerText()).replace(/\s+/g, ' ')).toContain('By subscriber, USD –');
  expect(await section.locator('.skeleton').count()).toBe(0);
});
