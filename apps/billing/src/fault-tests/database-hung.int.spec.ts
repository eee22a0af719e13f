import { UserVerified } from '@evenkeel/contracts';
import { DatabaseLine, eventually } from '@evenkeel/platform/testing';
import { Client } from 'pg';
import { Shop } from '../checkout/shop.fixture';

const HUNG_MS = sized(3_000, 20_000);
const DONE = { withinMs: 30_000 };
const PROMISED_MS = 3_000;
/** Three times what is promised: the machine of a test has other work. */
const LATEST_MS = 9_000;

let shop: Shop;
let line: DatabaseLine;
beforeAll(async () => {
  shop = await Shop.start({}, { through: async (url) => (line = await DatabaseLine.to(url)).url });
});
afterEach(() => shop.expectAudited());
afterAll(async () => {
  await Shop.closeAll();
  line.cut();
});

/** Somebody who has paid, of whom the provider has told nothing yet. */
async function paidInSilence() {
  const person = shop.billing.person();
  shop.stripe.mode('late');
  const { customer } = await shop.paid(person);
  shop.stripe.mode('ok');
  return { userId: person.id, customer, event: shop.made(person, 'invoice.paid')[0]! };
}

/** The provider tries for so long, at least three times: each try is refused, most of them in time, all of them soon. */
async function isRefusedInTime(event: object, forMs: number): Promise<void> {
  const begun = performance.now();
  const times: number[] = [];
  while (times.length < 3 || performance.now() - begun < forMs) {
    const asked = performance.now();
    const { status, body, headers } = await shop.deliver(event);
    times.push(performance.now() - asked);
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
  }
  times.sort((one, other) => one - other);
  expect(times.at(-1)).toBeLessThan(LATEST_MS);
  expect(times[times.length >> 1]).toBeLessThan(PROMISED_MS);
}

async function hasPaid(userId: string): Promise<void> {
  await shop.stripe.deliverHeldBack();
  expect(shop.stripe.events.every(({ pending_webhooks: pending }) => pending === 0)).toBe(true);
  const rows = await shop.query('SELECT status FROM subscriptions WHERE user_id = $1', [userId]);
  expect(rows).toEqual([{ status: 'ACTIVE' }]);
}

it('a lock that lasts: 503 in time, and the next try is applied', async () => {
  const { userId, customer, event } = await paidInSilence();
  // Of its own: a connection of the service may not be idle in a transaction for so long.
  const holder = new Client({ connectionString: shop.billing.database.url });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [customer]);
  await isRefusedInTime(event, 0);
  await holder.end();
  await hasPaid(userId);
});

it.each(['gone', `silent for ${HUNG_MS / 1_000} s`])('a database that is %s: 503, nothing is lost', async (state) => {
  const { userId, event } = await paidInSilence();
  const verified: UserVerified = { userId, verifiedAt: '2026-01-31T12:00:00.000Z' };
  if (state === 'gone') {
    line.cut();
    expect(await shop.deliver(event)).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
  } else {
    line.hang();
    await shop.billing.accounts.publish({ event: UserVerified, key: userId, data: verified });
    await isRefusedInTime(event, HUNG_MS);
  }
  await line.mend();
  await eventually(async () => expect((await shop.deliver(event)).status).toBe(200), DONE);
  await hasPaid(userId);
  if (state === 'gone') return;
  await eventually(async () => {
    const [person] = await shop.query('SELECT verified_at FROM people WHERE user_id = $1', [userId]);
    expect(person).toEqual({ verified_at: new Date(verified.verifiedAt) });
    expect(await shop.query('SELECT FROM outbox WHERE published_at IS NULL')).toEqual([]);
  }, DONE);
});
