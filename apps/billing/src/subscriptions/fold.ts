import { PLANS } from '@evenkeel/contracts';
import {
  compareFacts,
  type EndedSession,
  type FoldedState,
  type PlacedFact,
  type SubscriptionStatus,
  type WholeSubscription,
} from './facts';

/** Where a status may go; one that is missing here goes nowhere. */
const NEXT: Readonly<Partial<Record<SubscriptionStatus, readonly SubscriptionStatus[]>>> = {
  INCOMPLETE: ['TRIALING', 'ACTIVE', 'EXPIRED', 'CANCELED'],
  TRIALING: ['ACTIVE', 'PAST_DUE', 'CANCELED', 'EXPIRED'],
  ACTIVE: ['PAST_DUE', 'CANCELED', 'EXPIRED'],
  PAST_DUE: ['ACTIVE', 'CANCELED', 'EXPIRED'],
  EXPIRED: ['ACTIVE', 'CANCELED'],
};

const NOTHING: FoldedState = {
  status: 'INCOMPLETE',
  isFinal: false,
  isWhole: false,
  planCode: null,
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
  return known.filter(({ fact }) => !(isWhole && fact.kind === 'session')).reduce(apply, NOTHING);
}

/** Whether a fact that comes after all others can be applied to what they came to: the fold of all gives the same. */
export function canAppend(state: FoldedState, { fact }: PlacedFact): boolean {
  return state.isWhole || (fact.kind !== 'subscription' && fact.kind !== 'base');
}

/** The next state, for a fact that comes after all those in `state`. */
export function apply(state: FoldedState, { fact, created }: PlacedFact): FoldedState {
  const at = created.toISOString();
  switch (fact.kind) {
    case 'base':
      return fact.state;
    case 'subscription':
      return ofWhole(state, fact, at);
    case 'session':
      return state.isWhole ? state : ofSession(state, fact, at);
    case 'invoice_paid': {
      if (state.isFinal) return state;
      const isOwed = state.status === 'PAST_DUE' || state.status === 'INCOMPLETE';
      const paid = isOwed ? enter(state, 'ACTIVE', at) : state;
      return { ...paid, currentPeriodEnd: later(paid.currentPeriodEnd, fact.periodEnd) };
    }
    case 'invoice_failed':
    case 'invoice_action': {
      if (state.isFinal || state.status === 'EXPIRED') return state;
      const fails = fact.kind === 'invoice_failed' && (state.status === 'ACTIVE' || state.status === 'TRIALING');
      return { ...(fails ? enter(state, 'PAST_DUE', at) : state), paymentUrl: fact.paymentUrl ?? state.paymentUrl };
    }
  }
}

function ofWhole(state: FoldedState, fact: WholeSubscription, at: string): FoldedState {
  const isFirst = !state.isWhole;
  const stays = !isFirst && (state.isFinal || !canEnter(state.status, fact.status));
  const moved = stays && state.status !== fact.status ? state : enter(state, fact.status, fact.pastDueSince ?? at);
  if (state.isFinal) return state;
  const { planCode, interval, startedAt, currentPeriodEnd, cancelAtPeriodEnd, cancelAt, trialEnd, collectionPaused } =
    fact;
  return {
    ...moved,
    ...{ planCode, interval, startedAt, currentPeriodEnd, cancelAtPeriodEnd, cancelAt, trialEnd, collectionPaused },
    isWhole: true,
    isFinal: moved.status === fact.status && isEnd(fact.status) && !fact.mayReturn,
    recurringMicros: fact.recurringMicros ?? state.recurringMicros,
    paymentUrl: isOwing(moved.status) ? (fact.paymentUrl ?? moved.paymentUrl) : null,
  };
}

function ofSession(state: FoldedState, { outcome, planCode, provisionalEnd }: EndedSession, at: string): FoldedState {
  if (state.isFinal) return state;
  const next = outcome === state.status || canEnter(state.status, outcome) ? enter(state, outcome, at) : state;
  const interval = planCode === null ? state.interval : PLANS[planCode].interval;
  return {
    ...next,
    ...{ planCode: planCode ?? state.planCode, interval, startedAt: state.startedAt ?? at },
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

function canEnter(from: SubscriptionStatus, to: SubscriptionStatus): boolean {
  return NEXT[from]?.includes(to) ?? false;
}

function isEnd(status: SubscriptionStatus): boolean {
  return status === 'CANCELED' || status === 'EXPIRED';
}

function isOwing(status: SubscriptionStatus): boolean {
  return status === 'PAST_DUE' || status === 'INCOMPLETE';
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return Date.parse(one) >= Date.parse(other) ? one : other;
}
