import { ApiProperty } from '@nestjs/swagger';
import { marginOf, Money, type Totals, zerosOf } from './figures';
import { daysSinceMonday } from './intervals';
import { daysOf, type Window } from './window';

/** Amounts per day, to compare months of different lengths. */
export class PerDayView {
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty() attributed_cost!: Money;
  @ApiProperty() net_margin!: Money;
  @ApiProperty({ description: 'two decimals' }) paid_calls!: number;
}

/** Rounded to micro-USD, and to hundredths of a call. */
export function perDay({ grossMicros, costMicros, paidCalls }: Totals, days: number): PerDayView {
  const part = (sum: number): number => Math.round(sum / days);
  return {
    ...marginOf({ grossMicros: part(grossMicros), costMicros: part(costMicros) }),
    paid_calls: Math.round((paidCalls * 100) / days) / 100,
  };
}

export class WeekdaysView {
  @ApiProperty({ type: 'integer' }) monday!: number;
  @ApiProperty({ type: 'integer' }) tuesday!: number;
  @ApiProperty({ type: 'integer' }) wednesday!: number;
  @ApiProperty({ type: 'integer' }) thursday!: number;
  @ApiProperty({ type: 'integer' }) friday!: number;
  @ApiProperty({ type: 'integer' }) saturday!: number;
  @ApiProperty({ type: 'integer' }) sunday!: number;
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** How many of each weekday its days are: months of one length may differ in them. */
export function weekdaysIn(window: Window): WeekdaysView {
  const found = zerosOf(WEEKDAYS);
  for (const day of daysOf(window)) found[WEEKDAYS[daysSinceMonday(day)]!]++;
  return found;
}
