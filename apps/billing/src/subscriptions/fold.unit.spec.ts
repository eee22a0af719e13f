import fc from 'fast-check';
import { accessUntil } from './access';
import {
  compareFacts,
  rankOf,
  type FoldedState,
  type PlacedFact,
  type SubscriptionFact,
  type SubscriptionStatus,
  type WholeSubscription,
} from './facts';
import { fold } from './fold';

const RUNS = sized(500, 5_000);
const GRACE = { graceDays: 7, renewalGraceHours: 72 };
const START = Date.parse('2026-01-01T00:00:00Z');
const day = (count: number) => new Date(START + count * 86_400_000);
const iso = (count: number) => day(count).toISOString();

const WHOLE: WholeSubscription = {
  kind: 'subscription',
  status: 'ACTIVE',
  mayReturn: false,
  planCode: 'premium_monthly',
  interval: 'month',
  recurringMicros: 7_990_000,
  startedAt: iso(0),
  currentPeriodEnd: iso(31),
  cancelAtPeriodEnd: false,
  cancelAt: null,
  trialEnd: null,
  collectionPaused: false,
  pastDueSince: null,
  paymentUrl: null,
  statedPlan: null,
  discountEnd: null,
  latestInvoice: null,
  hasPendingUpdate: false,
};

let made = 0;
function placed(atDay: number, fact: SubscriptionFact): PlacedFact {
  return { id: `evt_${++made}`, created: day(atDay), fact };
}

function whole(atDay: number, said: Partial<WholeSubscription>): PlacedFact {
  return placed(atDay, { ...WHOLE, ...said });
}

const invoice = (atDay: number, id = `in_${atDay}`) => ({
  invoiceId: id,
  reason: 'cycle' as const,
  isOfPeriod: true,
  madeAt: iso(atDay),
  planCode: 'premium_monthly' as const,
});
const paid = (atDay: number, periodEnd: number) =>
  placed(atDay, { kind: 'invoice_paid', ...invoice(atDay), periodEnd: iso(periodEnd) });
const failed = (atDay: number) =>
  placed(atDay, { kind: 'invoice_failed', ...invoice(atDay), paymentUrl: 'https://pay.example' });
const ended = (state: FoldedState) => accessUntil(state, GRACE)?.toISOString() ?? null;

describe('the fold of a history', () => {
  it('two failed payments count from the first, a payment ends them, and a new failure counts anew', () => {
    const story = [whole(0, {}), failed(31), failed(34)];
    expect(ended(fold(story))).toBe(iso(38));
    const recovered = fold([...story, paid(35, 62)]);
    expect([recovered.status, recovered.paymentUrl, ended(recovered)]).toEqual(['ACTIVE', null, iso(65)]);
    expect(ended(fold([...story, paid(35, 62), failed(62)]))).toBe(iso(69));
  });

  it('a shorter period after a change of plan replaces the longer one', () => {
    const changed = fold([whole(0, { currentPeriodEnd: iso(365) }), whole(10, { currentPeriodEnd: iso(41) })]);
    expect(ended(changed)).toBe(iso(44));
  });

  it('access ends at once when it was cancelled, at the end that was scheduled, and never later', () => {
    expect(ended(fold([whole(0, { cancelAtPeriodEnd: true })]))).toBe(iso(31));
    expect(ended(fold([whole(0, { cancelAt: iso(20) })]))).toBe(iso(20));
    expect(ended(fold([whole(0, { cancelAt: iso(50) })]))).toBe(iso(34));
    expect(ended(fold([whole(0, { cancelAt: iso(32) })]))).toBe(iso(32));
    expect(ended(fold([whole(0, { cancelAt: iso(20), cancelAtPeriodEnd: true })]))).toBe(iso(20));
    expect(ended(fold([whole(0, { status: 'PAST_DUE', pastDueSince: iso(28), cancelAt: iso(30) })]))).toBe(iso(30));
    expect(ended(fold([whole(0, {}), whole(3, { status: 'CANCELED' })]))).toBeNull();
  });

  it('nothing revives what has ended; what was only paused or unpaid may return', () => {
    const over = fold([whole(0, {}), whole(3, { status: 'CANCELED' }), whole(4, {}), paid(5, 62)]);
    expect([over.status, ended(over)]).toEqual(['CANCELED', null]);
    const unpaid = [whole(0, {}), whole(40, { status: 'EXPIRED', mayReturn: true })];
    expect(ended(fold(unpaid))).toBeNull();
    expect(ended(fold([...unpaid, whole(45, { currentPeriodEnd: iso(62) })]))).toBe(iso(65));
    expect(fold([...unpaid, whole(45, { status: 'CANCELED' }), whole(46, {})]).status).toBe('CANCELED');
  });
});

describe('whatever the order', () => {
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
      .map((said): SubscriptionFact => ({ ...WHOLE, ...said })),
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
        const base: PlacedFact = {
          id: last.id,
          created: last.created,
          fact: { kind: 'base', rank: rankOf(last.fact), state },
        };
        // A session that was folded in before an event of the subscription would be dropped by the whole history.
        if (!state.isWhole && old.some(({ fact: { kind } }) => kind === 'session')) return;
        expect(fold([base, ...recent])).toEqual(fold(list));
      }),
      { numRuns: RUNS },
    );
  });
});
