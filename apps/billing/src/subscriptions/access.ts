import type { BillingConfig } from '../billing.config';
import type { FoldedState } from './facts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long access goes on while the provider's events may be late, and while a payment fails. */
export interface GraceTerms {
  renewalGraceHours: number;
  graceDays: number;
}

export function termsOf(config: BillingConfig): GraceTerms {
  return { renewalGraceHours: config.BILLING_RENEWAL_GRACE_HOURS, graceDays: config.BILLING_GRACE_DAYS };
}

/**
 * Until when a subscription gives access, grace included: a function of its stored state alone, so that access ends by
 * the clock, without an event.
 * @returns null when it gives none
 */
export function accessUntil(state: FoldedState, { renewalGraceHours, graceDays }: GraceTerms): Date | null {
  const { status, currentPeriodEnd, pastDueSince } = state;
  const end = scheduledEnd(state);
  switch (status) {
    case 'TRIALING':
    case 'ACTIVE':
      if (currentPeriodEnd === null) return end;
      // An end after the period may come before the news of the next one.
      return end ?? earlier(after(currentPeriodEnd, renewalGraceHours * HOUR_MS), state.cancelAt);
    case 'PAST_DUE': {
      if (pastDueSince === null) return null;
      return earlier(after(pastDueSince, graceDays * DAY_MS), end?.toISOString() ?? state.cancelAt);
    }
    default:
      return null;
  }
}

/** When the person, or an operator at the provider, has it end in the period that is paid; null while it renews. */
export function scheduledEnd({
  currentPeriodEnd,
  cancelAtPeriodEnd,
  cancelAt,
}: Pick<FoldedState, 'currentPeriodEnd' | 'cancelAtPeriodEnd' | 'cancelAt'>): Date | null {
  if (cancelAtPeriodEnd && currentPeriodEnd !== null) return earlier(new Date(currentPeriodEnd), cancelAt);
  if (cancelAt === null) return null;
  const isWithinPeriod = currentPeriodEnd === null || Date.parse(cancelAt) <= Date.parse(currentPeriodEnd);
  return isWithinPeriod ? new Date(cancelAt) : null;
}

function earlier(one: Date, other: string | null): Date {
  return other !== null && Date.parse(other) < one.getTime() ? new Date(other) : one;
}

function after(instant: string, ms: number): Date {
  return new Date(Date.parse(instant) + ms);
}
