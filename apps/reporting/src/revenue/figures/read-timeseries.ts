import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { marginOf, NO_TOTALS, SUMS, type SumsRow, type Totals, totalsOf, AsOfView, Money } from './figures';
import { payersByDay } from './payers';
import { daysOf, windowBefore, windowUntil, type Window } from './window';
import { RevenueSnapshot } from '../revenue-snapshot';

export class PointView {
  @ApiProperty({ format: 'date' }) date!: string;
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty() attributed_cost!: Money;
  @ApiProperty() net_margin!: Money;
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
  @ApiProperty({ type: 'integer' }) credit_calls!: number;
  @ApiProperty({ type: 'integer', description: 'distinct wallets of the day' }) unique_payers!: number;
}

class PreviousTimeseriesView {
  @ApiProperty({ type: 'integer' }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: [PointView] }) points!: PointView[];
}

@ApiExtraModels(PreviousTimeseriesView)
export class TimeseriesView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 365 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: [PointView], description: 'one for each day, oldest first' }) points!: PointView[];
  @ApiProperty({
    required: false,
    description: 'with compare=previous: the same of the days before',
    allOf: [{ $ref: getSchemaPath(PreviousTimeseriesView) }],
  })
  previous?: PreviousTimeseriesView;
}

/** One point for each UTC day, also for a day without calls. */
@Injectable()
export class ReadTimeseries {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly clock: Clock,
  ) {}

  async execute(days: number, compare: boolean): Promise<TimeseriesView> {
    const window = windowUntil(this.clock.now(), days);
    return this.snapshot.read(async (tx) => ({
      currency: 'USD' as const,
      ...(await this.series(tx, window)),
      ...(compare && { previous: await this.series(tx, windowBefore(window)) }),
    }));
  }

  private async series(tx: EntityManager, window: Window) {
    const rows = await tx.query<(SumsRow & { date: string })[]>(
      `SELECT day::text AS date, ${SUMS} FROM daily_totals WHERE day BETWEEN $1 AND $2 GROUP BY day`,
      [window.from, window.to],
    );
    const totals = new Map(rows.map((row) => [row.date, totalsOf(row)]));
    const payers = await payersByDay(tx, window);
    const points = daysOf(window).map((date) => pointOf(date, totals.get(date) ?? NO_TOTALS, payers.get(date) ?? 0));
    return { ...window, points };
  }
}

function pointOf(date: string, totals: Totals, uniquePayers: number): PointView {
  const { paidCalls, creditCalls } = totals;
  return {
    date,
    ...marginOf(totals),
    paid_calls: paidCalls,
    credit_calls: creditCalls,
    unique_payers: uniquePayers,
  };
}
