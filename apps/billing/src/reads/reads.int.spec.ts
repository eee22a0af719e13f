import { eventually, scrape } from '@evenkeel/platform/testing';
import type { Person } from '../billing.fixture';
import { DAY_MS, Shop } from '../checkout/shop.fixture';
import { askForRead, lockFor } from '../subscriptions/stored-events';
import { subscriptionRow } from '../webhooks/provider-events.fixture';

const MINUTE_MS = 60_000;
const DONE = { withinMs: 15_000 };

let shop: Shop;
let person: Person;
/** The subscription of somebody who has paid now. */
let id: string;
beforeEach(async () => {
  shop = await Shop.start();
  person = shop.billing.person();
  ({ id } = await shop.paid(person));
});
afterEach(() => Shop.closeAll());

const row = () => subscriptionRow(shop.billing, id);
const waiting = () => shop.query('SELECT kind, reason, attempts FROM provider_reads ORDER BY kind');
const WAITS = { kind: 'subscription', attempts: 0 };
const nothingWaits = () => eventually(async () => expect(await waiting()).toEqual([]), DONE);
async function afterReads(): Promise<void> {
  shop.clock.advanceMs(MINUTE_MS);
  await nothingWaits();
}
const published = async (type: string) =>
  (await shop.billing.events(person.id)).filter((event) => event.type === type).map(({ data }) => data);
/** What is stored is wrong, so that a read shows. */
const spoil = () =>
  shop.query(`UPDATE subscriptions SET state = state || '{"currentPeriodEnd": null}' WHERE subscription_id = $1`, [id]);
const askNow = (subscription: string) =>
  shop.query(
    `INSERT INTO provider_reads (kind, id, reason, asked_at, due_at) VALUES ('subscription', $1, 'gap', $2, $2)`,
    [subscription, shop.clock.now()],
  );

it('events of one second are settled by a read, which changes what they left wrong', async () => {
  expect(await waiting()).toMatchObject([WAITS]);
  await spoil();
  await afterReads();
  const access_until = new Date('2026-03-03T12:00:00Z');
  expect(await row()).toMatchObject({ user_id: person.id, status: 'ACTIVE', access_until });
  expect((await published('subscription.changed')).at(-1)).toMatchObject({ cause: 'subscription.read' });
});

it('a read and an event of its subscription at once are no deadlock', async () => {
  const { customer: customerId } = shop.subscriptionOf(person);
  await shop.billing.database.dataSource.transaction(async (tx) => {
    // Of two that wait for each other this one is ended.
    await tx.query("SET LOCAL deadlock_timeout = '10ms'");
    await lockFor(tx, { customerId, subscriptionId: id, id });
    shop.clock.advanceMs(MINUTE_MS);
    const held = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await eventually(async () => expect(await shop.query(held)).not.toEqual([]), DONE);
    await askForRead(tx, { kind: 'subscription', id, reason: 'gap' }, shop.clock.now());
  });
  await afterReads();
});

describe('what leaves something unsure is read by the worker', () => {
  /** A renewal whose events are not delivered. */
  async function renewedInSilence() {
    await afterReads();
    const before = shop.stripe.events.length;
    shop.stripe.mode('lost');
    await shop.stripe.advance(new Date('2026-02-28T14:00:00Z'));
    const events = shop.stripe.events.slice(before);
    const [updated, paid] = ['customer.subscription.updated', 'invoice.paid'].map((type) =>
      events.find((event) => event.type === type)!,
    );
    expect(updated!.created).toBeLessThan(paid!.created);
    return { updated: updated!, paid: paid! };
  }

  it('an event that is older than what is known', async () => {
    const { updated, paid } = await renewedInSilence();
    expect((await shop.deliver(paid)).body).toMatchObject({ applied: true });
    expect(await waiting()).toEqual([]);
    await shop.deliver(updated);
    expect(await waiting()).toEqual([{ ...WAITS, reason: 'out_of_order' }]);
    await spoil();
    await afterReads();
    expect(await row()).toMatchObject({ access_until: new Date('2026-04-03T12:00:00Z') });
  });

  it('but nothing of a renewal whose events are in order', async () => {
    const { updated, paid } = await renewedInSilence();
    for (const event of [updated, paid, updated, paid]) await shop.deliver(event);
    expect(await waiting()).toEqual([]);
  });

  it('events of a subscription whose first event is missing', async () => {
    const other = shop.billing.person();
    shop.stripe.mode('lost');
    ({ id } = await shop.paid(other));
    await shop.stripe.advance(new Date('2026-02-28T14:00:00Z'));
    await shop.query('DELETE FROM provider_reads');
    const [first, second] = shop.made(other, 'invoice.paid');
    await shop.deliver(first!);
    // The first event may arrive a moment before that of its subscription.
    expect(await waiting()).toEqual([]);
    await shop.deliver(second!);
    expect(await waiting()).toEqual([{ ...WAITS, reason: 'gap' }]);
    expect(await row()).toMatchObject({ state: { isWhole: false, planCode: 'premium_monthly' } });
    await afterReads();
    expect(await row()).toMatchObject({ user_id: other.id, status: 'ACTIVE', state: { isWhole: true } });
  });

  it.each([
    ['a share of the subscription', { percentOff: 25 }, 'subscription', 5_992_500],
    ['cents of the item', { amountOffCents: 100 }, 'item', 6_990_000],
  ] as const)('a discount that is only named: %s', async (_, reduction, holder, recurringMicros) => {
    await afterReads();
    await shop.stripe.discount(id, reduction, holder);
    expect(await waiting()).toEqual([{ ...WAITS, reason: 'discount' }]);
    expect(await row()).toMatchObject({ state: { recurringMicros: 7_990_000 } });
    await afterReads();
    const changed = { cause: 'subscription.read', subscriptions: [{ recurringMicros }] };
    expect((await published('subscription.changed')).at(-1)).toMatchObject(changed);
  });
});

it('a read says since when payments fail, of the oldest invoice that is owed', async () => {
  await afterReads();
  await shop.stripe.setCard(shop.subscriptionOf(person).customer, 'declines');
  shop.stripe.mode('lost');
  await shop.stripe.advance(new Date('2026-02-28T14:00:00Z'));
  const open = () => shop.stripe.invoices.filter(({ status }) => status === 'open');
  const since = new Date(open()[0]!.status_transitions.finalized_at! * 1_000).toISOString();
  const items = [{ id: shop.subscriptionOf(person).items.data[0]!.id, price: shop.stripe.prices.yearly }];
  await shop.call((stripe) => stripe.subscriptions.update(id, { items }));
  expect(open()).toHaveLength(2);
  await askNow(id);
  await nothingWaits();
  expect(await row()).toMatchObject({ status: 'PAST_DUE', state: { pastDueSince: since } });
});

it('an event of nobody waits to be linked for 30 days, as long as the reconciliation lists it', async () => {
  await afterReads();
  const unlinked = async () => (await scrape(shop.billing.running.internalUrl)).value('evenkeel_unlinked_events');
  const arrived = (days: number) => new Date(shop.clock.now().getTime() - days * DAY_MS);
  await shop.query(
    `INSERT INTO provider_events (id, type, created, rank, received_at, customer_id, applied, reason)
     VALUES ('evt_nobody', 'refund.created', $1, 0, $1, 'cus_nobody', false, 'unmatched_customer')`,
    [arrived(29)],
  );
  expect(await unlinked()).toBe(1);
  await shop.query(`UPDATE provider_events SET received_at = $1 WHERE id = 'evt_nobody'`, [arrived(30)]);
  expect(await unlinked()).toBe(0);
});

describe('money that went back is linked by a read of its charge', () => {
  const adjusted = async () => (await published('invoice.adjusted')).map(({ kind }) => kind);

  it.each(['won', 'lost'] as const)('a dispute that is %s', async (outcome) => {
    const { id: invoiceId, amount_paid: cents } = shop.stripe.invoices.at(-1)!;
    const disputeId = await shop.stripe.dispute(invoiceId);
    expect((await waiting()).map(({ kind }) => kind)).toEqual(['charge', 'subscription']);
    expect((await scrape(shop.billing.running.internalUrl)).value('evenkeel_unlinked_events')).toBe(2);
    await afterReads();
    expect(await published('invoice.adjusted')).toMatchObject([
      { adjustmentId: disputeId, kind: 'dispute', invoiceId, amountMicros: cents * 10_000 },
    ]);
    expect(await shop.query(`SELECT FROM provider_events WHERE reason = 'unmatched_customer'`)).toEqual([]);
    await shop.stripe.closeDispute(disputeId, outcome);
    expect(await adjusted()).toEqual(['dispute', `dispute_${outcome}`]);
  });

  it('a refund that fails: its money is back', async () => {
    await shop.stripe.failRefund(await shop.stripe.refund(shop.stripe.invoices.at(-1)!.id, 100));
    await afterReads();
    expect(await adjusted()).toEqual(['refund', 'refund_failed']);
    expect(await published('invoice.adjusted')).toMatchObject(Array(2).fill({ amountMicros: 1_000_000 }));
  });
});

it('what is gone is dropped, and what fails comes again later', async () => {
  await afterReads();
  await askNow('sub_gone');
  await nothingWaits();
  shop.stripe.mode('error500');
  await askNow(id);
  await eventually(async () => expect(await waiting()).toMatchObject([{ attempts: 1 }]), DONE);
  shop.stripe.mode('ok');
  shop.clock.advanceMs(10 * MINUTE_MS);
  await nothingWaits();
});
