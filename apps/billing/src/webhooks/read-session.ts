import { PAID_PLAN_CODES, PLANS, type PaidPlanCode } from '@evenkeel/contracts';
import { idAt, integerAt, textAt, userIdAt, type ProviderObject } from '../provider/members';
import type { EndedSession } from '../subscriptions/facts';

/** A page to pay that has ended, well or not. */
export interface SessionEnd {
  sessionId: string;
  customerId: string | null;
  subscriptionId: string | null;
  userId: string | null;
  fact: EndedSession;
}

/** @returns null for a page that sells no subscription, or has no id */
export function readSession(object: ProviderObject, type: string, at: Date): SessionEnd | null {
  const sessionId = idAt(object, 'id');
  if (sessionId === null || textAt(object, 'mode') !== 'subscription') return null;
  const outcome = outcomeOf(object, type);
  const givesAccess = outcome === 'ACTIVE' || outcome === 'TRIALING';
  const stated = textAt(object, 'metadata', 'plan_code');
  const planCode = PAID_PLAN_CODES.find((code) => code === stated) ?? null;
  return {
    ...{ sessionId, customerId: idAt(object, 'customer'), subscriptionId: idAt(object, 'subscription') },
    userId: userIdAt(object, 'client_reference_id') ?? userIdAt(object, 'metadata', 'user_id'),
    fact: {
      // Whether we opened it, only what is stored tells.
      ...{ kind: 'session', outcome, planCode, isOurs: false },
      provisionalEnd: givesAccess && planCode !== null ? oneIntervalAfter(at, planCode) : null,
    },
  };
}

function outcomeOf(object: ProviderObject, type: string): EndedSession['outcome'] {
  if (type === 'checkout.session.expired' || type === 'checkout.session.async_payment_failed') return 'EXPIRED';
  if (type === 'checkout.session.async_payment_succeeded') return 'ACTIVE';
  const payment = textAt(object, 'payment_status');
  if (payment === 'paid') return 'ACTIVE';
  if (payment !== 'no_payment_required') return 'INCOMPLETE';
  // Before discounts nothing is due either: the first interval is a trial.
  return integerAt(object, 'amount_subtotal') === 0 ? 'TRIALING' : 'ACTIVE';
}

/** The last day of a month that has no such day. */
function oneIntervalAfter(at: Date, planCode: PaidPlanCode): string {
  const end = new Date(at);
  end.setUTCMonth(at.getUTCMonth() + (PLANS[planCode].interval === 'year' ? 12 : 1));
  if (end.getUTCDate() !== at.getUTCDate()) end.setUTCDate(0);
  return end.toISOString();
}
