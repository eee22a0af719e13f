import { ManualClock } from '@evenkeel/kernel';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { Billing } from '../billing.fixture';
import { subscriptionRow } from '../webhooks/provider-events.fixture';

const MINUTE_MS = 60_000;

let clock: ManualClock;
let stripe: DevelopmentStripe;
let billing: Billing;
beforeEach(async () => {
  clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  stripe = await DevelopmentStripe.start({ clock });
  billing = await Billing.start({ ...stripe.settings() }, clock);
  stripe.sendTo(`${billing.running.url}/v1/billing/webhook/stripe`);
});
afterEach(async () => {
  await stripe.close();
  await billing.close();
});

const rowsOf = (sql: string, values: unknown[] = []) =>
  billing.database.dataSource.query<Record<string, unknown>[]>(sql, values);
const waiting = () => rowsOf('SELECT kind, reason, attempts FROM provider_reads ORDER BY kind');
const nothingWaits = () => eventually(async () => expect(await waiting()).toEqual([]), { withinMs: 15_000 });

async function call(path: string, form: Record<string, string>): Promise<string> {
  const headers = { authorization: `Bearer ${stripe.secretKey}` };
  const answer = await fetch(`${stripe.url}/v1/${path}`, { method: 'POST', headers, body: new URLSearchParams(form) });
  return ((await answer.json()) as { id: string }).id;
}

/** A first payment, delivered. */
async function paidBy(userId: string): Promise<string> {
  const customer = await call('customers', { 'metadata[user_id]': userId });
  const session = await call('checkout/sessions', {
    ...{ mode: 'subscription', customer, client_reference_id: userId, success_url: 'https://app.example' },
    ...{ 'line_items[0][price]': stripe.prices.monthly, 'line_items[0][quantity]': '1' },
    'subscription_data[metadata][user_id]': userId,
  });
  await stripe.pay(session);
  return stripe.subscriptions.at(-1)!.id;
}

it('events of one second are settled by a read, which changes what they left wrong', async () => {
  const { id: userId } = billing.person();
  const id = await paidBy(userId);
  expect(await waiting()).toMatchObject([{ kind: 'subscription' }]);
  await rowsOf(`UPDATE subscriptions SET state = state || '{"currentPeriodEnd": null}' WHERE subscription_id = $1`, [
    id,
  ]);
  clock.advanceMs(MINUTE_MS);
  await nothingWaits();
  expect(await subscriptionRow(billing, id)).toMatchObject({
    ...{ user_id: userId, status: 'ACTIVE', access_until: new Date('2026-03-03T12:00:00Z') },
  });
  expect((await billing.events(userId)).at(-1)).toMatchObject({ data: { cause: 'subscription.read' } });
});

it('a read says since when payments fail, of the oldest invoice that is owed', async () => {
  const id = await paidBy(billing.person().id);
  clock.advanceMs(MINUTE_MS);
  await nothingWaits();
  await stripe.setCard(stripe.subscriptions.at(-1)!.customer as string, 'declines');
  stripe.mode('lost');
  await stripe.advance(new Date('2026-02-28T14:00:00Z'));
  const [owed] = stripe.invoices.filter(({ status }) => status === 'open');
  const since = new Date(owed!.status_transitions.finalized_at! * 1_000).toISOString();
  await call(`subscriptions/${id}`, {
    ...{ 'items[0][id]': stripe.subscriptions.at(-1)!.items.data[0]!.id, 'items[0][price]': stripe.prices.yearly },
    proration_behavior: 'always_invoice',
  });
  expect(stripe.invoices.filter(({ status }) => status === 'open')).toHaveLength(2);

  await rowsOf(
    `INSERT INTO provider_reads (kind, id, reason, asked_at, due_at) VALUES ('subscription', $1, 'gap', $2, $2)`,
    [id, clock.now()],
  );
  await nothingWaits();
  expect(await subscriptionRow(billing, id)).toMatchObject({ status: 'PAST_DUE', state: { pastDueSince: since } });
});

it('a dispute is linked by a read of its charge, with the invoice', async () => {
  const { id: userId } = billing.person();
  await paidBy(userId);
  const { id: invoiceId, amount_paid: cents } = stripe.invoices.at(-1)!;
  const disputeId = await stripe.dispute(invoiceId);
  expect((await waiting()).map(({ kind }) => kind)).toEqual(['charge', 'subscription']);
  const { samples } = await scrape(billing.running.internalUrl);
  expect(samples.filter(({ name }) => name === 'evenkeel_unlinked_events')).toMatchObject([{ value: 2 }]);
  clock.advanceMs(MINUTE_MS);
  await nothingWaits();
  const adjusted = (await billing.events(userId)).filter(({ type }) => type === 'invoice.adjusted');
  expect(adjusted.map(({ data }) => data)).toMatchObject([
    { adjustmentId: disputeId, kind: 'dispute', invoiceId, amountMicros: cents * 10_000 },
  ]);
  expect(await rowsOf(`SELECT FROM provider_events WHERE NOT applied AND reason = 'unmatched_customer'`)).toEqual([]);
  await stripe.closeDispute(disputeId, 'won');
  expect((await billing.events(userId)).filter(({ type }) => type === 'invoice.adjusted')).toHaveLength(2);
});

it('what is gone is dropped, and what fails comes again later', async () => {
  await rowsOf(
    `INSERT INTO provider_reads (kind, id, reason, asked_at, due_at) VALUES ('subscription', 'sub_gone', 'gap', $1, $1)`,
    [clock.now()],
  );
  await nothingWaits();
  const id = await paidBy(billing.person().id);
  stripe.mode('error500');
  clock.advanceMs(MINUTE_MS);
  await eventually(async () => expect(await waiting()).toMatchObject([{ attempts: 1 }]), { withinMs: 15_000 });
  stripe.mode('ok');
  clock.advanceMs(10 * MINUTE_MS);
  await nothingWaits();
  expect(await subscriptionRow(billing, id)).toMatchObject({ status: 'ACTIVE' });
});
