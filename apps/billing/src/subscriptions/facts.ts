import type { InvoiceReason, PaidPlanCode, PlanInterval, SubscriptionState } from '@evenkeel/contracts';

export type SubscriptionStatus = SubscriptionState['status'];

/** All instants are ISO 8601 in UTC, as they are stored. */
export type IsoInstant = string;

/** What the provider says of a subscription as a whole, in one of its events or in answer to a read. */
export interface WholeSubscription {
  kind: 'subscription';
  status: SubscriptionStatus;
  /** `EXPIRED` that payment or a person may still end: unpaid or paused. */
  mayReturn: boolean;
  /** Null: a price that is none of ours. */
  planCode: PaidPlanCode | null;
  interval: PlanInterval | null;
  /** After discounts; null when the event does not tell them. */
  recurringMicros: number | null;
  startedAt: IsoInstant | null;
  currentPeriodEnd: IsoInstant | null;
  cancelAtPeriodEnd: boolean;
  cancelAt: IsoInstant | null;
  trialEnd: IsoInstant | null;
  collectionPaused: boolean;
  /** Only a read knows: since when a payment fails. */
  pastDueSince: IsoInstant | null;
  /** Only a read knows: where the person pays an open invoice. */
  paymentUrl: string | null;
}

/** A page to pay has ended: all that is known until the provider tells of the subscription itself. */
export interface EndedSession {
  kind: 'session';
  outcome: 'ACTIVE' | 'TRIALING' | 'INCOMPLETE' | 'EXPIRED';
  planCode: PaidPlanCode | null;
  /** One interval after the payment. */
  provisionalEnd: IsoInstant | null;
}

/** An invoice of the subscription was paid. */
export interface PaidInvoice {
  kind: 'invoice_paid';
  invoiceId: string;
  periodEnd: IsoInstant | null;
  reason: InvoiceReason;
}

/** A payment did not succeed, or a person has to confirm it. */
export interface UnpaidInvoice {
  kind: 'invoice_failed' | 'invoice_action';
  invoiceId: string;
  paymentUrl: string | null;
}

/** What old events came to, in place of them, at the place of the last of them. */
export interface BaseState {
  kind: 'base';
  rank: number;
  state: FoldedState;
}

/** What one event says of one subscription, and nothing else of it. */
export type SubscriptionFact = WholeSubscription | EndedSession | PaidInvoice | UnpaidInvoice | BaseState;

/** A fact at its place in the order of events: `created` has seconds only, so rank and id decide the rest. */
export interface PlacedFact {
  /** Of the event. */
  id: string;
  created: Date;
  fact: SubscriptionFact;
}

/** Everything that is known of a subscription: the fold of its facts. */
export interface FoldedState {
  status: SubscriptionStatus;
  /** Nothing changes the status any more. */
  isFinal: boolean;
  /** Whether a fact about the whole subscription is in it: then sessions say nothing more. */
  isWhole: boolean;
  planCode: PaidPlanCode | null;
  interval: PlanInterval | null;
  recurringMicros: number;
  startedAt: IsoInstant | null;
  currentPeriodEnd: IsoInstant | null;
  cancelAtPeriodEnd: boolean;
  cancelAt: IsoInstant | null;
  trialEnd: IsoInstant | null;
  collectionPaused: boolean;
  pastDueSince: IsoInstant | null;
  paymentUrl: string | null;
}

const RANKS: Readonly<Record<SubscriptionStatus, number>> = {
  EXPIRED: 6,
  CANCELED: 5,
  ACTIVE: 4,
  TRIALING: 3,
  PAST_DUE: 2,
  INCOMPLETE: 1,
};

/** The rank of the status that a fact leads to: it orders events of the same second. */
export function rankOf(fact: SubscriptionFact): number {
  switch (fact.kind) {
    case 'subscription':
      return RANKS[fact.status];
    case 'session':
      return RANKS[fact.outcome];
    case 'invoice_paid':
      return RANKS.ACTIVE;
    case 'invoice_failed':
      return RANKS.PAST_DUE;
    case 'invoice_action':
      return RANKS.INCOMPLETE;
    case 'base':
      return fact.rank;
  }
}

/** Negative when `a` comes first. Ids are compared by their bytes, as the index does. */
export function compareFacts(a: PlacedFact, b: PlacedFact): number {
  const byTime = a.created.getTime() - b.created.getTime();
  const byRank = rankOf(a.fact) - rankOf(b.fact);
  return byTime || byRank || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}
