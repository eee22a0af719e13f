import { PLANS } from '@evenkeel/contracts';
import {
  compareFacts,
  type EndedSession,
  type FoldedState,
  type PaidInvoice,
  type PlacedFact,
  type SubscriptionStatus,
  type UnpaidInvoice,
  type WholeSubscription,
} from './facts';

const NOTHING: FoldedState = {
  status: 'INCOMPLETE',
  isFinal: false,
  isWhole: false,
  planCode: null,
  checkoutPlan: null,
  interval: null,
  recurringMicros: 0,
  startedAt: null,
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
  cancelAt: null,
  trialEnd: null,
  collectionPaused: false,
  pastDueSince: null,
  paymentUrl: null,
  latestInvoice: null,
  hasPendingUpdate: false,
};

/**
 * The state of a subscription: the fold of all its facts in their order, whatever the order in which they came.
 * @param facts in any order, at least one
 */
export function fold(facts: readonly PlacedFact[]): FoldedState {
  const ordered = [...facts].sort(compareFacts);
  const base = ordered.findLastIndex(({ fact }) => fact.kind === 'base');
  const known = base === -1 ? ordered : ordered.slice(base);
  const isWhole = known.some(
    ({ fact }) => fact.kind === 'subscription' || (fact.kind === 'base' && fact.state.isWhole),
  );
  const checkoutPlan = known.map(checkoutPlanOf).find((plan) => plan !== null) ?? null;
  return known.filter(({ fact }) => !(isWhole && fact.kind === 'session')).reduce(apply, { ...NOTHING, checkoutPlan });
}

function checkoutPlanOf({ fact }: PlacedFact): FoldedState['checkoutPlan'] {
  if (fact.kind === 'base') return fact.state.checkoutPlan;
  return fact.kind === 'session' && fact.isOurs ? fact.planCode : null;
}

/** Whether a fact that comes after all others can be applied to what they came to: the fold of all gives the same. */
export function canAppend(state: FoldedState, placed: PlacedFact): boolean {
  const { fact } = placed;
  if (fact.kind === 'base' || (state.checkoutPlan === null && checkoutPlanOf(placed) !== null)) return false;
  return state.isWhole || fact.kind !== 'subscription';
}

/** The next state, for a fact that comes after all those in `state`. */
export function apply(state: FoldedState, { fact, created }: PlacedFact): FoldedState {
  const at = created.toISOString();
  switch (fact.kind) {
    case 'base':
      return { ...fact.state, checkoutPlan: state.checkoutPlan };
    case 'subscription':
      return ofWhole(state, fact, at);
    case 'session':
      return state.isWhole ? state : ofSession(state, fact, at);
    case 'customer_deleted':
      return state.isFinal ? state : { ...enter(state, 'CANCELED', at), isFinal: true };
    case 'invoice_paid': {
      if (state.isFinal) return state;
      const known = ofInvoice(state, fact);
      if (!decides(state, fact)) return known;
      const isOwed = state.status === 'PAST_DUE' || state.status === 'INCOMPLETE';
      const paid = isOwed ? enter(known, 'ACTIVE', at) : known;
      return { ...paid, currentPeriodEnd: later(paid.currentPeriodEnd, fact.periodEnd) };
    }
    case 'invoice_failed':
    case 'invoice_action': {
      if (state.isFinal || state.status === 'EXPIRED') return state;
      const known = ofInvoice(state, fact);
      if (!decides(state, fact)) return known;
      const fails = fact.kind === 'invoice_failed' && (state.status === 'ACTIVE' || state.status === 'TRIALING');
      return { ...(fails ? enter(known, 'PAST_DUE', at) : known), paymentUrl: fact.paymentUrl ?? state.paymentUrl };
    }
  }
}

/**
 * Whether an invoice is about the status: the one that the newest whole state names, or one of a period that was made since.
 * One made by hand, one of a change that waits for its payment, and that of an earlier period are money and nothing else.
 */
function decides(state: FoldedState, fact: PaidInvoice | UnpaidInvoice): boolean {
  const { status, latestInvoice, hasPendingUpdate } = state;
  // In a trial nothing is due but amounts besides: only the invoice that comes after it may end it.
  const mayChange = fact.reason === 'change' && !hasPendingUpdate && status !== 'TRIALING';
  if (latestInvoice?.id === fact.invoiceId) return fact.isOfPeriod || mayChange;
  if (!fact.isOfPeriod) return false;
  return latestInvoice === null || isLater(fact.madeAt, latestInvoice.madeAt);
}

/** Whether an invoice would change the status if it were the one that decides, which only the provider knows. */
export function isUndecided(state: FoldedState, { fact }: PlacedFact): boolean {
  const isPaid = fact.kind === 'invoice_paid';
  if ((!isPaid && fact.kind !== 'invoice_failed') || state.isFinal) return false;
  if ((!fact.isOfPeriod && fact.reason !== 'change') || decides(state, fact)) return false;
  return (state.status === 'ACTIVE' || state.status === 'TRIALING') !== isPaid;
}

function ofInvoice(state: FoldedState, fact: PaidInvoice | UnpaidInvoice): FoldedState {
  const { invoiceId: id, madeAt, planCode } = fact;
  const plan = state.planCode ?? (state.isWhole ? null : planCode);
  const isLatest = decides(state, fact) && state.latestInvoice?.id !== id;
  return { ...state, planCode: plan, latestInvoice: isLatest ? { id, madeAt } : state.latestInvoice };
}

function ofWhole(state: FoldedState, fact: WholeSubscription, at: string): FoldedState {
  if (state.isFinal) return { ...state, isWhole: true };
  const { interval, startedAt, currentPeriodEnd, cancelAtPeriodEnd, cancelAt, trialEnd, collectionPaused } = fact;
  const { checkoutPlan } = state;
  return {
    ...enter(state, fact.status, fact.pastDueSince ?? at),
    interval,
    startedAt,
    currentPeriodEnd,
    cancelAtPeriodEnd,
    cancelAt,
    trialEnd,
    collectionPaused,
    isWhole: true,
    planCode: fact.planCode ?? (checkoutPlan && (fact.statedPlan ?? checkoutPlan)),
    isFinal: isEnd(fact.status) && !fact.mayReturn,
    recurringMicros: fact.recurringMicros ?? state.recurringMicros,
    paymentUrl: isOwing(fact.status) || fact.mayReturn ? (fact.paymentUrl ?? state.paymentUrl) : null,
    // Whatever is made after this moment is newer than the one that it names.
    latestInvoice: fact.latestInvoice ? { id: fact.latestInvoice, madeAt: at } : state.latestInvoice,
    hasPendingUpdate: fact.hasPendingUpdate,
  };
}

function ofSession(state: FoldedState, { outcome, planCode, provisionalEnd }: EndedSession, at: string): FoldedState {
  if (state.isFinal) return state;
  const next = state.status === 'INCOMPLETE' ? enter(state, outcome, at) : state;
  return {
    ...next,
    planCode: state.checkoutPlan ?? state.planCode,
    interval: planCode === null ? state.interval : PLANS[planCode].interval,
    startedAt: state.startedAt ?? at,
    currentPeriodEnd: later(state.currentPeriodEnd, provisionalEnd),
  };
}

function enter(state: FoldedState, status: SubscriptionStatus, since: string): FoldedState {
  const isPastDue = status === 'PAST_DUE';
  return {
    ...state,
    status,
    pastDueSince: isPastDue ? (state.pastDueSince ?? since) : null,
    paymentUrl: isOwing(status) ? state.paymentUrl : null,
  };
}

function isEnd(status: SubscriptionStatus): boolean {
  return status === 'CANCELED' || status === 'EXPIRED';
}

function isOwing(status: SubscriptionStatus): boolean {
  return status === 'PAST_DUE' || status === 'INCOMPLETE';
}

function isLater(one: string | null, other: string | null): boolean {
  return one === null || other === null || Date.parse(one) > Date.parse(other);
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return Date.parse(one) >= Date.parse(other) ? one : other;
}
