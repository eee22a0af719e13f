import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { marginOf, NO_TOTALS, SUMS, type SumsRow, type Totals, totalsOf } from '../figures/totals';
import { payersByDay } from '../figures/payers';
import { daysOf, windowBefore, windowUntil, type Window } from '../figures/window';
import { RevenueSnapshot } from '../revenue-snapshot';
import type { PointView, TimeseriesView } from './timeseries.view';

/** One point for each UTC day, also where nothing happened. */
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
