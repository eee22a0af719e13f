import { randomUUID } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
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

let billing: Billing;
let forger: Forger;
beforeAll(async () => {
  [billing, forger] = await Promise.all([Billing.start(), Forger.start()]);
});
afterAll(async () => {
  forger.close();
  await billing.close();
});

const me = ({ token }: Person, of = billing) => of.ask('GET', '/v1/billing/me', { token });

function meter({ id }: Person, period: string, used: number, version: number): Promise<void> {
  const at = billing.clock.now();
  const data = { userId: id, feature: 'analyses', period, used, limit: 5, version, meteredAt: at.toISOString() };
  return billing.accounts.publish({ event: UsageMetered, key: id, data, at });
}

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
  await meter(person, '2025-12', 5, 5);
  await meter(person, '2026-01', 2, 2);
  await meter(person, '2026-01', 1, 1);
  await eventually(async () =>
    expect((await me(person)).body.usage).toEqual({ period: '2026-01', analyses: { used: 2, limit: 5 } }),
  );
});

it('a grant gives access, and ends by the clock', async () => {
  const person = billing.person();
  const until = new Date(billing.clock.now().getTime() + 60_000);
  await billing.database.dataSource.query(
    `INSERT INTO grants (id, user_id, until, note, granted_at) VALUES ($1, $2, $3, 'thanks', $3)`,
    [randomUUID(), person.id, until],
  );
  expect((await me(person)).body).toMatchObject({
    tier: 'PREMIUM',
    premium_until: until.toISOString(),
    subscription: { provider: 'MANUAL' },
  });
  expect((await me(billing.person())).body).toMatchObject({ tier: 'FREE' });
  billing.clock.advanceMs(60_000);
  expect((await me(person)).body).toMatchObject({ tier: 'FREE', premium_until: null, subscription: null });
});

it('a grant that was taken back gives none', async () => {
  const person = billing.person();
  await billing.database.dataSource.query(
    `INSERT INTO grants (id, user_id, note, granted_at, revoked_at) VALUES ($1, $2, 'thanks', now(), now())`,
    [randomUUID(), person.id],
  );
  expect((await me(person)).body).toMatchObject({ tier: 'FREE', subscription: null });
});

it('another grace is valid from the next event of a subscription on', async () => {
  const before = await Billing.start(WEBHOOK_SETTINGS);
  const userId = randomUUID();
  const of = { id: 'sub_1', customer: 'cus_1', userId };
  await before.know(userId);
  await sendEvent(before, anEvent('customer.subscription.created', '2026-01-31T12:00:00Z', subscriptionObject(of)));
  const after = await Billing.start({
    ...WEBHOOK_SETTINGS,
    DATABASE_URL: before.database.url,
    BILLING_RENEWAL_GRACE_HOURS: '1',
    BILLING_GRACE_DAYS: '2',
  });
  const until = async () => (await me(after.person(userId), after)).body.premium_until;
  expect(await until()).toBe('2026-03-03T12:00:00.000Z');
  await sendEvent(after, anEvent('customer.subscription.updated', '2026-01-31T12:00:01Z', subscriptionObject(of)));
  expect(await until()).toBe('2026-02-28T13:00:00.000Z');
  const unpaid = invoiceObject({ id: 'in_1', customer: 'cus_1', subscription: 'sub_1' });
  await sendEvent(after, anEvent('invoice.payment_failed', '2026-02-01T11:00:00Z', unpaid));
  expect(await until()).toBe('2026-02-03T11:00:00.000Z');
  // Each row is true to the grace that it was computed with.
  expect(await audit(before.database.dataSource)).toEqual([]);
  await after.close();
  await before.close();
});

it('no route of people takes a forged token, and every one takes a good one', async () => {
  const routes = bearerRoutes(await billingPart());
  expect(routes).toHaveLength(6);
  const { keys } = (await ask(billing.tokens.jwksUrl)).body as { keys: Record<string, unknown>[] };
  const known = { token: billing.person().token, publicKeys: keys, document: 'e30.e30.e30', now: billing.clock.now() };
  // Whose session and whose account it is, only accounts knows.
  const forged = forgedTokens({ ...known, evilUrl: forger.url }, billing.tokens.signing).filter(
    ({ name }) => !name.endsWith('of nobody'),
  );
  const all = routes.flatMap((route) => forged.map((one) => ({ route, forged: one })));
  expect((await takenForgeries(billing.running.url, all)).slice(0, 3)).toEqual([]);
  expect(forger.asked).toEqual([]);
  for (const { method, path } of routes) {
    expect((await billing.ask(method, path, { token: billing.person().token })).status).not.toBe(401);
  }
});

it('a token is over after a quarter of an hour', async () => {
  const { token } = billing.person();
  billing.clock.advanceMs(931_000);
  expect((await billing.ask('GET', '/v1/billing/me', { token })).status).toBe(401);
});
