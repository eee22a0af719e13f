import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@evenkeel/platform/testing';
import { accessibilityFaults } from '@evenkeel/services/browser';
import type { Payment } from './browser/answers';
import { aBusiness, noBusiness } from './business.fixture';
import { operatorBrowser, PHONE, TOKEN, type OperatorTab } from './operator-browser.fixture';

const operator = operatorBrowser();
let tab: OperatorTab;

const shown = (text: string | RegExp) => tab.page.getByText(text).first().waitFor();
/** The notice about missing numbers. */
const notice = (pattern: RegExp): Promise<RegExpExecArray> =>
  eventually(async () => {
    const said = (await tab.page.locator('.notice p').innerText()).replace(/\s+/g, ' ');
    const match = pattern.exec(said);
    if (!match) throw new Error(`it says: ${said}`);
    return match;
  });
/** Lines of a shell in which this is typed, with an `npm` that says which token it has. */
function typed(command: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-typed-'));
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "started with $ADMIN_TOKEN"\n', { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const said = execFileSync('sh', ['-c', command], { encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  return said.trim().split('\n');
}
const tokenField = () => tab.page.getByLabel('Operator token');

describe('the token', () => {
  it('is asked for first, with the focus in its field and nothing requested', async () => {
    tab = await operator.open();
    expect(await tokenField().evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await tokenField().getAttribute('autocomplete')).toBe('off');
    expect(await tokenField().getAttribute('type')).toBe('password');
    expect(await tab.page.getByLabel('Keep for this tab').isChecked()).toBe(false);
    await shown(/stays in the memory of this tab/);
    expect(tab.asked).toEqual([]);
    expect(await accessibilityFaults(tab.page)).toEqual([]);
    await tab.picture('token');
  });

  it.each(['not the right one', 'ключ'])('is refused when it is wrong, and stays in the field: %s', async (wrong) => {
    tab = await operator.open();
    await tab.signIn(wrong);
    await shown('This is not the operator token of this service.');
    expect(await tokenField().inputValue()).toBe(wrong);
    expect(await tokenField().evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await tokenField().getAttribute('aria-invalid')).toBe('true');
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
    await tokenField().waitFor();
  });

  it('is forgotten with the tab, unless the operator keeps it', async () => {
    tab = await operator.openNumbers();
    // A tab's own storage ends with it; the other one would outlive tab and browser.
    const stored = () => tab.page.evaluate(() => ({ tab: { ...sessionStorage }, browser: { ...localStorage } }));
    const nothing = { tab: {}, browser: {} };
    const kept = { tab: { 'evenkeel.operator-token': TOKEN }, browser: {} };
    expect(await stored()).toEqual(nothing);
    await tab.page.reload();
    await tokenField().waitFor();
    expect(await stored()).toEqual(nothing);

    await tab.page.getByLabel('Keep for this tab').check();
    await tab.signIn();
    await shown('Settled');
    expect(await stored()).toEqual(kept);
    await tab.page.reload();
    await shown('Settled');
    expect(await stored()).toEqual(kept);
    const [{ payer }] = tab.business.payments as [Payment];
    await eventually(async () => expect(await tab.page.content()).toContain(payer));
    await tab.page.getByRole('button', { name: 'Sign out' }).click();
    await tokenField().waitFor();
    expect(await stored()).toEqual(nothing);
    expect(await tab.page.content()).not.toContain(payer);
  });

  it('is asked for again when it is refused', async () => {
    tab = await operator.openNumbers();
    tab.refusal = { status: 401 };
    await tab.page.getByRole('button', { name: 'Refresh' }).click();
    await shown('This is not the operator token of this service.');
    expect(await tab.page.getByText('Latest payments').isVisible()).toBe(false);
  });
});

describe('while the numbers are on their way', () => {
  it.each([
    ['a desk', undefined],
    ['a phone', PHONE],
  ])('reserves their places, so that nothing moves: on %s', async (where, viewport) => {
    tab = await operator.open({ viewport: viewport ?? { width: 1280, height: 800 } });
    tab.business.settlement = { settled: 4302, pending: 0, needs_reconciliation: 0, failed: 0 };
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
  });
});

describe('before the first payment', () => {
  it('says how to make the first payment, and shows it when it comes', async () => {
    tab = await operator.open();
    tab.business = noBusiness();
    await tab.signIn();
    // The page is not at an agent's default address.
    await shown(`npm run agent -- recommend --url ${operator.running.url}`);
    await shown('No payment yet.');
    expect(await tab.page.getByText('Revenue per day').isVisible()).toBe(false);
    expect(await accessibilityFaults(tab.page)).toEqual([]);
    await tab.picture('empty');

    tab.business = aBusiness();
    await tab.passMs(2_000);
    await shown('Revenue per day');
    expect(await tab.page.getByText('npm run agent').isVisible()).toBe(false);
  });
});

describe('when there are no new numbers', () => {
  const REFUSALS = [
    ['too many requests from this address', { status: 429, headers: { 'retry-after': '20' } }, 20],
    ['the service answered 503', { status: 503 }, 2],
    ['the network does not answer', 'no network', 2],
  ] as const;

  it.each(REFUSALS)('keeps the last ones with their age: %s', async (why, refusal, waitSeconds) => {
    tab = await operator.openNumbers({ timeStands: true });
    const before = await tab.page.locator('#figures').innerText();
    tab.refusal = refusal;
    await tab.passMs(15_000);
    const said = new RegExp(`^Not refreshed: ${why}. These numbers are (\\d+) s old. Next try in (\\d+) s.$`);
    const [, age, next] = (await notice(said)).map(Number);
    expect(age).toBeGreaterThanOrEqual(15);
    expect(next).toBeLessThanOrEqual(waitSeconds);
    await shown(/^as of 14:02:07 UTC, \d+ s old$/);
    expect(await tab.page.locator('#figures').innerText()).toBe(before);
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
    await notice(/^Not loaded: the service answered 503. Next try in \d s.$/);
    expect(await accessibilityFaults(tab.page, '#notice')).toEqual([]);
  });
});

it.each([
  ['All 4,302 payments settled.', { settled: 4302 }, null],
  ['1 payment needs a person.', { settled: 9, needs_reconciliation: 1 }, 'needs_reconciliation'],
])('stuck payments are described in words: %s', async (sentence, settlement, status) => {
  const none = { settled: 0, pending: 0, needs_reconciliation: 0, failed: 0 };
  tab = await operator.openNumbers({ business: { settlement: { ...none, ...settlement } } });
  expect(await tab.page.getByRole('status').innerText()).toBe(sentence);
  expect(await tab.page.getByRole('link', { name: 'Show these payments' }).count()).toBe(status === null ? 0 : 1);
  expect(await accessibilityFaults(tab.page, '#health')).toEqual([]);
  await tab.picture(`health-${status ?? 'good'}`);
});
