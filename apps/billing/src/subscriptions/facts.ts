import type { InvoiceReason, PaidPlanCode, PlanInterval, SubscriptionState } from '@evenkeel/contracts';

export type SubscriptionStatus = SubscriptionState['status'];

/** All instants are ISO 8601 in UTC, as they are stored. */
export type IsoInstant = string;

/** A whole subscription of the provider, in one of its events or in answer to a read. */
export interface WholeSubscription {
  kind: 'subscription';
  status: SubscriptionStatus;
  /** `EXPIRED` that payment or a person may still end: unpaid or paused. */
  mayReturn: boolean;
  /** Null: no price that is ours. */
  planCode: PaidPlanCode | null;
  /** The plan that its metadata names: it says something where a checkout of ours has made the subscription. */
  statedPlan: PaidPlanCode | null;
  interval: PlanInterval | null;
  /** Of one interval and in USD, after discounts that last; null when the event does not tell them. */
  recurringMicros: number | null;
  /** When the next of its discounts ends. */
  discountEnd: IsoInstant | null;
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
  latestInvoice: string | null;
  /** A change waits for its payment: until then the invoice of the change decides nothing. */
  hasPendingUpdate: boolean;
}

/** A page to pay has ended: all that is known until the provider tells of the subscription itself. */
export interface EndedSession {
  kind: 'session';
  outcome: 'ACTIVE' | 'TRIALING' | 'INCOMPLETE' | 'EXPIRED';
  /** Whether we opened the page: what it sold is ours, whatever its price is called. */
  isOurs: boolean;
  planCode: PaidPlanCode | null;
  /** One interval after the payment. */
  provisionalEnd: IsoInstant | null;
}

interface InvoiceFact {
  invoiceId: string;
  reason: InvoiceReason;
  /** By its reason it is that of a period: not made by hand, and of no change. */
  isOfPeriod: boolean;
  /** When the invoice was made. */
  madeAt: IsoInstant | null;
  /** Of a price that is ours; null: it has none. */
  planCode: PaidPlanCode | null;
}

/** An invoice of the subscription was paid. */
export interface PaidInvoice extends InvoiceFact {
  kind: 'invoice_paid';
  periodEnd: IsoInstant | null;
}

/** A payment did not succeed, or a person has to confirm it. */
export interface UnpaidInvoice extends InvoiceFact {
  kind: 'invoice_failed' | 'invoice_action';
  paymentUrl: string | null;
}

/** The provider has deleted the customer, and with them everything that they had. */
export interface DeletedCustomer {
  kind: 'customer_deleted';
}

/** The fold of old events, in place of them, with the position of the last one. */
export interface BaseState {
  kind: 'base';
  rank: number;
  state: FoldedState;
}

/** The fact of one event about one subscription; nothing else of the event is kept. */
export type SubscriptionFact =
  WholeSubscription | EndedSession | PaidInvoice | UnpaidInvoice | DeletedCustomer | BaseState;

/** A fact with its position in the order of events: `created` has seconds only, so rank and id decide the rest. */
export interface PlacedFact {
  /** Of the event. */
  id: string;
  created: Date;
  fact: SubscriptionFact;
}

/** Members that the newest whole state decides. */
type Terms = 'interval' | 'startedAt' | 'currentPeriodEnd' | 'trialEnd' | 'collectionPaused' | 'pastDueSince';
type End = 'cancelAtPeriodEnd' | 'cancelAt';

/** Everything that is known of a subscription: the fold of its facts. */
export interface FoldedState extends Pick<WholeSubscription, Terms | End | 'status' | 'paymentUrl'> {
  /** Nothing changes the status any more. */
  isFinal: boolean;
  /** Whether a fact about the whole subscription is in it: then sessions say nothing more. */
  isWhole: boolean;
  /** Null: it is nothing that we sold. */
  planCode: PaidPlanCode | null;
  /** The plan of the page of ours that sold it. */
  checkoutPlan: PaidPlanCode | null;
  recurringMicros: number;
  /** The one that decides the status; null while none is known. */
  latestInvoice: { id: string; madeAt: IsoInstant | null } | null;
  /** The latest one is of a change that waits for its payment, and decides nothing. */
  hasPendingUpdate: boolean;
}

/** After everything of its second. */
const LAST_RANK = 7;

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
    case 'customer_deleted':
      return LAST_RANK;
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
