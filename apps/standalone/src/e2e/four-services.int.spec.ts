import { audit } from '@evenkeel/ops/audit';
import { APP_NAMES, PAID_ENDPOINTS, type AppName } from '@evenkeel/contracts';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { ask, jsonRequest } from '@evenkeel/platform/testing/service';
import { DevelopmentStripe } from '@evenkeel/stripe';
import type Stripe from 'stripe';
import { AccountsClient } from './accounts-client.fixture';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { aPaidRequest, send } from './paid-request.fixture';
import {
  askReporting,
  createTopics,
  databaseOf,
  settingsOf,
  startBoth,
  stopPrograms,
  type Started,
} from './programs.fixture';

jest.setTimeout(300_000);

/** Readers join their groups at first, beside all other suites of a run. */
const PATIENT = { withinMs: 120_000 };

let stripe: DevelopmentStripe;
let databases: Record<AppName, TestDatabase>;
let services: Record<AppName, Started>;

beforeAll(async () => {
  const kafka = { KAFKA_BROKERS: process.env.TEST_KAFKA_BROKERS! };
  await createTopics(kafka.KAFKA_BROKERS);
  stripe = await DevelopmentStripe.start();
  const made = APP_NAMES.map(async (name) => [name, await databaseOf(name)] as const);
  databases = Object.fromEntries(await Promise.all(made)) as typeof databases;
  const both = (name: AppName, more: object = {}) =>
    startBoth(name, settingsOf(name, databases[name], { ...kafka, ...more }));
  // In pairs: programs that start together on two cores make each other miss their deadlines.
  const gateway = await both('agent-gateway', (await FacilitatorProgram.start()).settings);
  const [reporting, accounts] = [await both('reporting'), await both('accounts')];
  const jwks = { JWKS_URL: `${accounts.url}/.well-known/jwks.json` };
  const billing = await both('billing', { ...stripe.settings(), ...jwks });
  stripe.sendTo(`${billing.url}/v1/billing/webhook/stripe`);
  services = { 'agent-gateway': gateway, accounts, billing, reporting };
});

afterAll(async () => {
  await stopPrograms();
  await stripe?.close();
  await Promise.all(Object.values(databases ?? {}).map((database) => database.drop()));
}, 60_000);

const auditOf = (...names: AppName[]) => Promise.all(names.map((name) => audit(databases[name].dataSource)));

let registered = 0;
async function somebody() {
  const client = new AccountsClient(services.accounts.url);
  const email = `person-${++registered}@example.com`;
  const { body } = await client.register({ email, password: 'a long word that nobody guesses' });
  return { client, refreshToken: body['refreshToken'] };
}

it('a paid call reaches the operator', async () => {
  // A deadline missed on a busy machine charged nothing, or is answered by the same payment later.
  const paid = await aPaidRequest();
  await eventually(async () => expect((await send(services['agent-gateway'].url, paid)).status).toBe(200), PATIENT);
  await eventually(async () => {
    expect(await askReporting(services.reporting.url, 'summary')).toMatchObject({
      today: { paid_calls: 1, gross_revenue: { usd_exact: (PAID_ENDPOINTS[0]!.priceMicros / 1_000_000).toFixed(6) } },
      settlement: { settled: 1 },
    });
  }, PATIENT);
  expect(await auditOf('agent-gateway', 'reporting')).toEqual([[], []]);
});

it("a webhook reaches the person's access and the operator's MRR", async () => {
  const { client: person } = await somebody();
  const tierBecomes = (tier: string) =>
    eventually(async () => expect((await person.send('GET', 'auth/me')).body['tier']).toBe(tier), PATIENT);
  await tierBecomes('FREE');
  const request = jsonRequest('POST', { token: person.token, body: { plan: 'premium_monthly' } });
  const { body: page } = await ask(`${services.billing.url}/v1/billing/checkout`, request);
  await stripe.pay(String(page['session_id']));
  await tierBecomes('PREMIUM');
  const [{ customer, items }] = stripe.subscriptions as [Stripe.Subscription];
  await eventually(async () => {
    const end = { usd_exact: (items.data[0]!.price.unit_amount! / 100).toFixed(6) };
    expect(await askReporting(services.reporting.url, 'subscriptions')).toMatchObject({ mrr: { end } });
  }, PATIENT);
  await stripe.deleteCustomer(customer as string);
  await tierBecomes('FREE');
  expect(await auditOf('billing', 'accounts')).toEqual([[], []]);
});

it('a session that ended in accounts is refused by billing', async () => {
  const { client, refreshToken } = await somebody();
  const statuses = async () => {
    const atBilling = await ask(`${services.billing.url}/v1/billing/me`, jsonRequest('GET', { token: client.token }));
    return [(await client.send('GET', 'auth/me')).status, atBilling.status];
  };
  expect(await statuses()).toEqual([200, 200]);
  const refresh = async (token: unknown) => (await client.send('POST', 'auth/refresh', { refreshToken: token })).body;
  const renewed = await refresh(refreshToken);
  await refresh(renewed['refreshToken']);
  expect((await refresh(refreshToken)).error).toBe('refresh_token_reused');
  await eventually(async () => expect(await statuses()).toEqual([401, 401]), PATIENT);
});
