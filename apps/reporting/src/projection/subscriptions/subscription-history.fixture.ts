import {
  InvoiceAdjusted,
  InvoicePaid,
  SUBSCRIPTION_STATUSES,
  SubscriptionChanged,
  type AccessGrant,
  type SubscriptionState,
} from '@evenkeel/contracts';
import fc from 'fast-check';
import { LAST_DAY, type PublishedEvent } from '../history.fixture';

/** Events of billing, in any order. */
export interface SubscriptionHistory {
  changes: SubscriptionChanged[];
  invoices: InvoicePaid[];
  adjustments: InvoiceAdjusted[];
}

const USERS = [1, 2, 3, 4].map((number) => `0194a1c2-3d4e-7f50-8a1b-00000000000${number}`);
export const [ANN, BEN] = USERS as [string, string];

function aSubscription(over: Partial<SubscriptionState> = {}): SubscriptionState {
  return {
    id: 'sub_1',
    provider: 'STRIPE',
    planCode: 'premium_monthly',
    status: 'ACTIVE',
    interval: 'month',
    recurringMicros: 7_990_000,
    startedAt: '2026-01-01T09:00:00.000Z',
    currentPeriodEnd: null,
    cancelAt: null,
    trialEnd: null,
    pastDueSince: null,
    collectionPaused: false,
    accessUntil: null,
    ...over,
  };
}

/** Everything that a user has from then on. */
export function aChange(
  userId: string,
  version: number,
  changedAt: string,
  subscriptions: Partial<SubscriptionState>[] = [],
  grants: AccessGrant[] = [],
): SubscriptionChanged {
  const state = { userId, version, subscriptions: subscriptions.map(aSubscription), grants };
  return { ...state, cause: 'customer.subscription.updated', changedAt };
}

export function anInvoice(over: Partial<InvoicePaid> = {}): InvoicePaid {
  return {
    invoiceId: 'in_1',
    userId: ANN,
    subscriptionId: 'sub_1',
    planCode: 'premium_monthly',
    reason: 'cycle',
    amountMicros: 7_990_000,
    taxMicros: 0,
    periodStart: null,
    periodEnd: null,
    paidAt: '2026-02-10T11:00:00.000Z',
    ...over,
  };
}

export function anAdjustment(over: Partial<InvoiceAdjusted> = {}): InvoiceAdjusted {
  return {
    adjustmentId: 're_1',
    userId: ANN,
    invoiceId: 'in_1',
    kind: 'refund',
    amountMicros: 7_990_000,
    occurredAt: '2026-02-10T11:30:00.000Z',
    ...over,
  };
}

export function publishedOf(history: Partial<SubscriptionHistory>): PublishedEvent[] {
  const { changes = [], invoices = [], adjustments = [] } = history;
  return [
    ...changes.map((data) => ({ event: SubscriptionChanged, key: data.userId, data })),
    ...invoices.map((data) => ({ event: InvoicePaid, key: data.userId, data })),
    ...adjustments.map((data) => ({ event: InvoiceAdjusted, key: data.userId, data })),
  ];
}

/** Some of everything that an answer shows. */
export function aMonthOfSubscriptions(): SubscriptionHistory {
  const yearly = { planCode: 'premium_yearly', interval: 'year', recurringMicros: 59_990_000 } as const;
  const [, , CLEO, DAN] = USERS as [string, string, string, string];
  const grant = { id: '0194d0c2-3d4e-7f50-8a1b-000000000001', until: null };
  return {
    changes: [
      aChange(ANN, 1, '2026-01-20T09:00:00.000Z', [{}]),
      aChange(ANN, 2, '2026-02-09T09:00:00.000Z', [yearly]),
      aChange(BEN, 1, '2026-02-10T08:00:00.000Z', [{}]),
      aChange(BEN, 2, '2026-02-10T09:00:00.000Z', [{ status: 'PAST_DUE' }]),
      aChange(CLEO, 1, '2026-02-10T10:00:00.000Z', [{ status: 'TRIALING', cancelAt: '2026-02-17T10:00:00.000Z' }]),
      aChange(DAN, 1, '2026-02-10T10:30:00.000Z', [], [grant]),
    ],
    invoices: [
      anInvoice({ invoiceId: 'in_1', paidAt: '2026-01-20T09:00:00.000Z' }),
      anInvoice({ invoiceId: 'in_2', userId: BEN, subscriptionId: 'sub_2', taxMicros: 1_275_630, reason: 'first' }),
    ],
    adjustments: [anAdjustment({ amountMicros: 2_000_000 })],
  };
}

const LAST_MS = Date.parse(`${LAST_DAY}T23:59:59.999Z`);
/** Whole hours and the instants before them, so that several fall on one day, and some on its first or last moment. */
const INSTANTS = fc
  .tuple(fc.integer({ min: 1, max: 60 * 24 }), fc.constantFrom(0, 1))
  .map(([hours, earlierMs]) => new Date(LAST_MS + 1 - hours * 3_600_000 - earlierMs));
const TEXTS = INSTANTS.map((instant) => instant.toISOString());
const AMOUNTS = fc.oneof(
  fc.constantFrom(0, 7_990_000, 59_990_000, 1, 5, 6, 7, 11, 12, 13),
  fc.nat({ max: 100_000_000 }),
);

const SUBSCRIPTIONS: fc.Arbitrary<SubscriptionState> = fc
  .record({
    planCode: fc.constantFrom('premium_monthly', 'premium_yearly', null),
    status: fc.constantFrom(...SUBSCRIPTION_STATUSES, 'ACTIVE' as const, 'PAST_DUE' as const),
    interval: fc.constantFrom('month' as const, 'year' as const),
    recurringMicros: AMOUNTS,
    cancelAt: fc.option(TEXTS),
    collectionPaused: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
  })
  .map(aSubscription);

const GRANTS: fc.Arbitrary<AccessGrant> = fc.record({
  id: fc.constant('0194d0c2-3d4e-7f50-8a1b-000000000001'),
  until: fc.constantFrom('2026-02-01T00:00:00.000Z', `${LAST_DAY}T12:00:00.000Z`, '2026-03-01T00:00:00.000Z', null),
});

/** A user whose versions are not always about a later time than the one before. */
const changesOf = (userId: string): fc.Arbitrary<SubscriptionChanged[]> =>
  fc
    .array(
      fc.tuple(
        INSTANTS,
        fc.array(SUBSCRIPTIONS, { maxLength: 3 }),
        fc.oneof(
          { arbitrary: fc.constant<AccessGrant[]>([]), weight: 4 },
          { arbitrary: fc.array(GRANTS, { maxLength: 2 }), weight: 1 },
        ),
      ),
      { maxLength: 7 },
    )
    .chain((versions) => fc.boolean().map((isOrdered) => (isOrdered ? versions.sort(([a], [b]) => +a - +b) : versions)))
    .map((versions) =>
      versions.map(([at, subscriptions, grants], index) =>
        aChange(userId, index + 1, at.toISOString(), subscriptions, grants),
      ),
    );

const INVOICES: fc.Arbitrary<InvoicePaid[]> = fc
  .array(fc.record({ amountMicros: AMOUNTS, paidAt: TEXTS, userId: fc.constantFrom(...USERS) }), { maxLength: 8 })
  .map((invoices) =>
    invoices.map((invoice, index) =>
      anInvoice({ ...invoice, invoiceId: `in_${index}`, taxMicros: Math.floor(invoice.amountMicros / 6) }),
    ),
  );

const ADJUSTMENTS: fc.Arbitrary<InvoiceAdjusted[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('refund' as const, 'refund_failed' as const, 'dispute' as const, 'dispute_won' as const),
      amountMicros: AMOUNTS,
      occurredAt: TEXTS,
      userId: fc.constantFrom(...USERS),
      invoiceId: fc.constantFrom('in_0', null),
    }),
    { maxLength: 6 },
  )
  .map((adjustments) =>
    adjustments.map((adjustment, index) => anAdjustment({ ...adjustment, adjustmentId: `re_${index >> 1}` })),
  )
  // One adjustment of a kind.
  .map((all) => [...new Map(all.map((one) => [`${one.adjustmentId} ${one.kind}`, one])).values()]);

export const SUBSCRIPTION_HISTORIES: fc.Arbitrary<SubscriptionHistory> = fc.record({
  changes: fc.tuple(...USERS.map(changesOf)).map((users) => users.flat()),
  invoices: INVOICES,
  adjustments: ADJUSTMENTS,
});
