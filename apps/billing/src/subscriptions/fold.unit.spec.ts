import fc from 'fast-check';
import { accessUntil } from './access';
import {
  compareFacts,
  rankOf,
  type PlacedFact,
  type SubscriptionFact,
  type SubscriptionStatus,
  type WholeSubscription,
} from './facts';
import { aSubscription } from './facts.fixture';
import { fold } from './fold';

const RUNS = sized(500, 5_000);
const GRACE = { graceDays: 7, renewalGraceHours: 72 };
const START = Date.parse('2026-01-01T00:00:00Z');
const day = (count: number) => new Date(START + count * 86_400_000);
const iso = (count: number) => day(count).toISOString();

const WHOLE = aSubscription();

let made = 0;
function placed(atDay: number, fact: SubscriptionFact): PlacedFact {
  return { id: `evt_${++made}`, created: day(atDay), fact };
}

function whole(atDay: number, said: Partial<WholeSubscription>): PlacedFact {
  return placed(atDay, aSubscription(said));
}

const invoice = (atDay: number) => ({
  invoiceId: `in_${atDay}`,
  reason: 'cycle' as const,
  isOfPeriod: true,
  madeAt: iso(atDay),
  planCode: 'premium_monthly' as const,
});
const paid = (atDay: number, periodEnd: number) =>
  placed(atDay, { kind: 'invoice_paid', ...invoice(atDay), periodEnd: iso(periodEnd) });
const failed = (atDay: number) => placed(atDay, { kind: 'invoice_failed', ...invoice(atDay), paymentUrl: null });
const byHand = { isOfPeriod: false, reason: 'other' as const };
const failedBesides = (reason: 'other' | 'change') =>
  placed(5, { kind: 'invoice_failed', ...invoice(5), ...byHand, reason, paymentUrl: null });
const paidByHand = placed(5, { kind: 'invoice_paid', ...invoice(5), ...byHand, periodEnd: iso(300) });
const ended = whole(3, { status: 'CANCELED' });
const unpaid = whole(40, { status: 'EXPIRED', mayReturn: true });

it.each<[string, PlacedFact[], number | null]>([
  ['two failed payments: a week from the first', [whole(0, {}), failed(31), failed(34)], 38],
  ['one that is told again: a week from it', [whole(0, {}), failed(31), whole(34, { status: 'PAST_DUE' })], 38],
  ['a payment ends them', [whole(0, {}), failed(31), failed(34), paid(35, 62)], 65],
  ['a new failure: a week anew', [whole(0, {}), failed(31), paid(35, 62), failed(62)], 69],
  ['a shorter period', [whole(0, { currentPeriodEnd: iso(365) }), whole(10, { currentPeriodEnd: iso(41) })], 44],
  ['an end with the period', [whole(0, { cancelAtPeriodEnd: true })], 31],
  ['an end on a day', [whole(0, { cancelAt: iso(20) })], 20],
  ['an end long after the period', [whole(0, { cancelAt: iso(50) })], 34],
  ['an end within the grace after it', [whole(0, { cancelAt: iso(32) })], 32],
  ['the sooner of two ends', [whole(0, { cancelAt: iso(20), cancelAtPeriodEnd: true })], 20],
  ['an end while a payment fails', [whole(0, { status: 'PAST_DUE', pastDueSince: iso(28), cancelAt: iso(30) })], 30],
  ['an invoice made by hand that fails', [whole(0, {}), failedBesides('other')], 34],
  ['one that is paid, while a payment fails', [whole(0, { status: 'PAST_DUE' }), paidByHand], 7],
  [
    'an amount due with a trial',
    [whole(0, { status: 'TRIALING', latestInvoice: 'in_5' }), failedBesides('change')],
    34,
  ],
  ['cancelled: at once', [whole(0, {}), ended], null],
  ['nothing revives what has ended', [whole(0, {}), ended, whole(4, {}), paid(5, 62)], null],
  ['what is unpaid gives none', [whole(0, {}), unpaid], null],
  ['and may return', [whole(0, {}), unpaid, whole(45, { currentPeriodEnd: iso(62) })], 65],
  ['unless it was cancelled', [whole(0, {}), unpaid, whole(45, { status: 'CANCELED' }), whole(46, {})], null],
])('access after %s', (_, story, until) => {
  expect(accessUntil(fold(story), GRACE)).toEqual(until && day(until));
});

const instant = fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 3 }));
const isoInstant = instant.map(iso);
const status = fc.constantFrom<SubscriptionStatus>(
  ...(['INCOMPLETE', 'TRIALING', 'ACTIVE', 'PAST_DUE', 'CANCELED', 'EXPIRED'] as const),
);
const fact: fc.Arbitrary<SubscriptionFact> = fc.oneof(
  fc
    .record({
      status,
      mayReturn: fc.boolean(),
      currentPeriodEnd: fc.option(isoInstant),
      cancelAtPeriodEnd: fc.boolean(),
      cancelAt: fc.option(isoInstant),
      recurringMicros: fc.option(fc.constantFrom(7_990_000, 59_990_000)),
    })
    .map((said): SubscriptionFact => aSubscription(said)),
  fc.tuple(isoInstant, instant, fc.boolean()).map(([periodEnd, madeAt, isOfPeriod]): SubscriptionFact => ({
    kind: 'invoice_paid',
    ...invoice(madeAt),
    isOfPeriod,
    periodEnd,
  })),
  fc.tuple(instant, instant).map(([named, madeAt]): SubscriptionFact => ({
    ...WHOLE,
    latestInvoice: `in_${named}`,
    hasPendingUpdate: madeAt % 2 === 0,
  })),
  fc.constantFrom<SubscriptionFact>(
    { kind: 'invoice_failed', ...invoice(1), paymentUrl: null },
    { kind: 'invoice_action', ...invoice(2), paymentUrl: 'https://pay.example' },
    { kind: 'session', outcome: 'ACTIVE', isOurs: true, planCode: 'premium_monthly', provisionalEnd: iso(31) },
    { kind: 'session', outcome: 'ACTIVE', isOurs: false, planCode: 'premium_yearly', provisionalEnd: iso(365) },
    { kind: 'session', outcome: 'INCOMPLETE', isOurs: false, planCode: null, provisionalEnd: null },
    { kind: 'customer_deleted' },
  ),
);
const facts = fc
  .array(fc.tuple(instant, fact), { minLength: 1, maxLength: 12 })
  .map((list) =>
    list.map(([atDay, one], index): PlacedFact => ({ id: `evt_${index}`, created: day(atDay), fact: one })),
  );

it('what was folded into a base gives the same as the facts themselves', () => {
  fc.assert(
    fc.property(facts, fc.nat(), (list, cut) => {
      const ordered = [...list].sort(compareFacts);
      const count = 1 + (cut % ordered.length);
      const [old, recent] = [ordered.slice(0, count), ordered.slice(count)];
      const last = old.at(-1)!;
      const state = fold(old);
      const base: PlacedFact = { ...last, fact: { kind: 'base', rank: rankOf(last.fact), state } };
      // A session that was folded in before an event of the subscription would be dropped by the whole history.
      if (!state.isWhole && old.some(({ fact: { kind } }) => kind === 'session')) return;
      expect(fold([base, ...recent])).toEqual(fold(list));
    }),
    { numRuns: RUNS },
  );
});
