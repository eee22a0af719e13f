import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import type { Payment, PaymentStatus, Summary } from './browser/answers';

export const AS_OF = '2026-01-31T14:02:07.412Z';
export const TODAY = AS_OF.slice(0, 10);
export const FIRST_DAY = '2025-11-02';
const DAY_MS = 86_400_000;

/** What people pay, in the variants that the page shows differently. */
export interface SubscriptionBusiness {
  monthly: number;
  yearly: number;
  pastDue: number;
  disputedMicros: number;
}

/** What the answers to the page are about. */
export interface Business {
  settlement: Summary['settlement'];
  /** Newest first. */
  payments: Payment[];
  /** Age of the oldest payment that waits. */
  oldestWaitingMs: number;
  failedLately: number;
  /** Of this hour and the one before; null before there are enough days. */
  usualCalls: number | null;
  lagSeconds: number;
  settledWithoutHash: number;
  servedAndFailed: number;
  /** That have paid, by what they have spent. */
  wallets: string[];
  /** Null without any, now and ever. */
  subscriptions: SubscriptionBusiness | null;
  callsOn: (day: string) => number;
}

/** A business that grows, with quiet weekends: two payments wait, one has failed. */
export function aBusiness(): Business {
  return {
    settlement: { settled: 4302, pending: 2, needs_reconciliation: 0, failed: 1 },
    payments: Array.from({ length: 60 }, (_, index) => aPayment(index)),
    oldestWaitingMs: 250_000,
    failedLately: 1,
    usualCalls: 43,
    lagSeconds: 0.4,
    settledWithoutHash: 0,
    servedAndFailed: 0,
    wallets: Array.from({ length: 43 }, (_, index) => walletOf(index)),
    subscriptions: someSubscriptions(),
    callsOn: (day) => {
      const ago = daysBetween(day, TODAY);
      const weekend = [0, 6].includes(new Date(day).getUTCDay()) ? 0.5 : 1;
      const wave = 1 + 0.25 * Math.sin(ago * 1.7) + 0.15 * Math.cos(ago * 0.9);
      const soFar = day === TODAY ? 0.55 : 1;
      return day < FIRST_DAY ? 0 : Math.round((190 - 1.6 * ago) * weekend * wave * soFar);
    },
  };
}

/** No payment yet. */
export function noBusiness(): Business {
  const settlement = { settled: 0, pending: 0, needs_reconciliation: 0, failed: 0 };
  const none = { settlement, payments: [], wallets: [], subscriptions: null, callsOn: () => 0 };
  return { ...aBusiness(), ...none, failedLately: 0, usualCalls: null };
}

export function someSubscriptions(over: Partial<SubscriptionBusiness> = {}): SubscriptionBusiness {
  return { monthly: 1_230, yearly: 415, pastDue: 0, disputedMicros: 0, ...over };
}

export function aPayment(index: number, status: PaymentStatus = statusOf(index)): Payment {
  const { path, priceMicros } = PAID_ENDPOINTS.at(index % PAID_ENDPOINTS.length)!;
  const verifiedMs = 4_000 + index * 97_000;
  const isSettled = status === 'settled';
  return {
    id: `0194b3a0-0000-7000-8000-${String(999 - index).padStart(12, '0')}`,
    verified_at: ago(verifiedMs),
    endpoint: path,
    amount: usdAmount(priceMicros),
    amount_atomic: String(priceMicros),
    payer: walletOf(index % 7),
    network: 'eip155:8453',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    transaction_hash: isSettled ? `0x${hexOf(index + 31).repeat(8)}` : null,
    status,
    settled_at: isSettled ? ago(verifiedMs - 790) : null,
    rebate_accrued: usdAmount(2_500),
    request_id: `request-${index}`,
  };
}

function statusOf(index: number): PaymentStatus {
  if (index === 2 || index === 3) return 'settlement_pending';
  return index === 9 ? 'settlement_failed' : 'settled';
}

export function nonceOf({ id }: Payment): string {
  return `0x${id.replaceAll('-', '').repeat(2)}`;
}

function walletOf(index: number): string {
  return `0x${hexOf(index + 3).repeat(5)}`;
}

function hexOf(seed: number): string {
  return ((seed * 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
}

export function ago(ms: number): string {
  return new Date(Date.parse(AS_OF) - ms).toISOString();
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}
