import type { FoldedState } from './facts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long access goes on while the provider's events may be late, and while a payment fails. */
export interface GraceTerms {
  renewalGraceHours: number;
  graceDays: number;
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
      if (end !== null) return end;
      return currentPeriodEnd === null ? null : after(currentPeriodEnd, renewalGraceHours * HOUR_MS);
    case 'PAST_DUE': {
      if (pastDueSince === null) return null;
      const graceEnd = after(pastDueSince, graceDays * DAY_MS);
      return end !== null && end < graceEnd ? end : graceEnd;
    }
    default:
      return null;
  }
}

/** When the person, or an operator at the provider, has it end; null while it renews. */
function scheduledEnd({ currentPeriodEnd, cancelAtPeriodEnd, cancelAt }: FoldedState): Date | null {
  if (cancelAtPeriodEnd && currentPeriodEnd !== null) return new Date(currentPeriodEnd);
  if (cancelAt === null) return null;
  const isWithinPeriod = currentPeriodEnd === null || Date.parse(cancelAt) <= Date.parse(currentPeriodEnd);
  return isWithinPeriod ? new Date(cancelAt) : null;
}

function after(instant: string, ms: number): Date {
  return new Date(Date.parse(instant) + ms);
}
