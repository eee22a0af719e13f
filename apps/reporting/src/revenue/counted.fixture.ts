import { outcomeOf, type History, type PaymentStory } from '../projection/history.fixture';
import type { Interval } from './figures/intervals';
import type { Basis } from './figures/span-rows';

export interface Stretch {
  fromMs: number;
  untilMs: number;
}

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
export const EVER: Stretch = { fromMs: -Infinity, untilMs: Infinity };

export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
export const isIn = (at: Date, { fromMs, untilMs }: Stretch) => at.getTime() >= fromMs && at.getTime() < untilMs;
export const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

export function grouped<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows)
    groups
      .set(keyOf(row), groups.get(keyOf(row)) ?? [])
      .get(keyOf(row))!
      .push(row);
  return groups;
}

/** Of a text with six decimals. */
export const micros = (text: string) => Number(text.replace('.', ''));

export function exact(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(7, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

export const money = (amount: number) => expect.objectContaining({ usd_exact: exact(amount) }) as object;

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

export type Counted = ReturnType<typeof counted>;

/**
 * The expected figures of a period, counted from the whole history.
 * @param endpoint all of them when it is missing
 */
export function counted({ payments, credits }: History, basis: Basis, stretch: Stretch, endpoint?: string) {
  const isOne = (at: Date | null, path: string) =>
    at !== null && isIn(at, stretch) && (endpoint === undefined || endpoint === path);
  const ended = payments.filter((payment) => isOne(countsAt(payment, basis), payment.endpoint));
  const paid = ended.filter((payment) => outcomeOf(payment) === 'settled');
  const given = ended.filter((payment) => outcomeOf(payment) === 'settlement_failed' && payment.served);
  const redeemed = credits.filter(({ redeemedAt, endpoint: path }) => isOne(redeemedAt, path));
  const times = [...paid.map((payment) => countsAt(payment, basis)), ...redeemed.map(({ redeemedAt }) => redeemedAt!)];
  return {
    gross: total(paid.map(({ amountMicros }) => amountMicros)),
    cost: total([...paid, ...given, ...redeemed].map(({ costMicros }) => costMicros)),
    redeemed: total(redeemed.map(({ priceMicros }) => priceMicros)),
    paidCalls: paid.length,
    creditCalls: redeemed.length,
    payers: new Set(paid.map(({ wallet }) => wallet)).size,
    lastCallAt:
      times
        .map((at) => at.toISOString())
        .sort()
        .at(-1) ?? null,
  };
}

/** The points of an interval by hand, and whether each is all of its hour, day, week or month, and over at a time. */
export function piecesOf(interval: Interval, { fromMs, untilMs }: Stretch, nowMs: number) {
  const begins = (at: number): boolean => {
    const date = new Date(at);
    return { hour: true, day: true, week: date.getUTCDay() === 1, month: date.getUTCDate() === 1 }[interval];
  };
  const lengthMs = interval === 'hour' ? HOUR_MS : DAY_MS;
  const end = Math.min(untilMs, interval === 'hour' ? nowMs + 1 : Infinity);
  const starts: number[] = [];
  for (let at = fromMs; at < end; at += lengthMs) if (begins(at) || at === fromMs) starts.push(at);
  return starts.map((start, index) => {
    const next = starts[index + 1] ?? (interval === 'hour' ? start + HOUR_MS : untilMs);
    return { fromMs: start, untilMs: next, complete: begins(start) && begins(next) && next <= nowMs };
  });
}
