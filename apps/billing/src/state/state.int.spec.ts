import { UsageMetered } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { ask, bearerRoutes, Forger, forgedTokens, takenForgeries } from '@evenkeel/platform/testing/service';
import { Billing, type Person } from '../billing.fixture';
import { billingPart } from '../openapi/billing-part';
import {
  anEvent,
  invoiceObject,
  sendEvent,
  subscriptionObject,
  WEBHOOK_SETTINGS,
} from '../webhooks/provider-events.fixture';

const billing = Billing.forSuite(WEBHOOK_SETTINGS);
let forger: Forger;
beforeAll(async () => {
  forger = await Forger.start();
});
afterAll(() => forger.close());

const me = ({ token }: Person, of = billing) => of.ask('GET', '/v1/billing/me', { token });

it('somebody of whom nothing is known is Free, and nothing is configured', async () => {
  const { status, body, headers } = await me(billing.person());
  expect([status, body]).toEqual([
    200,
    {
      tier: 'FREE',
      premium_until: null,
      limits: { max_habits: 3, analyses_per_month: 5, insight_history: 5 },
      features: { habit_plans: false, mood_correlation: false, full_insight_history: false },
      subscription: null,
      usage: { period: '2026-01', analyses: { used: 0, limit: 5 } },
      billing: { provider: 'none' },
    },
  ]);
  expect(headers.get('cache-control')).toBe('no-store');
});

it('usage is that of the present month, in the newest version', async () => {
  const person = billing.person();
  for (const [period, used] of [
    ['2025-12', 5],
    ['2026-01', 2],
    ['2026-01', 1],
  ] as const) {
    const of = { userId: person.id, feature: 'analyses', limit: 5, meteredAt: '2026-01-31T12:00:00.000Z' };
    const at = billing.clock.now();
    const data = { ...of, period, used, version: used };
    await billing.accounts.publish({ event: UsageMetered, key: person.id, at, data });
  }
  const usage = { period: '2026-01', analyses: { used: 2, limit: 5 } };
  await eventually(async () => expect((await me(person)).body.usage).toEqual(usage));
});

it('a grant gives access of one person, and ends by the clock; one that was taken back gives none', async () => {
  const [person, other] = [billing.person(), billing.person()];
  const until = new Date(billing.clock.now().getTime() + 60_000);
  const add = `INSERT INTO grants (id, user_id, until, note, granted_at, revoked_at)
    VALUES (gen_random_uuid(), $1, $2, 'thanks', $2, $3)`;
  await billing.database.dataSource.query(add, [person.id, until, null]);
  await billing.database.dataSource.query(add, [other.id, until, until]);
  const granted = { tier: 'PREMIUM', premium_until: until.toISOString(), subscription: { provider: 'MANUAL' } };
  expect((await me(person)).body).toMatchObject(granted);
  expect((await me(other)).body).toMatchObject({ tier: 'FREE', subscription: null });
  billing.clock.advanceMs(60_000);
  expect((await me(person)).body).toMatchObject({ tier: 'FREE', premium_until: null, subscription: null });
});

it('another grace is valid from the next event of a subscription on', async () => {
  const person = billing.person();
  const of = { id: 'sub_1', customer: 'cus_1', userId: person.id };
  await sendEvent(billing, anEvent('customer.subscription.created', '2026-01-31T12:00:00Z', subscriptionObject(of)));
  const grace = { BILLING_RENEWAL_GRACE_HOURS: '1', BILLING_GRACE_DAYS: '2' };
  const after = await Billing.start({ ...WEBHOOK_SETTINGS, DATABASE_URL: billing.database.url, ...grace });
  const until = async () => (await me(after.person(person.id), after)).body.premium_until;
  expect(await until()).toBe('2026-03-03T12:00:00.000Z');
  await sendEvent(after, anEvent('customer.subscription.updated', '2026-01-31T12:00:01Z', subscriptionObject(of)));
  expect(await until()).toBe('2026-02-28T13:00:00.000Z');
  const unpaid = invoiceObject({ id: 'in_1', customer: 'cus_1', subscription: 'sub_1' });
  await sendEvent(after, anEvent('invoice.payment_failed', '2026-02-01T11:00:00Z', unpaid));
  expect(await until()).toBe('2026-02-03T11:00:00.000Z');
  await after.close();
});

it('no route of people takes a forged token, or one of a quarter of an hour ago, and every one takes a good one', async () => {
  const routes = bearerRoutes(await billingPart());
  expect(routes).toHaveLength(6);
  const { keys } = (await ask(billing.tokens.jwksUrl)).body as { keys: Record<string, unknown>[] };
  const { token } = billing.person();
  const known = { token, publicKeys: keys, document: 'e30.e30.e30', now: billing.clock.now() };
  // Whose session and whose account it is, only accounts knows.
  const forged = forgedTokens({ ...known, evilUrl: forger.url }, billing.tokens.signing).filter(
    ({ name }) => !name.endsWith('of nobody'),
  );
  const all = routes.flatMap((route) => forged.map((one) => ({ route, forged: one })));
  expect((await takenForgeries(billing.running.url, all)).slice(0, 3)).toEqual([]);
  expect(forger.asked).toEqual([]);
  const answered = (route: (typeof routes)[number]) => billing.ask(route.method, route.path, { token });
  for (const route of routes) expect((await answered(route)).status).not.toBe(401);
  billing.clock.advanceMs(931_000);
  expect((await answered(routes[0]!)).status).toBe(401);
});
