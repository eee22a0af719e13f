import { randomInt } from 'node:crypto';
import type { PaidPlanCode } from '@evenkeel/contracts';
import type { DevelopmentStripe } from '@evenkeel/stripe';
import fc from 'fast-check';
import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import { Billing } from '../billing.fixture';
import { HANDLED_TYPES, readEvent, type TakenEvent } from '../webhooks/read-event';
import { TakeEvent } from '../webhooks/take-event';
import { eventOfAnswer } from './event-of-answer';
import { lifecycles, LivedCustomer, type Lifecycle } from './lifecycles.fixture';

/** `LIFECYCLES_SEED=… npx jest apps/billing/src/subscriptions/lifecycles` repeats a run. */
const SEED = Number(process.env['LIFECYCLES_SEED']) || randomInt(2 ** 31);
const RUNS = sized(20, 1_000);

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start();
});
afterAll(() => billing.close());

interface Come {
  subscriptions: { id: string; status: string; access_until: Date | null; state: Record<string, unknown> }[];
  published: unknown[];
}

const READ = `SELECT subscription_id AS id, status, access_until, state, folded_events FROM subscriptions ORDER BY 1`;
/** Which invoice a refund is of, only some events tell: it is published with what is known by then. */
const MONEY = `
  SELECT type, subject, payload::jsonb - 'invoiceId' AS payload FROM outbox WHERE type <> 'subscription.changed'
  ORDER BY type, subject, payload->>'kind'`;

/** What events come to in an empty store. Nothing stays. */
async function comeTo(events: readonly TakenEvent[]): Promise<Come> {
  const takeEvent = billing.app.get(TakeEvent);
  const undo = new Error('undo');
  let come: Come | undefined;
  const apply = async (tx: EntityManager) => {
    for (const event of events) await takeEvent.take(tx, event);
    come = { subscriptions: await tx.query<Come['subscriptions']>(READ), published: await tx.query<unknown[]>(MONEY) };
    throw undo;
  };
  await billing.database.dataSource.transaction(apply).catch((error: unknown) => {
    if (error !== undo) throw error;
  });
  return come!;
}

/** An answer names the latest invoice alone. Where an older one is owed too, only events tell since when. */
function owesOlder({ invoices }: DevelopmentStripe, { id, latest_invoice: latest }: Stripe.Subscription): boolean {
  const isOf = ({ parent }: Stripe.Invoice) => parent?.subscription_details?.subscription === id;
  return invoices.some((invoice) => invoice.status === 'open' && isOf(invoice) && invoice.id !== latest);
}

const delivery = fc.record({ lifecycle: lifecycles, order: fc.integer({ min: 1 }) });

/** Each once to three times, by a generator of its own: the same order again from the same seed. */
function shuffled(events: readonly TakenEvent[], seed: number): TakenEvent[] {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const copies = events.flatMap((event) => Array<TakenEvent>(1 + Math.floor(next() * 2.2)).fill(event));
  return copies
    .map((event) => ({ event, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event);
}

async function check(lifecycle: Lifecycle, order: number): Promise<void> {
  const lived = await LivedCustomer.live(lifecycle, billing.person().id);
  await compare(lived, order).finally(() => lived.stripe.close());
}

async function compare(lived: LivedCustomer, order: number): Promise<void> {
  const { stripe } = lived;
  const plans = new Map<string, PaidPlanCode>([
    [stripe.prices.monthly, 'premium_monthly'],
    [stripe.prices.yearly, 'premium_yearly'],
  ]);
  const told = stripe.events.filter(({ type }) => HANDLED_TYPES.includes(type));
  const events = told.map((event) => readEvent(event as object as Record<string, unknown>, plans)!);
  expect(events).not.toContain(null);
  const answers = (await lived.fetched()).map((result) => eventOfAnswer({ result, at: stripe.now() }, plans)!);

  const inOrder = await comeTo(events);
  expect(await comeTo(shuffled(events, order))).toEqual(inOrder);

  const visible = ({ subscriptions }: Come) =>
    subscriptions.map(({ id, access_until, state }) => ({ ...state, id, access_until, isFinal: undefined }));
  const older = new Set(stripe.subscriptions.filter((one) => owesOlder(stripe, one)).map(({ id }) => id));
  const graceApart = (come: Come) =>
    visible(come).map((one) => (older.has(one.id) ? { ...one, access_until: null, pastDueSince: null } : one));
  const fetched = await comeTo(answers);
  expect(graceApart(fetched)).toEqual(graceApart(inOrder));
  expect(visible(await comeTo([...events, ...answers]))).toEqual(visible(inOrder));

  const paid = stripe.invoices.filter(({ status, amount_paid }) => status === 'paid' && amount_paid > 0);
  const published = inOrder.published as { type: string; payload: { amountMicros: number } }[];
  const micros = published.filter(({ type }) => type === 'invoice.paid').map(({ payload }) => payload.amountMicros);
  expect(micros.sort()).toEqual(paid.map(({ amount_paid }) => amount_paid * 10_000).sort());
}

it(
  `lifecycles of seed ${SEED}: any order, copies and a direct read come to the same`,
  async () => {
    await fc.assert(
      fc.asyncProperty(delivery, ({ lifecycle, order }) => check(lifecycle, order)),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
  },
  sized(600_000, 3_600_000),
);
