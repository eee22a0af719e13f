import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { ApiProperty } from '@nestjs/swagger';
import { MOST_WINDOW_DAYS, type Span } from './window';

/** How fresh an answer is: the last two members of every one. */
export class AsOfView {
  @ApiProperty({ format: 'date-time', description: 'everything that was published by then is in these figures' })
  as_of!: string;
  @ApiProperty({ description: 'age of the oldest news that are not, 0 when there are none' })
  lag_seconds!: number;
}

/** An amount as every answer shows it: see `usdAmount`. */
export class Money {
  @ApiProperty({ description: 'rounded to cents, half away from zero', example: 45.83 }) usd!: number;
  @ApiProperty({ description: 'exact, six decimals', pattern: '^-?\\d+\\.\\d{6}$', example: '45.830000' })
  usd_exact!: string;
}

/** The days of an answer. */
export class WindowView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MOST_WINDOW_DAYS }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
}

/** The days of one side of a comparison. */
export class ComparedWindowView extends WindowView {
  @ApiProperty({
    format: 'date-time',
    nullable: true,
    type: String,
    description: 'of the last day only the time before it; null when the whole day is in',
  })
  until!: string | null;
}

/** The figures of every period. */
export class CallFiguresView {
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty({ description: 'of paid calls, credit calls, and served calls whose payment failed' })
  attributed_cost!: Money;
  @ApiProperty({ description: 'gross less cost' }) net_margin!: Money;
  @ApiProperty({ nullable: true, type: Number, description: 'of the gross, two decimals; null without any gross' })
  net_margin_pct!: number | null;
  @ApiProperty({ type: 'integer', description: 'settled payments' }) paid_calls!: number;
  @ApiProperty({ type: 'integer', description: 'calls served for a credit' }) credit_calls!: number;
  @ApiProperty({ type: 'integer', description: 'distinct wallets' }) unique_payers!: number;
  @ApiProperty({ description: 'prices of the calls served by credits; not a part of the margin' })
  rebate_redeemed!: Money;
}

/** Sums over calls. */
export interface Totals {
  grossMicros: number;
  costMicros: number;
  paidCalls: number;
  creditCalls: number;
  rebateRedeemedMicros: number;
}

export const NO_TOTALS: Totals = {
  grossMicros: 0,
  costMicros: 0,
  paidCalls: 0,
  creditCalls: 0,
  rebateRedeemedMicros: 0,
};

/** Sums to select from rows of calls: every figure of the revenue is made of these columns. */
export const SUMS = ['gross', 'cost', 'paid', 'credit', 'redeemed']
  .map((column) => `coalesce(sum(${column}), 0)::bigint AS ${column}`)
  .join(', ');

export type SumsRow = Record<'gross' | 'cost' | 'paid' | 'credit' | 'redeemed', string>;

export function totalsOf({ gross, cost, paid, credit, redeemed }: SumsRow): Totals {
  return {
    grossMicros: readMicros(gross),
    costMicros: readMicros(cost),
    paidCalls: readMicros(paid),
    creditCalls: readMicros(credit),
    rebateRedeemedMicros: readMicros(redeemed),
  };
}

export function plusTotals(one: Totals, other: Totals): Totals {
  return {
    grossMicros: one.grossMicros + other.grossMicros,
    costMicros: one.costMicros + other.costMicros,
    paidCalls: one.paidCalls + other.paidCalls,
    creditCalls: one.creditCalls + other.creditCalls,
    rebateRedeemedMicros: one.rebateRedeemedMicros + other.rebateRedeemedMicros,
  };
}

/**
 * A part in per cent with two decimals, rounded half away from zero, counted in integers.
 * @param whole above zero
 */
export function percentOf(part: number, whole: number): number {
  const size = BigInt(Math.abs(part)) * 10_000n;
  const divisor = BigInt(whole);
  const hundredths = Number((size * 2n + divisor) / (divisor * 2n));
  return hundredths === 0 ? 0 : (Math.sign(part) * hundredths) / 100;
}

/** Gross, cost and margin: the same three members in every answer. */
export function marginOf({ grossMicros, costMicros }: { grossMicros: number; costMicros: number }) {
  return {
    gross_revenue: usdAmount(grossMicros),
    attributed_cost: usdAmount(costMicros),
    net_margin: usdAmount(grossMicros - costMicros),
  };
}

/** Sums as an answer shows them. The margin in per cent is null without revenue. */
export function callFigures(totals: Totals, uniquePayers: number): CallFiguresView {
  const { grossMicros, costMicros, paidCalls, creditCalls, rebateRedeemedMicros } = totals;
  return {
    ...marginOf(totals),
    net_margin_pct: grossMicros === 0 ? null : percentOf(grossMicros - costMicros, grossMicros),
    paid_calls: paidCalls,
    credit_calls: creditCalls,
    unique_payers: uniquePayers,
    rebate_redeemed: usdAmount(rebateRedeemedMicros),
  };
}

/** One side of a comparison as an answer names it. */
export function spanView({ days, from, to, until }: Span): ComparedWindowView {
  return { days, from, to, until: until?.toISOString() ?? null };
}
