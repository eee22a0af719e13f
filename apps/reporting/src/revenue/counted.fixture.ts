import { outcomeOf, type History, type PaymentStory } from '../projection/history.fixture';
import type { Basis } from './figures/basis';
import type { Interval } from './figures/intervals';

/** The expected figures of a period, counted by loops from the whole history. */
export interface Counted {
  gross: bigint;
  cost: bigint;
  redeemed: bigint;
  paidCalls: number;
  creditCalls: number;
  payers: Set<string>;
  lastCallAt: string | null;
}

/** From an instant, up to another and without it. */
export interface Stretch {
  fromMs: number;
  untilMs: number;
}

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Days, both included. */
export function daysFrom(from: string, to: string): Stretch {
  return { fromMs: Date.parse(from), untilMs: Date.parse(to) + DAY_MS };
}

/** The instant at which a payment counts, if it does. */
export function countsAt(payment: PaymentStory, basis: Basis): Date {
  return basis === 'call' ? payment.verifiedAt : new Date(payment.verifiedAt.getTime() + payment.endsAfterMs);
}

/** The events until then: a payment that has not ended is open. */
export function upTo({ payments, credits }: History, now: Date): History {
  const ifPast = (at: Date | null): Date | null => (at !== null && at <= now ? at : null);
  return {
    payments: payments
      .filter(({ verifiedAt }) => ifPast(verifiedAt))
      .map((payment) =>
        ifPast(countsAt(payment, 'settlement')) ? payment : { ...payment, states: ['settlement_pending'] },
      ),
    credits: credits
      .map((credit) => ({ ...credit, issuedAt: ifPast(credit.issuedAt), redeemedAt: ifPast(credit.redeemedAt) }))
      .filter(({ issuedAt, redeemedAt }) => issuedAt ?? redeemedAt),
  };
}

/** @param endpoint all of them when it is missing */
export function counted(
  { payments, credits }: History,
  basis: Basis,
  { fromMs, untilMs }: Stretch,
  endpoint?: string,
): Counted {
  const sums: Counted = {
    gross: 0n,
    cost: 0n,
    redeemed: 0n,
    paidCalls: 0,
    creditCalls: 0,
    payers: new Set(),
    lastCallAt: null,
  };
  const isIn = (at: Date | null, of: string): at is Date =>
    at !== null && at.getTime() >= fromMs && at.getTime() < untilMs && (endpoint === undefined || endpoint === of);
  const called = (at: Date): void => {
    if (sums.lastCallAt === null || at.toISOString() > sums.lastCallAt) sums.lastCallAt = at.toISOString();
  };
  for (const payment of payments) {
    const at = countsAt(payment, basis);
    if (!isIn(at, payment.endpoint)) continue;
    const outcome = outcomeOf(payment);
    if (outcome === 'settled' || (outcome === 'settlement_failed' && payment.served)) {
      sums.cost += BigInt(payment.costMicros);
    }
    if (outcome !== 'settled') continue;
    sums.gross += BigInt(payment.amountMicros);
    sums.paidCalls++;
    sums.payers.add(payment.wallet);
    called(at);
  }
  for (const { redeemedAt, endpoint: path, costMicros, priceMicros } of credits) {
    if (!isIn(redeemedAt, path)) continue;
    sums.cost += BigInt(costMicros);
    sums.redeemed += BigInt(priceMicros);
    sums.creditCalls++;
    called(redeemedAt);
  }
  return sums;
}

interface Piece extends Stretch {
  complete: boolean;
}

/** The points of an interval by hand, and whether each is all of its hour, day, week or month, and over at a time. */
export function piecesOf(interval: Interval, { fromMs, untilMs }: Stretch, nowMs: number): Piece[] {
  const starts: number[] = [];
  const end = Math.min(untilMs, interval === 'hour' ? nowMs + 1 : Infinity);
  for (let at = fromMs; at < end; at += interval === 'hour' ? HOUR_MS : DAY_MS) {
    if (begins(interval, at) || starts.length === 0) starts.push(at);
  }
  return starts.map((start, index) => {
    const next = starts[index + 1] ?? (interval === 'hour' ? start + HOUR_MS : untilMs);
    return {
      fromMs: start,
      untilMs: next,
      complete: begins(interval, start) && begins(interval, next) && next <= nowMs,
    };
  });
}

function begins(interval: Interval, at: number): boolean {
  const date = new Date(at);
  return { hour: true, day: true, week: date.getUTCDay() === 1, month: date.getUTCDate() === 1 }[interval];
}

/** Six decimals, by hand. */
export function exact(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(7, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
