import { UserVerified } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { eventually } from '@evenkeel/platform/testing';
import { DevelopmentStripe, signWebhook } from '@evenkeel/stripe';
import { Client } from 'pg';
import { auditBilling } from '../audited.fixture';
import { Billing } from '../billing.fixture';
import { Subscribers } from '../subscribers.fixture';
import { expectInTime, triesFor } from '../webhooks/refused-tries.fixture';

const HUNG_MS = sized(3_000, 20_000);
const DONE = { withinMs: 30_000 };

let stripe: DevelopmentStripe;
let billing: Billing;
beforeAll(async () => {
  const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  stripe = await DevelopmentStripe.start({ clock });
  billing = await Billing.start({ ...stripe.settings() }, clock);
});
afterAll(async () => {
  await billing.close();
  await stripe.close();
});

const query = <Row>(sql: string, values?: unknown[]) => billing.database.dataSource.query<Row[]>(sql, values);

/** Every statement on the tables of billing waits until it is released. */
async function hang(): Promise<() => Promise<void>> {
  // Of its own: a connection of the service may not be idle in a transaction for so long.
  const client = new Client({ connectionString: billing.database.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE provider_events, subscriptions, customers, people, outbox IN ACCESS EXCLUSIVE MODE');
  return () => client.end();
}

it(`a database that hangs for ${HUNG_MS / 1_000} s loses nothing: webhooks are told to come again, and do`, async () => {
  const subscribers = new Subscribers(billing, stripe);
  const { id: userId } = billing.person();
  const page = await subscribers.open(userId);
  const release = await hang();
  const verified: UserVerified = { userId, verifiedAt: '2026-01-31T12:00:00.000Z' };
  await billing.accounts.publish({ event: UserVerified, key: userId, data: verified });
  // They wait, but for one: each would take as long as the provider is kept waiting.
  stripe.mode('late');
  await stripe.pay(page.sessionId);
  stripe.mode('ok');
  const body = JSON.stringify(stripe.events.find(({ type }) => type === 'invoice.paid'));
  const headers = { 'stripe-signature': signWebhook(body, stripe.webhookSecret, billing.clock.now()) };
  expectInTime(
    await triesFor(HUNG_MS, () => billing.send('/v1/billing/webhook/stripe', { method: 'POST', body, headers })),
  );
  await release();

  await stripe.deliverHeldBack();
  expect(stripe.events.every(({ pending_webhooks: pending }) => pending === 0)).toBe(true);
  expect(await query('SELECT status FROM subscriptions WHERE user_id = $1', [userId])).toEqual([{ status: 'ACTIVE' }]);
  await eventually(
    async () =>
      expect(await query('SELECT verified_at FROM people WHERE user_id = $1', [userId])).toEqual([
        { verified_at: new Date(verified.verifiedAt) },
      ]),
    DONE,
  );
  const unpublished = 'SELECT FROM outbox WHERE published_at IS NULL';
  await eventually(async () => expect(await query(unpublished)).toEqual([]), DONE);
  expect(await auditBilling(billing.database.dataSource)).toEqual([]);
});
