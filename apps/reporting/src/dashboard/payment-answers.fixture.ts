import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type { SubscriptionBusiness } from './subscription-answers.fixture';
import type {
  HealthFacts,
  Payment,
  Payments,
  PaymentStatus,
  PaymentStory,
  Reconciliation,
  Summary,
} from './browser/answers';

const NOW_MS = Date.parse('2026-01-31T14:02:07.412Z');
const DAY_MS = 86_400_000;

interface Freshness {
  as_of: string;
  lag_seconds: number;
}

/** Payments, and what became of them. */
export interface Operation {
  settlement: Summary['settlement'];
  /** Newest first. */
  payments: Payment[];
  /** Age of the oldest payment that waits. */
  oldestWaitingMs: number;
  lastPaymentMs: number;
  failedLately: number;
  /** Of this hour and the one before; null before there are enough days. */
  usualCalls: number | null;
  lagSeconds: number;
  settledWithoutHash: number;
  servedAndFailed: number;
}

/** A day as most are: two payments wait, one has failed. */
export function anOperation(): Operation {
  return {
    settlement: { settled: 4302, pending: 2, needs_reconciliation: 0, failed: 1 },
    payments: Array.from({ length: 60 }, (_, index) => aPayment(index)),
    oldestWaitingMs: 250_000,
    lastPaymentMs: 4_000,
    failedLately: 1,
    usualCalls: 43,
    lagSeconds: 0.4,
    settledWithoutHash: 0,
    servedAndFailed: 0,
  };
}

export function noOperation(): Operation {
  const settlement = { settled: 0, pending: 0, needs_reconciliation: 0, failed: 0 };
  return { ...anOperation(), settlement, payments: [], failedLately: 0, usualCalls: null };
}

export function aPayment(index: number, status: PaymentStatus = statusOf(index)): Payment {
  const { path, priceMicros } = PAID_ENDPOINTS.at(index % PAID_ENDPOINTS.length)!;
  const verifiedAt = NOW_MS - 4_000 - index * 97_000;
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    id: `0194b3a0-0000-7000-8000-${String(999 - index).padStart(12, '0')}`,
    verified_at: at(verifiedAt),
    endpoint: path,
    amount: usdAmount(priceMicros),
    amount_atomic: String(priceMicros),
    payer: walletOf(index % 7),
    network: 'eip155:8453',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    transaction_hash:
      status === 'settled'
        ? `0x${hexOf(index + 31)
            .repeat(8)
            .slice(0, 64)}`
        : null,
    status,
    settled_at: status === 'settled' ? at(verifiedAt + 790) : null,
    rebate_accrued: usdAmount(2_500),
    request_id: `request-${index}`,
  };
}

function statusOf(index: number): PaymentStatus {
  if (index === 2 || index === 3) return 'settlement_pending';
  return index === 9 ? 'settlement_failed' : 'settled';
}

export function walletOf(index: number): string {
  return `0x${hexOf(index + 3).repeat(5)}`;
}

function hexOf(seed: number): string {
  return ((seed * 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
}

/** @param people what people pay, whatever the period */
export function healthAnswer(
  business: Operation,
  asOf: string,
  people: Pick<SubscriptionBusiness, 'pastDue' | 'disputedMicros'> | null,
): HealthFacts {
  const { pastDue, disputedMicros } = people ?? { pastDue: 0, disputedMicros: 0 };
  const { settlement, oldestWaitingMs, lastPaymentMs, failedLately, usualCalls } = business;
  const ago = (ms: number) => new Date(NOW_MS - ms).toISOString();
  const hour = (since: string, paid_calls: number) => ({ since, paid_calls, usual_paid_calls: usualCalls });
  return {
    settlement,
    oldest_waiting_at: settlement.pending === 0 ? null : ago(oldestWaitingMs),
    last_payment_at: settlement.settled === 0 ? null : ago(lastPaymentMs),
    failed_last_24h: failedLately,
    past_due: pastDue,
    disputes: { open: disputedMicros > 0 ? 1 : 0, amount: usdAmount(disputedMicros) },
    hours: [hour(`${asOf.slice(0, 11)}13:00:00.000Z`, 41), hour(`${asOf.slice(0, 13)}:00:00.000Z`, 2)],
  };
}

export function reconciliationAnswer(business: Operation, freshness: Freshness): Reconciliation {
  const group = (count: number) => ({
    count,
    has_more: false,
    amount: usdAmount(count * 50_000),
    oldest_verified_at: count === 0 ? null : new Date(NOW_MS - DAY_MS).toISOString(),
  });
  const { pending, needs_reconciliation } = business.settlement;
  return {
    limit: 1,
    unresolved: {
      ...group(pending + needs_reconciliation),
      statuses: { settlement_pending: group(pending), needs_reconciliation: group(needs_reconciliation) },
      payments: [],
    },
    settled_without_hash: { ...group(business.settledWithoutHash), payments: [] },
    served_and_failed: { ...group(business.servedAndFailed), payments: [] },
    ...freshness,
  };
}

/** Nothing for an id that no payment has. */
export function storyAnswer({ payments }: Operation, id: string, freshness: Freshness): PaymentStory | undefined {
  const payment = payments.find((one) => one.id === id);
  if (!payment) return undefined;
  const { status, verified_at, settled_at, transaction_hash } = payment;
  const isSettled = status === 'settled';
  const reason = isSettled ? null : 'facilitator_timeout';
  const end = { at: settled_at ?? verified_at, state: status, ...(reason && { reason }) };
  return {
    ...payment,
    nonce: nonceOf(payment),
    reason,
    served: true,
    tier: isSettled ? 'tier_1' : null,
    attributed_cost: usdAmount(400),
    failed_at: status === 'settlement_failed' ? verified_at : null,
    credit_issued: null,
    story: [
      { at: verified_at, state: 'verified' },
      { ...end, ...(transaction_hash && { transaction_hash }) },
    ],
    ...freshness,
  };
}

export function nonceOf({ id }: Payment): string {
  return `0x${id.replaceAll('-', '').repeat(2)}`;
}

export function paymentsAnswer(business: Operation, query: URLSearchParams, freshness: Freshness): Payments {
  const [limit, cursor] = [Number(query.get('limit')), query.get('cursor')];
  const all = business.payments.filter((payment) => isWanted(payment, query));
  // The cursor is the last row of the page before, whatever has come in above it since.
  const from = all.findIndex(({ id }) => id === cursor) + 1;
  const page = all.slice(from, from + limit);
  const next_cursor = from + limit < all.length ? page.at(-1)!.id : null;
  return { limit, count: page.length, payments: page, next_cursor, ...freshness };
}

function isWanted(payment: Payment, query: URLSearchParams): boolean {
  const { id, status, endpoint, payer, transaction_hash: hash, request_id: request, verified_at: at } = payment;
  const day = at.slice(0, 10);
  const groups = {
    unresolved: status === 'settlement_pending' || status === 'needs_reconciliation',
    settled_without_hash: status === 'settled' && hash === null,
    served_and_failed: status === 'settlement_failed',
  };
  const isOne = (name: string, ...values: (string | null)[]) => !query.has(name) || values.includes(query.get(name));
  return [
    isOne('status', status),
    isOne('q', id, payer, hash, request, nonceOf(payment)),
    isOne('endpoint', endpoint),
    isOne('wallet', payer),
    isOne('day', day),
    isOne('group', ...Object.entries(groups).map(([group, isIn]) => (isIn ? group : null))),
    (query.get('from') ?? day) <= day && day <= (query.get('to') ?? day),
  ].every(Boolean);
}
