import { readMicros, usdAmount } from '@evenkeel/kernel';
import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath, IntersectionType, OmitType } from '@nestjs/swagger';
import { MOST_WINDOW_DAYS, type Span } from './window';

const NULLABLE = { nullable: true, type: String };

/** Members of answers, as OpenAPI describes them. */
export const Is = {
  member: (description?: string) => ApiProperty({ description }),
  count: (description?: string) => ApiProperty({ type: 'integer', description }),
  day: (description?: string) => ApiProperty({ format: 'date', description }),
  month: (description?: string) => ApiProperty({ pattern: '^\\d{4}-\\d{2}$', description }),
  instant: (description?: string) => ApiProperty({ format: 'date-time', description }),
  instantOrNull: (description?: string) => ApiProperty({ format: 'date-time', ...NULLABLE, description }),
  textOrNull: (description?: string) => ApiProperty({ ...NULLABLE, description }),
  numberOrNull: (description: string) => ApiProperty({ nullable: true, type: Number, description }),
  listOf: (type: Type, description?: string) => ApiProperty({ type: [type], description }),
  oneOf: (words: readonly string[], description?: string) => ApiProperty({ enum: words, description }),
  referred:
    (type: Type, options: object): PropertyDecorator =>
    (target, name) => {
      ApiExtraModels(type)(target.constructor);
      ApiProperty({ ...options, allOf: [{ $ref: getSchemaPath(type) }] })(target, name);
    },
  previous: (type: Type, first = 'payment') =>
    Is.referred(type, {
      required: false,
      nullable: true,
      description: `with compare=previous: the same weekdays before; null when they would begin before the first ${first}`,
    }),
};

/** How fresh an answer is: the last two members of every one. */
export class AsOfView {
  @Is.instant('everything that was published by then is in these figures') as_of!: string;
  @Is.member('age of the oldest news that are not, 0 when there are none') lag_seconds!: number;
}

/** An amount as every answer shows it: see `usdAmount`. */
export class Money {
  @ApiProperty({ description: 'rounded to cents, half away from zero', example: 45.83 }) usd!: number;
  @ApiProperty({ description: 'exact, six decimals', pattern: '^-?\\d+\\.\\d{6}$', example: '45.830000' })
  usd_exact!: string;
}

export class WindowView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MOST_WINDOW_DAYS }) days!: number;
  @Is.day() from!: string;
  @Is.day() to!: string;
}

export class MoneyOfDaysView extends IntersectionType(WindowView, AsOfView) {
  @Is.oneOf(['USD']) currency!: 'USD';
}

export class ComparedWindowView extends WindowView {
  @Is.instantOrNull('of the last day only the time before it; null when the whole day is in') until!: string | null;
}

export class CallSumsView {
  @Is.member() gross_revenue!: Money;
  @Is.member('of paid calls, credit calls, and served calls whose payment failed') attributed_cost!: Money;
  @Is.member('gross less cost') net_margin!: Money;
  @Is.count('settled payments') paid_calls!: number;
  @Is.count('calls served for a credit') credit_calls!: number;
}

export class CallsView extends CallSumsView {
  @Is.count('distinct wallets') unique_payers!: number;
}

export class CallFiguresView extends CallsView {
  @Is.numberOrNull('of the gross, two decimals; null without any gross') net_margin_pct!: number | null;
  @Is.member('prices of the calls served by credits; not a part of the margin') rebate_redeemed!: Money;
}

/** Settlements after the last day of a window by call: on that day the window had so much less. */
export class AdjustedAfterView extends OmitType(CallSumsView, ['credit_calls']) {}

/** One side of a comparison, with the side of the window that it is compared with. */
export function PreviousOf<Side extends object>(side: Type<Side>): Type<Side & { compared: Side }> {
  class PreviousView extends (side as Type<object>) {
    @ApiProperty({ type: side, description: 'the side of the window that these are compared with' }) compared!: Side;
  }
  return PreviousView as Type<Side & { compared: Side }>;
}

/**
 * The numbers of a row, whose values PostgreSQL writes as texts.
 * @throws RangeError for one that is no safe integer
 */
export function numbersOf<Name extends string>(
  row: Readonly<Record<Name, string>>,
  names: readonly Name[],
): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, readMicros(row[name])])) as Record<Name, number>;
}

export function plus<Name extends string>(
  one: Readonly<Record<Name, number>>,
  other: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(one) as Name[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Record<Name, number>;
}

export function zerosOf<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

const TOTALS = ['grossMicros', 'costMicros', 'paidCalls', 'creditCalls', 'redeemedMicros'] as const;

export type Totals = Record<(typeof TOTALS)[number], number>;
export type SumsRow = Record<keyof Totals, string>;

export const NO_TOTALS: Totals = zerosOf(TOTALS);

/** Sums to select from rows of calls: every figure of the revenue is made of these columns. */
export const SUMS = ['gross', 'cost', 'paid', 'credit', 'redeemed']
  .map((column, place) => `coalesce(sum(${column}), 0)::bigint AS "${TOTALS[place]}"`)
  .join(', ');

export function totalsOf(row: SumsRow): Totals {
  return numbersOf(row, TOTALS);
}

/**
 * A part in per cent with two decimals, rounded half away from zero, counted in integers.
 * @returns null of nothing
 */
export function percentOf(part: number, whole: number): number | null {
  if (whole === 0) return null;
  const size = BigInt(Math.abs(part)) * 10_000n;
  const divisor = BigInt(whole);
  const hundredths = Number((size * 2n + divisor) / (divisor * 2n));
  return hundredths === 0 ? 0 : (Math.sign(part) * hundredths) / 100;
}

export function marginOf({ grossMicros, costMicros }: { grossMicros: number; costMicros: number }) {
  return {
    gross_revenue: usdAmount(grossMicros),
    attributed_cost: usdAmount(costMicros),
    net_margin: usdAmount(grossMicros - costMicros),
  };
}

export function callSums(totals: Totals): CallSumsView {
  return { paid_calls: totals.paidCalls, credit_calls: totals.creditCalls, ...marginOf(totals) };
}

/** The margin in per cent is null without revenue. */
export function callFigures({ totals, payers }: { totals: Totals; payers: number }): CallFiguresView {
  const { grossMicros, costMicros, redeemedMicros } = totals;
  return {
    ...callSums(totals),
    unique_payers: payers,
    net_margin_pct: percentOf(grossMicros - costMicros, grossMicros),
    rebate_redeemed: usdAmount(redeemedMicros),
  };
}

export function spanView({ days, from, to, until }: Span): ComparedWindowView {
  return { days, from, to, until: until?.toISOString() ?? null };
}
