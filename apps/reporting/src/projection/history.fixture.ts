import {
  CreditIssued,
  CreditRedeemed,
  type EventClass,
  PAID_ENDPOINTS,
  PaymentSettled,
  PaymentSettlementFailed,
  PaymentSettlementPending,
  REBATE_TIER_NAMES,
} from '@evenkeel/contracts';
import fc from 'fast-check';

export interface PaymentStory {
  id: string;
  wallet: string;
  endpoint: string;
  amountMicros: number;
  costMicros: number;
  verifiedAt: Date;
  tier: (typeof REBATE_TIER_NAMES)[number];
  rebateMicros: number;
  served: boolean;
  /** From its verification to where it settled or failed. */
  endsAfterMs: number;
  /** In the order in which the gateway goes through them. */
  states: ('settlement_pending' | 'needs_reconciliation' | 'settlement_failed' | 'settled')[];
}

export interface CreditStory {
  id: string;
  wallet: string;
  endpoint: string;
  priceMicros: number;
  changeMicros: number;
  costMicros: number;
  issuedAt: Date | null;
  redeemedAt: Date | null;
  expiresAt: Date | null;
}

export interface History {
  payments: PaymentStory[];
  credits: CreditStory[];
}

export interface PublishedEvent {
  event: EventClass;
  key: string;
  data: object;
}

export const LAST_DAY = '2026-02-10';
const LAST_MS = Date.parse(`${LAST_DAY}T23:59:59.999Z`);
const WALLETS = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`);
const ENDPOINTS = PAID_ENDPOINTS.map(({ path }) => path);
const asset = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

const WAYS: PaymentStory['states'][] = [
  ['settled'],
  ['settlement_failed'],
  ['settlement_failed', 'settled'],
  ['settlement_pending'],
  ['settlement_pending', 'settled'],
  ['settlement_pending', 'settlement_failed'],
  ['settlement_pending', 'needs_reconciliation'],
  ['settlement_pending', 'needs_reconciliation', 'settled'],
  ['needs_reconciliation', 'settlement_failed', 'settled'],
];

// Many on the same days, and on the edge of a day and of a month, where sums go wrong first.
const instant = fc
  .tuple(
    fc.oneof(fc.constantFrom(0, 1, 7, 10), fc.integer({ min: 0, max: 70 })),
    fc.constantFrom(0, 1, 43_200_000, 86_399_999),
  )
  .map(([daysAgo, intoDayMs]) => new Date(LAST_MS + 1 - (daysAgo + 1) * 86_400_000 + intoDayMs));

const payment: fc.Arbitrary<PaymentStory> = fc.record({
  id: fc.uuid(),
  wallet: fc.constantFrom(...WALLETS),
  endpoint: fc.constantFrom(...ENDPOINTS),
  amountMicros: fc.constantFrom(30_000, 50_000, 80_000, 100_000, 9_007_199_254),
  costMicros: fc.constantFrom(0, 400, 1_700),
  verifiedAt: instant,
  tier: fc.constantFrom(...REBATE_TIER_NAMES),
  rebateMicros: fc.constantFrom(0, 2_500, 7_500),
  served: fc.boolean(),
  endsAfterMs: fc.constantFrom(0, 800, 43_200_000, 90_000_000, 10 * 86_400_000),
  states: fc.constantFrom(...WAYS),
});

const credit: fc.Arbitrary<CreditStory> = fc
  .record({
    id: fc.uuid(),
    wallet: fc.constantFrom(...WALLETS),
    endpoint: fc.constantFrom(...ENDPOINTS),
    priceMicros: fc.constantFrom(30_000, 100_000),
    costMicros: fc.constantFrom(0, 400),
    issuedAt: fc.option(instant),
    redeemedAt: fc.option(instant),
    expiresAt: fc.option(instant),
  })
  .filter(({ issuedAt, redeemedAt }) => issuedAt !== null || redeemedAt !== null)
  .map((story) => ({ ...story, changeMicros: 100_000 - story.priceMicros }));

const FINAL_FIRST = ['settled', 'settlement_failed', 'needs_reconciliation', 'settlement_pending'] as const;

/** The final state of a payment, in whatever order its states were published. */
export function outcomeOf({ states }: PaymentStory): (typeof FINAL_FIRST)[number] {
  return FINAL_FIRST.find((state) => states.includes(state))!;
}

const byId = { selector: ({ id }: { id: string }) => id, maxLength: 30, size: 'max' } as const;

export const HISTORIES: fc.Arbitrary<History> = fc.record({
  payments: fc.uniqueArray(payment, byId),
  credits: fc.uniqueArray(credit, byId),
});

/** All events of the gateway about it, in its order. */
export function eventsOf({ payments, credits }: History): PublishedEvent[] {
  return [...payments.flatMap(paymentEvents), ...credits.flatMap(creditEvents)];
}

function paymentEvents(story: PaymentStory): PublishedEvent[] {
  const { id: paymentId, wallet, endpoint, amountMicros, verifiedAt, costMicros: attributedCostMicros } = story;
  const all = {
    paymentId,
    wallet,
    endpoint,
    amountMicros,
    chainId: 8453,
    asset,
    attributedCostMicros,
    verifiedAt: verifiedAt.toISOString(),
    requestId: `request-${paymentId}`,
    nonce: nonceOf(paymentId),
  };
  const { tier, rebateMicros, served } = story;
  const later = new Date(verifiedAt.getTime() + story.endsAfterMs).toISOString();
  return story.states.map((state) => {
    if (state === 'settled') {
      const data = { ...all, transactionHash: `0x${'7'.repeat(64)}`, settledAt: later, served, tier, rebateMicros };
      return { event: PaymentSettled, key: wallet, data };
    }
    if (state === 'settlement_failed') {
      const data = { ...all, transactionHash: null, failedAt: later, served, reason: 'refused' };
      return { event: PaymentSettlementFailed, key: wallet, data };
    }
    return { event: PaymentSettlementPending, key: wallet, data: { ...all, state, served, reason: null } };
  });
}

export function nonceOf(paymentId: string): string {
  return `0x${paymentId.replaceAll('-', '').repeat(2)}`;
}

function creditEvents(story: CreditStory): PublishedEvent[] {
  const { id: creditId, wallet, endpoint, priceMicros, changeMicros, issuedAt, redeemedAt, expiresAt } = story;
  const events: PublishedEvent[] = [];
  if (issuedAt) {
    const instants = { issuedAt: issuedAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null };
    const grant = { faceMicros: 100_000, paymentId: creditId, tier: 'tier_1', ...instants };
    events.push({ event: CreditIssued, key: wallet, data: { creditId, wallet, ...grant } });
  }
  if (redeemedAt) {
    const call = { endpoint, priceMicros, changeMicros, attributedCostMicros: story.costMicros };
    const data = { creditId, wallet, ...call, redeemedAt: redeemedAt.toISOString(), requestId: 'request' };
    events.push({ event: CreditRedeemed, key: wallet, data });
  }
  return events;
}

export function history(...stories: PaymentStory[]): History {
  return { payments: stories, credits: [] };
}

export function anyOrder(events: readonly PublishedEvent[]): fc.Arbitrary<PublishedEvent[]> {
  if (events.length === 0) return fc.constant([]);
  return fc.array(fc.constantFrom(...events), { maxLength: 6 }).chain((again) => {
    const repeated = [...events, ...again];
    return fc
      .shuffledSubarray([...repeated.keys()], { minLength: repeated.length })
      .map((order) => order.map((index) => repeated[index]!));
  });
}
