import { eventually, HeldRelayLock } from '@evenkeel/platform/testing';
import { LocalRun } from './local-run.fixture';
import { OperatorPage } from './operator-page.fixture';
import { aPaidRequest, aWallet } from './paid-request.fixture';
import { ADMIN_TOKEN, askReporting } from './reporting-programs.fixture';
import { send } from './send.fixture';

const PATIENT = { withinMs: 60_000 };
/** By the clock of the database: a busy machine makes it no later. */
const TOLD_WITHIN_MS = 10_000;
const CALLS = 10;

jest.setTimeout(240_000);

let local: LocalRun;
let url: string;
let operator: OperatorPage;

beforeAll(async () => {
  local = new LocalRun({ ADMIN_TOKEN, RATE_LIMIT_SCALE: '100' });
  url = await local.url();
  operator = await OperatorPage.open(url);
});

afterAll(async () => {
  await operator?.close();
  await local?.close();
});

interface Summary {
  lag_seconds: number;
  all_time: { paid_calls: number };
}

const summary = () => askReporting<Summary>(url, 'summary');
const shown = (pattern: string | RegExp) => operator.page.getByText(pattern).first().waitFor({ timeout: 60_000 });

async function pay(count: number): Promise<void> {
  for (let call = 0; call < count; call++) {
    expect((await send(url, await aPaidRequest({ wallet: aWallet() }))).status).toBe(200);
  }
}

/** Row by row. */
async function samePayments(): Promise<boolean> {
  const paid = await local.ask('agent-gateway', 'SELECT id, amount_atomic, state FROM audit.payments ORDER BY id');
  const copied = await local.ask(
    'reporting',
    'SELECT payment_id AS id, amount_atomic, status AS state FROM audit.payments ORDER BY payment_id',
  );
  return JSON.stringify(copied) === JSON.stringify(paid);
}

it('the page of npm start says how far behind it is while the relay is stopped, and is equal once it is not', async () => {
  await operator.signIn();
  await pay(1);
  await operator.page.getByRole('status').getByText('The only payment settled.').waitFor();
  await eventually(async () => (await summary()).lag_seconds === 0, PATIENT);

  await using held = await HeldRelayLock.take(local.databaseUrl('agent-gateway'));
  await pay(CALLS);
  await eventually(async () => expect((await summary()).lag_seconds).toBeGreaterThan(0), { withinMs: TOLD_WITHIN_MS });
  const { lag_seconds: lag, all_time } = await summary();
  expect(all_time.paid_calls).toBe(1);
  await eventually(async () => expect((await summary()).lag_seconds).toBeGreaterThan(lag), PATIENT);
  // By itself, without a click.
  await shown(/as of .+, (?!0 s)\S+ s behind/);
  await shown(/The numbers are .+ behind: what is newest is missing/);
  expect(await samePayments()).toBe(false);
  await operator.picture('relay-stopped');

  await held.release();
  await eventually(async () => expect(await summary()).toMatchObject({ lag_seconds: 0 }), PATIENT);
  expect((await summary()).all_time.paid_calls).toBe(1 + CALLS);
  expect(await samePayments()).toBe(true);
  await shown(`All ${1 + CALLS} payments settled.`);
});
