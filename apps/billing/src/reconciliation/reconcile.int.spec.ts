import { randomUUID } from 'node:crypto';
import { ManualClock } from '@evenkeel/kernel';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { auditBilling } from '../audited.fixture';
import { Billing } from '../billing.fixture';
import { Subscribers } from '../subscribers.fixture';
import { HANDLED_TYPES } from '../webhooks/read-event';
import { ReconciliationJob } from './reconciliation.job';
import { run } from './run';

const DAY_MS = 86_400_000;

let clock: ManualClock;
let stripe: DevelopmentStripe;
let billing: Billing;
let subscribers: Subscribers;
beforeAll(async () => {
  // The command is a process of its own, on the clock of the machine; what is old was made four days ago.
  clock = new ManualClock(new Date(Date.now() - 4 * DAY_MS));
  stripe = await DevelopmentStripe.start({ clock });
  billing = await Billing.start({ ...stripe.settings() }, clock);
  subscribers = new Subscribers(billing, stripe);
});
afterAll(async () => {
  await billing.close();
  await stripe.close();
});

const query = <Row>(sql: string, values?: unknown[]) => billing.database.dataSource.query<Row[]>(sql, values);
const someone = () => subscribers.buy(randomUUID());

async function command(args: string[] = [], settings: object = {}): Promise<{ code: number; lines: string[] }> {
  let said = '';
  const say = (text: string) => void (said += text);
  const env = {
    DATABASE_URL: billing.database.url,
    JWKS_URL: 'http://localhost:1/jwks.json',
    ...stripe.settings(),
    ...settings,
  };
  return { code: await run(args, env, { out: say, err: say }), lines: said.trimEnd().split('\n') };
}

it('finds what was planted and nothing else, applies what has not come, and changes nothing at the provider', async () => {
  const [forgotten, differing] = [await someone(), await someone()];
  const equal = [await someone(), await subscribers.buy(randomUUID(), 'yearly')];
  // Young enough to be compared, and old enough for all events to have come.
  await stripe.advance(new Date(Date.now() - 600_000));
  // A read by the worker would correct the planted difference.
  await eventually(async () => expect(await query('SELECT id FROM provider_reads')).toEqual([]));
  const [renamed, unbooked, miscounted] = [await someone(), await someone(), await someone()];
  const twice = await someone();
  const again = await subscribers.buy(twice.userId);

  const clean = await command();
  expect(clean.lines).toEqual([
    ...clean.lines.filter((line) => line.startsWith('double_subscription')),
    expect.stringMatching(/^Compared since .*: 9 subscriptions, 5 customers, 5 invoices, 2 prices\.$/),
    '1 to look at: docs/operations/subscriptions.md says what to do about each.',
  ]);
  const pair = [twice.subscriptionId, again.subscriptionId].sort();
  expect(await auditBilling(billing.database.dataSource)).toEqual([
    expect.objectContaining({ row: { user_id: twice.userId, subscriptions: pair } }),
  ]);

  // Somebody pays, and nobody tells of it.
  stripe.mode('lost');
  const before = stripe.events.length;
  const late = await someone();
  const lost = stripe.events.slice(before).filter(({ type }) => HANDLED_TYPES.includes(type));
  stripe.mode('ok');

  await query('DELETE FROM subscriptions WHERE subscription_id = $1', [forgotten.subscriptionId]);
  await query('DELETE FROM provider_events WHERE subscription_id = $1', [forgotten.subscriptionId]);
  await query(
    `INSERT INTO subscriptions (subscription_id, state, status, last_created, last_rank, last_id, folded_events, folded_ids, changed_at)
     SELECT 'sub_gone', state, status, last_created, last_rank, last_id, folded_events, folded_ids, changed_at
     FROM subscriptions WHERE subscription_id = $1`,
    [equal[0]!.subscriptionId],
  );
  await query(
    `UPDATE subscriptions SET state = jsonb_set(state, '{status}', '"PAST_DUE"') WHERE subscription_id = $1`,
    [differing.subscriptionId],
  );
  const [gone, other, unknown] = [randomUUID(), randomUUID(), randomUUID()];
  await query(`INSERT INTO customers (customer_id, user_id, created_at) VALUES ('cus_gone', $1, $2)`, [
    gone,
    clock.now(),
  ]);
  await billing.know(unknown);
  const stranger = await subscribers.call((one) => one.customers.create({ metadata: { user_id: unknown } }));
  await subscribers.call((one) => one.customers.update(renamed.customerId, { metadata: { user_id: other } }));
  const invoiceOf = async ({ subscriptionId }: { subscriptionId: string }) =>
    (
      await query<{ id: string }>('SELECT invoice_id AS id FROM invoices WHERE subscription_id = $1', [subscriptionId])
    )[0]!.id;
  const [removed, changed] = [await invoiceOf(unbooked), await invoiceOf(miscounted)];
  await query('DELETE FROM invoices WHERE invoice_id = $1', [removed]);
  await query('UPDATE invoices SET amount_cents = 1 WHERE invoice_id = $1', [changed]);
  await query(
    `INSERT INTO invoices (invoice_id, user_id, currency, amount_cents, tax_cents, reason, paid_at, published)
     VALUES ('in_gone', $2, 'usd', 799, 0, 'cycle', $1, false)`,
    [clock.now(), gone],
  );
  const foreign = await invoiceOf(equal[0]!);
  await query(`UPDATE invoices SET currency = 'eur', paid_at = $2 WHERE invoice_id = $1`, [foreign, clock.now()]);
  await query(
    `INSERT INTO provider_events (id, type, created, rank, received_at, customer_id, applied, reason)
     SELECT 'evt_' || n, 'refund.created', $1, 0, $1, 'cus_nobody', false, 'unmatched_customer' FROM generate_series(1, 2) n`,
    [new Date(clock.now().getTime() - 2 * DAY_MS)],
  );
  const waiting = randomUUID();
  await query('INSERT INTO departures (user_id, asked_at, due_at, attempts) VALUES ($1, $2, $3, 9)', [
    waiting,
    new Date(clock.now().getTime() - 2 * DAY_MS),
    new Date(clock.now().getTime() + DAY_MS),
  ]);
  const eventsBefore = stripe.events.length;

  const { code, lines } = await command([], { BILLING_PRICE_YEARLY_CENTS: '4999' });
  const day = new Date(clock.now().getTime() - 2 * DAY_MS).toISOString().slice(0, 10);
  const isUndelivered = (line: string) => line.startsWith('event_undelivered');
  const types = lost.map(({ type }) => type);
  expect(types).toEqual(
    expect.arrayContaining(['checkout.session.completed', 'customer.subscription.created', 'invoice.paid']),
  );
  expect(lines.filter(isUndelivered)).toEqual(
    lost.map(({ id, type, created }) => {
      const at = new Date(created * 1_000).toISOString();
      return `event_undelivered  ${id}  ${type} of ${at}, applied`;
    }),
  );
  const found = lines.slice(0, -2).filter((line) => !isUndelivered(line));
  expect(found.sort()).toEqual(
    [
      `subscription_ours_only  sub_gone  ACTIVE here, and not known there`,
      `subscription_corrected  ${forgotten.subscriptionId}  ACTIVE there, and not known here`,
      `subscription_corrected  ${differing.subscriptionId}  status: PAST_DUE here, ACTIVE there`,
      `customer_ours_only  cus_gone  of user ${gone} here, and not known there`,
      `customer_theirs_only  ${stranger.id}  of user ${unknown} there, and not known here`,
      `customer_differs  ${renamed.customerId}  user: ${renamed.userId} here, ${other} there`,
      `invoice_ours_only  in_gone  paid here, and not known there`,
      `invoice_corrected  ${removed}  799 usd paid there, and not known here`,
      `invoice_differs  ${changed}  amountCents: 1 here, 799 there`,
      `invoice_differs  ${foreign}  currency: eur here, usd there`,
      `invoice_currency  ${foreign}  799 eur: no revenue is reported of it`,
      `price  premium_yearly  cents: 4999 here, 5999 there`,
      `event_unlinked  cus_nobody  2 events of nobody we know, the first of ${day}`,
      `double_subscription  ${twice.userId}  ${pair.join(' and ')} at once`,
      `departure_waiting  ${waiting}  the provider still knows them after 9 tries`,
    ].sort(),
  );
  expect([code, lines.at(-1)]).toEqual([
    1,
    '12 to look at: docs/operations/subscriptions.md says what to do about each.',
  ]);
  expect(stripe.events.length).toBe(eventsBefore);

  const [row] = await query<{ status: string; user_id: string }>(
    'SELECT status, user_id FROM subscriptions WHERE subscription_id = $1',
    [late.subscriptionId],
  );
  expect(row).toEqual({ status: 'ACTIVE', user_id: late.userId });
  expect(await query(`SELECT subject, detail FROM provider_differences WHERE kind = 'price'`)).toEqual([
    { subject: 'premium_yearly', detail: 'cents: 4999 here, 5999 there' },
  ]);
  const scraped = await scrape(billing.running.internalUrl);
  expect(scraped.value('evenkeel_provider_differences', { kind: 'invoice_differs' })).toBe(2);
  expect(scraped.value('evenkeel_provider_differences', { kind: 'invoice_currency' })).toBe(1);
}, 60_000);

describe('what cannot be compared', () => {
  it('is a line of its own; everything else is compared and stored', async () => {
    // As by a row that cannot be read.
    await query(`ALTER TABLE departures RENAME COLUMN asked_at TO asked`);
    const { code, lines } = await command();
    await query(`ALTER TABLE departures RENAME COLUMN asked TO asked_at`);
    expect(code).toBe(2);
    expect(lines).toContainEqual(expect.stringMatching(/^not_compared  departure_waiting  /));
    expect(lines).toContainEqual(expect.stringMatching(/^Compared since .*: [1-9]/));
    expect(await query(`SELECT subject FROM provider_differences WHERE kind = 'not_compared'`)).toEqual([
      { subject: 'departure_waiting' },
    ]);
    const scraped = await scrape(billing.running.internalUrl);
    expect(scraped.value('evenkeel_provider_differences', { kind: 'not_compared' })).toBe(1);
    // The alert asks for a report that is complete.
    const wholeAt = `SELECT extract(epoch FROM max(finished_at))::float8 AS at FROM reconciliations WHERE is_whole`;
    const [{ at }] = (await query<{ at: number }>(wholeAt)) as [{ at: number }];
    expect(scraped.value('evenkeel_reconciled_at_seconds')).toBeCloseTo(at, 1);
  });

  it('an event that cannot be taken at two tries is one line, and hides no other', async () => {
    const { subscriptionId } = await someone();
    stripe.mode('lost');
    await stripe.pauseCollection(subscriptionId);
    stripe.mode('ok');
    const { id } = stripe.events.at(-1)!;
    await query(`ALTER TABLE provider_events ADD CONSTRAINT refused CHECK (id <> '${id}') NOT VALID`);
    const { code, lines } = await command();
    await query('ALTER TABLE provider_events DROP CONSTRAINT refused');
    const failed = lines.filter((line) => line.startsWith('not_compared'));
    expect([code, failed]).toEqual([2, [expect.stringMatching(new RegExp(`^not_compared  ${id}  `))]]);
    expect(lines).toContainEqual(expect.stringMatching(`subscription_[a-z]+  ${subscriptionId}  collectionPaused`));
    expect((await command()).lines).toContainEqual(expect.stringContaining('Compared since'));
  });

  it('objects of another product of the same account are none of ours', async () => {
    const before = (await command()).lines;
    const consulting = stripe.addPrice({ interval: 'month', amountCents: 99_900 });
    await stripe.sellByHand({ prices: [consulting], metadata: { user_id: randomUUID() } });
    await stripe.sellByHand({ prices: [consulting] });
    const named = (lines: readonly string[]) => lines.slice(0, -2);
    expect(named((await command()).lines)).toEqual(named(before));
    const [{ published }] = (await query<{ published: number }>(
      `SELECT count(*)::integer AS published FROM outbox WHERE payload->>'amountMicros' = '999000000'`,
    )) as [{ published: number }];
    expect(published).toBe(0);
  });
});

it('runs once a night, whichever worker is first', async () => {
  const job = billing.app.get(ReconciliationJob, { strict: false });
  const runs = () => query<object>('SELECT FROM reconciliations');
  const before = (await runs()).length;
  expect(await job.runIfDue()).toBe(false);
  await stripe.advance(new Date(clock.now().getTime() + 2 * DAY_MS));
  expect((await Promise.all([job.runIfDue(), job.runIfDue()])).sort()).toEqual([false, true]);
  expect(await job.runIfDue()).toBe(false);
  expect((await runs()).length).toBe(before + 1);
});

it('is run again an hour after one that could not compare everything, not sooner and not only the next night', async () => {
  const job = billing.app.get(ReconciliationJob, { strict: false });
  const later = (ms: number) => stripe.advance(new Date(clock.now().getTime() + ms));
  await later(2 * DAY_MS);
  await query(`ALTER TABLE departures RENAME COLUMN asked_at TO asked`);
  expect(await job.runIfDue()).toBe(true);
  await query(`ALTER TABLE departures RENAME COLUMN asked TO asked_at`);
  expect(await job.runIfDue()).toBe(false);
  await later(61 * 60_000);
  expect(await job.runIfDue()).toBe(true);
  expect(await job.runIfDue()).toBe(false);
});

it('cannot compare without a provider, or with one that does not answer', async () => {
  const bare = await command([], { STRIPE_SECRET_KEY: undefined });
  expect([bare.code, bare.lines.join('\n')]).toEqual([2, 'No payment provider is configured for this.']);
  stripe.mode('error500');
  const down = await command();
  stripe.mode('ok');
  expect([down.code, down.lines.join('\n')]).toEqual([
    2,
    expect.stringMatching(/^not_compared  events  .*does not answer/m),
  ]);
});
