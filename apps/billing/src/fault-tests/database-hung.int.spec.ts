import { UserVerified } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { DatabaseLine, eventually } from '@evenkeel/platform/testing';
import type { Reply } from '@evenkeel/platform/testing/service';
import { DevelopmentStripe, signWebhook } from '@evenkeel/stripe';
import { Client } from 'pg';
import { auditBilling } from '../audited.fixture';
import { Billing } from '../billing.fixture';
import { Subscribers } from '../subscribers.fixture';

const HUNG_MS = sized(3_000, 20_000);
const DONE = { withinMs: 30_000 };
const PROMISED_MS = 3_000;
/** Three times what is promised: the machine of a test has other work. */
const LATEST_MS = 9_000;

let stripe: DevelopmentStripe;
let billing: Billing;
let line: DatabaseLine;
beforeAll(async () => {
  const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  stripe = await DevelopmentStripe.start({ clock });
  const through = async (url: string) => (line = await DatabaseLine.to(url)).url;
  billing = await Billing.start({ ...stripe.settings() }, clock, through);
});
afterEach(async () => expect(await auditBilling(billing.database.dataSource)).toEqual([]));
afterAll(async () => {
  await billing.close();
  line.cut();
  await stripe.close();
});

const query = <Row>(sql: string, values?: unknown[]) => billing.database.dataSource.query<Row[]>(sql, values);

/** Somebody who has paid, of whom the provider has told nothing yet. */
async function paidInSilence() {
  const { id: userId } = billing.person();
  const page = await new Subscribers(billing, stripe).open(userId);
  stripe.mode('late');
  await stripe.pay(page.sessionId);
  stripe.mode('ok');
  return { ...page, event: stripe.events.findLast(({ type }) => type === 'invoice.paid')! };
}

function deliver(event: object): Promise<Reply> {
  const body = JSON.stringify(event);
  const headers = { 'stripe-signature': signWebhook(body, stripe.webhookSecret, billing.clock.now()) };
  return billing.send('/v1/billing/webhook/stripe', { method: 'POST', body, headers });
}

/** The provider tries for so long, at least three times: each try is told to come again, most of them in time, all of them soon. */
async function isRefusedInTime(event: object, forMs: number): Promise<void> {
  const begun = performance.now();
  const times: number[] = [];
  while (times.length < 3 || performance.now() - begun < forMs) {
    const asked = performance.now();
    const { status, body, headers } = await deliver(event);
    times.push(performance.now() - asked);
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
  }
  times.sort((one, other) => one - other);
  expect(times.at(-1)).toBeLessThan(LATEST_MS);
  expect(times[times.length >> 1]).toBeLessThan(PROMISED_MS);
}

async function hasPaid(userId: string): Promise<void> {
  await stripe.deliverHeldBack();
  expect(stripe.events.every(({ pending_webhooks: pending }) => pending === 0)).toBe(true);
  expect(await query('SELECT status FROM subscriptions WHERE user_id = $1', [userId])).toEqual([{ status: 'ACTIVE' }]);
}

it('a lock that lasts: 503 in time, and the next try is applied', async () => {
  const { userId, customerId, event } = await paidInSilence();
  // Of its own: a connection of the service may not be idle in a transaction for so long.
  const holder = new Client({ connectionString: billing.database.url });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [customerId]);
  await isRefusedInTime(event, 0);
  await holder.end();
  await hasPaid(userId);
});

it('a database that is gone: 503, and the next try is applied', async () => {
  const { userId, event } = await paidInSilence();
  line.cut();
  expect(await deliver(event)).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
  await line.mend();
  await eventually(async () => expect((await deliver(event)).status).toBe(200), DONE);
  await hasPaid(userId);
});

it(`a database that hangs for ${HUNG_MS / 1_000} s loses nothing: webhooks get Retry-After, and are repeated`, async () => {
  const { userId, event } = await paidInSilence();
  line.hang();
  const verified: UserVerified = { userId, verifiedAt: '2026-01-31T12:00:00.000Z' };
  await billing.accounts.publish({ event: UserVerified, key: userId, data: verified });
  await isRefusedInTime(event, HUNG_MS);
  await line.mend();
  await eventually(async () => expect((await deliver(event)).status).toBe(200), DONE);
  await hasPaid(userId);
  await eventually(
    async () =>
      expect(await query('SELECT verified_at FROM people WHERE user_id = $1', [userId])).toEqual([
        { verified_at: new Date(verified.verifiedAt) },
      ]),
    DONE,
  );
  const unpublished = 'SELECT FROM outbox WHERE published_at IS NULL';
  await eventually(async () => expect(await query(unpublished)).toEqual([]), DONE);
});
