import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { PaidPlanCode } from '@evenkeel/contracts';
import { ManualClock } from '@evenkeel/kernel';
import { DevelopmentStripe } from '@evenkeel/stripe';
import fc from 'fast-check';
import { Billing } from '../billing.fixture';
import { comeTo, visible } from '../webhooks/come-to.fixture';
import { HANDLED_TYPES, readEvent, type TakenEvent } from '../webhooks/read-event';
import { eventOfAnswer } from './fetch-subscription';
import { lifecycles, LivedCustomer, type Lifecycle } from './lifecycles.fixture';

/** `LIFECYCLES_SEED=… npx jest apps/billing/src/subscriptions/lifecycles` repeats a run. */
const SEED = Number(process.env['LIFECYCLES_SEED']) || randomInt(2 ** 31);
const RUNS = sized(12, 1_000);

let billing: Billing;
beforeAll(async () => {
  // With a key reads are asked for; nothing is committed, so none is made.
  billing = await Billing.start({ STRIPE_SECRET_KEY: 'sk_test_lifecycles' });
});
afterAll(() => billing.close());

/** Lifecycles whose events alone did not end as a read says. */
let undecided = 0;

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
  const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  const stripe = await DevelopmentStripe.start({ clock, apiVersion: lifecycle.shape });
  try {
    await compare(await LivedCustomer.live(lifecycle, { userId: billing.person().id, stripe }), order);
  } finally {
    await stripe.close();
  }
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
  const answers = (await lived.fetched()).map((answer) => eventOfAnswer(answer, plans)!);

  const inOrder = await comeTo(billing, events);
  expect(inOrder.offences).toEqual([]);
  const { unsure, ...known } = inOrder;
  expect(await comeTo(billing, shuffled(events, order))).toMatchObject(known);

  const fetched = visible(await comeTo(billing, answers));
  expect(visible(await comeTo(billing, [...events, ...answers]))).toEqual(fetched);
  const differing = visible(inOrder).filter((one, index) => !isDeepStrictEqual(one, fetched[index]));
  expect(unsure).toEqual(expect.arrayContaining(differing.map(({ id }) => ({ id }))));
  undecided += Number(differing.length > 0);

  const published = inOrder.money.filter(({ type }) => type === 'invoice.paid');
  expect(published.map(({ subject, payload }) => [subject, payload.amountMicros]).sort()).toEqual(
    lived.paidInvoices.map(({ id, amount_paid: cents }) => [id, cents * 10_000]).sort(),
  );
}

it(
  `lifecycles of seed ${SEED}: any order, copies and a direct read give the same`,
  async () => {
    await fc.assert(
      fc.asyncProperty(delivery, ({ lifecycle, order }) => check(lifecycle, order)),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
    expect(undecided).toBeLessThanOrEqual(Math.max(3, RUNS / 20));
  },
  sized(600_000, 3_600_000),
);
