import { audit } from '@evenkeel/ops/audit';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { DevelopmentStripe } from '@evenkeel/stripe';
import Stripe from 'stripe';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, startWorker, type Gateway } from './gateway-programs.fixture';
import { aPaidRequest, aWallet } from './paid-request.fixture';
import { PeoplePrograms } from './people-programs.fixture';
import { Program, stopPrograms } from './program.fixture';
import {
  askReporting,
  reportingDatabase,
  reportingEnv,
  startReporting,
  startReportingWorker,
} from './reporting-programs.fixture';
import { send } from './send.fixture';

jest.setTimeout(300_000);

/** Readers join their groups at first, beside all other suites of a run. */
const PATIENT = { withinMs: 120_000 };

interface Summary {
  today: { paid_calls: number; gross_revenue: { usd_exact: string } };
  settlement: { settled: number };
}

interface Subscriptions {
  mrr: { end: { usd_exact: string } };
}

let stripe: DevelopmentStripe;
let ledger: TestDatabase;
let projection: TestDatabase;
let people: PeoplePrograms;
let gateway: Gateway;
let reporting: { url: string };

beforeAll(async () => {
  const services = { KAFKA_BROKERS: process.env.TEST_KAFKA_BROKERS! };
  expect(await Program.script('topics:create', services).exit).toEqual({ code: 0, signal: null });
  [ledger, projection, stripe] = await Promise.all([gatewayDatabase(), reportingDatabase(), DevelopmentStripe.start()]);
  const gatewaySettings = { ...gatewayEnv(ledger, await FacilitatorProgram.start()), ...services };
  const reportingSettings = { ...reportingEnv(projection), ...services };
  // In pairs: programs that start together on two cores make each other miss their deadlines.
  [gateway] = await Promise.all([startGateway(gatewaySettings), startWorker(gatewaySettings)]);
  [reporting] = await Promise.all([startReporting(reportingSettings), startReportingWorker(reportingSettings)]);
  people = await PeoplePrograms.start(stripe, services);
});

afterAll(async () => {
  await stopPrograms();
  await stripe?.close();
  await Promise.all([ledger?.drop(), projection?.drop(), people?.drop()]);
}, 60_000);

it('a paid call reaches the operator', async () => {
  const { operation, priceMicros } = PAID_ENDPOINTS[0]!;
  // A deadline missed on a busy machine charged nothing, or is answered by the same payment later.
  const paid = await aPaidRequest({ operation, wallet: aWallet() });
  await eventually(async () => expect((await send(gateway.url, paid)).status).toBe(200), PATIENT);
  await eventually(async () => {
    const { today, settlement } = await askReporting<Summary>(reporting.url, 'summary');
    expect([settlement.settled, today.paid_calls]).toEqual([1, 1]);
    expect(today.gross_revenue.usd_exact).toBe((priceMicros / 1_000_000).toFixed(6));
  }, PATIENT);
  expect([await audit(ledger.dataSource), await audit(projection.dataSource)]).toEqual([[], []]);
});

it("a webhook reaches the person's access and the operator's MRR", async () => {
  const person = await people.person();
  expect(await people.tierOf(person)).toBe('FREE');
  const { hostname: host, port } = new URL(stripe.url);
  const client = new Stripe(stripe.secretKey, { host, port, protocol: 'http' });
  const metadata = { user_id: person.id, plan_code: 'premium_monthly' };
  const customer = await client.customers.create({ metadata });
  const session = await client.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    client_reference_id: person.id,
    metadata,
    success_url: 'http://localhost:8080/paid',
    cancel_url: 'http://localhost:8080/left',
    line_items: [{ price: stripe.prices.monthly, quantity: 1 }],
    subscription_data: { metadata },
  });
  await stripe.pay(session.id);
  await eventually(async () => expect(await people.tierOf(person)).toBe('PREMIUM'), PATIENT);
  const [price] = (await client.prices.list()).data.filter(({ id }) => id === stripe.prices.monthly);
  await eventually(async () => {
    const { mrr } = await askReporting<Subscriptions>(reporting.url, 'subscriptions');
    expect(mrr.end.usd_exact).toBe((price!.unit_amount! / 100).toFixed(6));
  }, PATIENT);
  await client.subscriptions.cancel(stripe.subscriptions[0]!.id);
  await eventually(async () => expect(await people.tierOf(person)).toBe('FREE'), PATIENT);
  expect([await audit(people.billing.dataSource), await audit(people.accounts.dataSource)]).toEqual([[], []]);
});

it('a session that ended in accounts is refused by billing', async () => {
  const person = await people.person();
  expect(await people.statusesOf(person.token)).toEqual({ accounts: 200, billing: 200 });
  const renewed = await people.refresh(person.refreshToken);
  await people.refresh(renewed.refreshToken);
  expect((await people.refresh(person.refreshToken)).error).toBe('refresh_token_reused');
  await eventually(
    async () => expect(await people.statusesOf(person.token)).toEqual({ accounts: 401, billing: 401 }),
    PATIENT,
  );
});
