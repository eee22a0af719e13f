import { randomUUID } from 'node:crypto';
import { ManualClock } from '@evenkeel/kernel';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { auditBilling } from '../audited.fixture';
import { DAY_MS, Shop } from '../checkout/shop.fixture';
import { HANDLED_TYPES } from '../webhooks/read-event';
import { ReconciliationJob } from './reconciliation.job';
import { run } from './run';

const HOUR_MS = 3_600_000;

// The command is a process of its own, on the clock of the machine; what is old was made four days ago.
const shop = Shop.forSuite({}, () => ({ clock: new ManualClock(new Date(Date.now() - 4 * DAY_MS)) }));

const query = (sql: string, values?: unknown[]) => shop.query(sql, values);
const later = (ms: number) => new Date(shop.clock.now().getTime() + ms);

async function someone(plan?: 'premium_yearly', id = randomUUID()) {
  const { customer, id: subscription, latest_invoice: invoice } = await shop.paidThere({ id }, plan);
  return { userId: id, customer, subscription, invoice: invoice as string };
}

async function command(settings: object = {}): Promise<{ code: number; lines: string[] }> {
  let said = '';
  const say = (text: string) => void (said += text);
  const addresses = { DATABASE_URL: shop.billing.database.url, JWKS_URL: 'http://localhost:1/jwks.json' };
  const env = { ...addresses, ...shop.stripe.settings(), ...settings };
  return { code: await run([], env, { out: say, err: say }), lines: said.trimEnd().split('\n') };
}
const differences = async (kind: string) =>
  (await scrape(shop.billing.running.internalUrl)).value('evenkeel_provider_differences', { kind });

it('before the first report there is no time of it, and nothing that could not be read', async () => {
  const page = await scrape(shop.billing.running.internalUrl);
  expect(page.value('evenkeel_reconciled_at_seconds')).toBeUndefined();
  expect(page.value('evenkeel_scrape_missing', { source: 'reconciled-at' })).toBe(0);
});

it('finds what was planted and nothing else, applies what has not come, and changes nothing at the provider', async () => {
  const [forgotten, differing] = [await someone(), await someone()];
  const [equal] = [await someone(), await someone('premium_yearly')];
  // Young enough to be compared, and old enough for all events to have come.
  await shop.stripe.advance(new Date(Date.now() - 600_000));
  // A read by the worker would correct the planted difference.
  await eventually(async () => expect(await query('SELECT id FROM provider_reads')).toEqual([]));
  const [renamed, unbooked, miscounted, twice] = [await someone(), await someone(), await someone(), await someone()];
  const again = await someone(undefined, twice.userId);
  const pair = [twice.subscription, again.subscription].sort();
  const double = `double_subscription  ${twice.userId}  ${pair.join(' and ')} at once`;
  expect((await command()).lines).toEqual([
    double,
    expect.stringMatching(/^Compared since .*: 9 subscriptions, 5 customers, 5 invoices, 2 prices\.$/),
    '1 to look at: docs/operations/subscriptions.md says what to do about each.',
  ]);
  const paysTwice = { row: { user_id: twice.userId, subscriptions: pair } };
  expect(await auditBilling(shop.billing.database.dataSource)).toMatchObject([paysTwice]);

  // Somebody pays, and nobody tells of it.
  shop.stripe.mode('lost');
  const before = shop.stripe.events.length;
  const late = await someone();
  const lost = shop.stripe.events.slice(before).filter(({ type }) => HANDLED_TYPES.includes(type));
  const necessary = ['checkout.session.completed', 'customer.subscription.created', 'invoice.paid'];
  expect(lost.map(({ type }) => type)).toEqual(expect.arrayContaining(necessary));
  shop.stripe.mode('ok');

  const [gone, other, unknown, waiting] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const [now, twoDaysAgo] = [shop.clock.now(), later(-2 * DAY_MS)];
  for (const table of ['subscriptions', 'provider_events']) {
    await query(`DELETE FROM ${table} WHERE subscription_id = $1`, [forgotten.subscription]);
  }
  const columns = 'state, status, last_created, last_rank, last_id, folded_events, folded_ids, changed_at';
  await query(
    `INSERT INTO subscriptions (subscription_id, ${columns})
     SELECT 'sub_gone', ${columns} FROM subscriptions WHERE subscription_id = $1`,
    [equal.subscription],
  );
  await query(
    `UPDATE subscriptions SET state = jsonb_set(state, '{status}', '"PAST_DUE"') WHERE subscription_id = $1`,
    [differing.subscription],
  );
  await query(`INSERT INTO customers (customer_id, user_id, created_at) VALUES ('cus_gone', $1, $2)`, [gone, now]);
  await shop.billing.know(unknown);
  const stranger = await shop.call((stripe) => stripe.customers.create({ metadata: { user_id: unknown } }));
  await shop.call((stripe) => stripe.customers.update(renamed.customer, { metadata: { user_id: other } }));
  await query('DELETE FROM invoices WHERE invoice_id = $1', [unbooked.invoice]);
  await query('UPDATE invoices SET amount_cents = 1 WHERE invoice_id = $1', [miscounted.invoice]);
  await query(
    `INSERT INTO invoices (invoice_id, user_id, currency, amount_cents, tax_cents, reason, paid_at, published)
     VALUES ('in_gone', $2, 'usd', 799, 0, 'cycle', $1, false)`,
    [now, gone],
  );
  const foreign = equal.invoice;
  await query(`UPDATE invoices SET currency = 'eur', paid_at = $2 WHERE invoice_id = $1`, [foreign, now]);
  await query(
    `INSERT INTO provider_events (id, type, created, rank, received_at, customer_id, applied, reason)
     SELECT 'evt_' || n, 'refund.created', $1, 0, $1, 'cus_nobody', false, 'unmatched_customer'
     FROM generate_series(1, 2) n`,
    [twoDaysAgo],
  );
  const departure = [waiting, twoDaysAgo, later(DAY_MS)];
  await query('INSERT INTO departures (user_id, asked_at, due_at, attempts) VALUES ($1, $2, $3, 9)', departure);
  const eventsBefore = shop.stripe.events.length;

  const { code, lines } = await command({ BILLING_PRICE_YEARLY_CENTS: '4999' });
  const day = twoDaysAgo.toISOString().slice(0, 10);
  const taken = lost.map(({ id, type, created }) => {
    return `event_undelivered  ${id}  ${type} of ${new Date(created * 1_000).toISOString()}, applied`;
  });
  expect(lines.slice(0, taken.length)).toEqual(taken);
  expect(lines.slice(taken.length, -2).sort()).toEqual(
    [
      'subscription_ours_only  sub_gone  ACTIVE here, and not known there',
      `subscription_corrected  ${forgotten.subscription}  ACTIVE there, and not known here`,
      `subscription_corrected  ${differing.subscription}  status: PAST_DUE here, ACTIVE there`,
      `customer_ours_only  cus_gone  of user ${gone} here, and not known there`,
      `customer_theirs_only  ${stranger.id}  of user ${unknown} there, and not known here`,
      `customer_differs  ${renamed.customer}  user: ${renamed.userId} here, ${other} there`,
      'invoice_ours_only  in_gone  paid here, and not known there',
      `invoice_corrected  ${unbooked.invoice}  799 usd paid there, and not known here`,
      `invoice_differs  ${miscounted.invoice}  amountCents: 1 here, 799 there`,
      `invoice_differs  ${foreign}  currency: eur here, usd there`,
      `invoice_currency  ${foreign}  799 eur: no revenue is reported of it`,
      'price  premium_yearly  cents: 4999 here, 5999 there',
      `event_unlinked  cus_nobody  2 events of nobody we know, the first of ${day}`,
      double,
      `departure_waiting  ${waiting}  the provider still knows them after 9 tries`,
    ].sort(),
  );
  const toLookAt = '12 to look at: docs/operations/subscriptions.md says what to do about each.';
  expect([code, lines.at(-1)]).toEqual([1, toLookAt]);
  expect(shop.stripe.events.length).toBe(eventsBefore);
  const row = await query('SELECT status, user_id FROM subscriptions WHERE subscription_id = $1', [late.subscription]);
  expect(row).toEqual([{ status: 'ACTIVE', user_id: late.userId }]);
  expect([await differences('invoice_differs'), await differences('price')]).toEqual([2, 1]);
}, 60_000);

it('replaces a report that another process writes at the same time', async () => {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const { comparing } = await shop.billing.database.dataSource.transaction(async (other) => {
    const [{ rows }] = await other.query<[{ rows: object[] }]>(
      'SELECT jsonb_agg(d) AS rows FROM provider_differences d',
    );
    await other.query('DELETE FROM provider_differences');
    await other.query(
      'INSERT INTO provider_differences SELECT * FROM jsonb_populate_recordset(NULL::provider_differences, $1)',
      [JSON.stringify(rows)],
    );
    const comparing = command();
    await eventually(async () => expect(await query(waiting)).not.toEqual([]));
    return { comparing };
  });
  const { code, lines } = await comparing;
  expect([code, lines.at(-1)]).toEqual([1, expect.stringMatching(/^\d+ to look at: /)]);
  expect(await differences('invoice_differs')).toBe(2);
});

/** Work while a row of departures cannot be read. */
async function withoutDepartures<Result>(work: () => Promise<Result>): Promise<Result> {
  await query('ALTER TABLE departures RENAME COLUMN asked_at TO asked');
  const result = await work();
  await query('ALTER TABLE departures RENAME COLUMN asked TO asked_at');
  return result;
}

describe('what cannot be compared', () => {
  it('is a line of its own; everything else is compared and stored', async () => {
    const { code, lines } = await withoutDepartures(() => command());
    expect(code).toBe(2);
    expect(lines).toContainEqual(expect.stringMatching(/^not_compared  departure_waiting  /));
    expect(lines).toContainEqual(expect.stringMatching(/^Compared since .*: [1-9]/));
    expect(await differences('not_compared')).toBe(1);
    // The alert asks for a report that is complete.
    const whole = 'SELECT extract(epoch FROM max(finished_at))::float8 AS at FROM reconciliations WHERE is_whole';
    const [wholeAt] = await query(whole);
    const scraped = await scrape(shop.billing.running.internalUrl);
    expect(scraped.value('evenkeel_reconciled_at_seconds')).toBeCloseTo(wholeAt!['at'] as number, 1);
  });

  it('an event that cannot be taken at two tries is one line, and hides no other', async () => {
    const { subscription } = await someone();
    shop.stripe.mode('lost');
    await shop.stripe.pauseCollection(subscription);
    const { id } = shop.stripe.events.at(-1)!;
    await query(`ALTER TABLE provider_events ADD CONSTRAINT refused CHECK (id <> '${id}') NOT VALID`);
    const { code, lines } = await command();
    await query('ALTER TABLE provider_events DROP CONSTRAINT refused');
    const failed = lines.filter((line) => line.startsWith('not_compared'));
    expect([code, failed]).toEqual([2, [expect.stringMatching(new RegExp(`^not_compared  ${id}  `))]]);
    expect(lines).toContainEqual(expect.stringMatching(`subscription_[a-z]+  ${subscription}  collectionPaused`));
    expect((await command()).lines[0]).toContain(`event_undelivered  ${id}`);
  });

  it('is nothing of another product of the same account: its objects are none of ours', async () => {
    const named = async () => (await command()).lines.slice(0, -2);
    const before = await named();
    const consulting = shop.stripe.addPrice({ interval: 'month', amountCents: 99_900 });
    await shop.stripe.sellByHand({ prices: [consulting], metadata: { user_id: randomUUID() } });
    expect(await named()).toEqual(before);
    expect(await query(`SELECT FROM outbox WHERE payload->>'amountMicros' = '999000000'`)).toEqual([]);
  });

  it('is everything without a provider, or with one that does not answer', async () => {
    const bare = await command({ STRIPE_SECRET_KEY: undefined });
    expect(bare).toEqual({ code: 2, lines: ['No payment provider is configured for this.'] });
    shop.stripe.mode('error500');
    const { code, lines } = await command();
    expect([code, lines]).toEqual([2, expect.arrayContaining([expect.stringMatching(/^not_compared  events  /)])]);
  });
});

it('runs once a night, whichever worker is first, and an hour after one that could not compare everything', async () => {
  const job = shop.billing.app.get(ReconciliationJob, { strict: false });
  await shop.stripe.advance(later(2 * DAY_MS));
  expect((await Promise.all([job.runIfDue(), job.runIfDue()])).sort()).toEqual([false, true]);
  expect(await job.runIfDue()).toBe(false);
  await shop.stripe.advance(later(2 * DAY_MS));
  expect(await withoutDepartures(() => job.runIfDue())).toBe(true);
  expect(await job.runIfDue()).toBe(false);
  await shop.stripe.advance(later(HOUR_MS + 60_000));
  expect([await job.runIfDue(), await job.runIfDue()]).toEqual([true, false]);
});
