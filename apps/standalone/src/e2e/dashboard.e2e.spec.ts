import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { LocalRun } from './local-run.fixture';
import { OperatorPage } from './operator-page.fixture';
import { aPaidRequest, aWallet, type PaidRequest } from './paid-request.fixture';
import { ADMIN_TOKEN } from './reporting-programs.fixture';
import { send } from './send.fixture';

/** Operators are promised two seconds; a loaded machine gets three times that. */
const SEEN_WITHIN_MS = 3 * 2_000;

jest.setTimeout(60_000);

let local: LocalRun;
let url: string;
let operator: OperatorPage;

beforeAll(async () => {
  local = new LocalRun({ ADMIN_TOKEN });
  url = await local.url();
  operator = await OperatorPage.open(url);
}, 180_000);

afterAll(async () => {
  await operator?.close();
  await local?.close();
}, 60_000);

async function buy(operation: (typeof PAID_ENDPOINTS)[number]['operation']): Promise<PaidRequest> {
  const request = await aPaidRequest({ operation, wallet: aWallet() });
  expect((await send(url, request)).status).toBe(200);
  return request;
}

describe('the dashboard of npm start', () => {
  it('refuses a wrong token', async () => {
    await operator.signIn('not the word that operators know');
    await operator.page.getByText('This is not the operator token of this service.').waitFor();
  });

  it('waits for the first payment, and shows it by itself', async () => {
    await operator.signIn();
    await operator.page.getByText('Make the first payment').waitFor();
    const [command] = await operator.page.locator('.first code').allInnerTexts();
    expect(command).toBe(`npm run agent -- recommend --url ${url}`);

    const { payer } = await buy('recommend');
    await eventually(async () => expect(await operator.payers()).toEqual([payer]), { withinMs: SEEN_WITHIN_MS });
    await eventually(async () => expect(await operator.revenueOf('Today')).toBe('0.03'), { withinMs: SEEN_WITHIN_MS });
    const status = operator.page.getByRole('status');
    await eventually(async () => expect(await status.innerText()).toBe('The only payment settled.'), {
      withinMs: SEEN_WITHIN_MS,
    });
  });

  it('shows every paid call within moments of its answer', async () => {
    const bought = ['analyze', 'plan', 'reliability'] as const;
    const payers: string[] = [];
    for (const operation of bought) payers.unshift((await buy(operation)).payer);
    await eventually(
      async () => {
        await operator.refresh();
        expect((await operator.payers()).slice(0, bought.length)).toEqual(payers);
        expect(await operator.page.getByRole('status').innerText()).toBe('All 4 payments settled.');
      },
      { withinMs: SEEN_WITHIN_MS },
    );
    // 0.03, 0.05, 0.10 and 0.08, at a cost of 0.0004 each.
    await eventually(async () => expect(await operator.revenueOf('Today')).toBe('0.26'), { withinMs: SEEN_WITHIN_MS });
    expect(await operator.page.locator('.card .money[data-exact="0.258400"]').count()).toBe(1);
    // All of it is of today: another card would say the same.
    expect(await operator.page.locator('.card .revenue').count()).toBe(1);
    await operator.picture('npm-start');
  });

  it('has sent no request to another host', () => {
    const others = operator.requested.filter((address) => !address.startsWith(`${url}/v1/admin/revenue/`));
    expect(others.filter((address) => !/^(blob|data):/.test(address))).toEqual([`${url}/dashboard`]);
  });
});
