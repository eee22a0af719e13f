import type { WholeSubscription } from './facts';

/** A monthly one that runs, as the provider says it. */
export function aSubscription(said: Partial<WholeSubscription> = {}): WholeSubscription {
  return {
    kind: 'subscription',
    status: 'ACTIVE',
    mayReturn: false,
    planCode: 'premium_monthly',
    interval: 'month',
    recurringMicros: 7_990_000,
    startedAt: '2026-01-01T00:00:00.000Z',
    currentPeriodEnd: '2026-02-01T00:00:00.000Z',
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
    ...said,
  };
}
