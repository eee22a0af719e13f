import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { ApiProperty, IntersectionType, PickType } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import type { ReportingConfig } from '../../reporting.config';
import type { FiguresQuery } from '../revenue-query';
import type { Read } from '../revenue-snapshot';
import {
  AdjustedAfterView,
  AsOfView,
  callFigures,
  CallFiguresView,
  CallSumsView,
  ComparedWindowView,
  Is,
  marginOf,
  numbersOf,
  PreviousOf,
  type Totals,
  WindowView,
  zerosOf,
} from './figures';
import { daysSinceMonday } from './intervals';
import { type Basis, BASES, comparedSides, isBeforeFirst, SpanRows } from './span-rows';
import { comparisonOf, daysOf, type Period, type Window, wholeOf, windowOf, windowUntil } from './window';

class WindowFiguresView extends IntersectionType(WindowView, CallFiguresView) {
  @Is.referred(AdjustedAfterView, {
    nullable: true,
    description: 'of these figures, what settled or failed after the last day; null by settlement, where nothing does',
  })
  adjusted_after!: AdjustedAfterView | null;
}

class DayFiguresView extends CallFiguresView {
  @Is.day() date!: string;
}

class AllTimeFiguresView extends CallFiguresView {
  @ApiProperty({ format: 'date', nullable: true, type: String, description: 'day of the first call' })
  since!: string | null;
}

export class SettlementView {
  @Is.count() settled!: number;
  @Is.count() pending!: number;
  @Is.count() needs_reconciliation!: number;
  @Is.count() failed!: number;
}

class EndpointCostView {
  @Is.member() endpoint!: string;
  @Is.member() per_call_usd_exact!: string;
}

/** The cost of calls from now on; earlier calls have the cost of their event. */
class CostModelView {
  @Is.member() version!: string;
  @Is.textOrNull('null when it differs by endpoint') per_call_usd_exact!: string | null;
  @Is.member() per_settlement_usd_exact!: string;
  @ApiProperty({ required: false, type: [EndpointCostView], description: 'only when it differs by endpoint' })
  per_endpoint?: EndpointCostView[];
}

class PerDayView extends PickType(CallSumsView, ['gross_revenue', 'attributed_cost', 'net_margin']) {
  @Is.member('two decimals') paid_calls!: number;
}

class WeekdaysView {
  @Is.count() monday!: number;
  @Is.count() tuesday!: number;
  @Is.count() wednesday!: number;
  @Is.count() thursday!: number;
  @Is.count() friday!: number;
  @Is.count() saturday!: number;
  @Is.count() sunday!: number;
}

class ComparedFiguresView extends IntersectionType(ComparedWindowView, CallFiguresView) {
  @ApiProperty({ required: false, description: 'of a month: what its days bring on average' }) per_day?: PerDayView;
  @ApiProperty({ required: false, description: 'of a month: how many of each weekday it has' }) weekdays?: WeekdaysView;
}

class PreviousWindowView extends PreviousOf(ComparedFiguresView) {}

class SameWeekdayView extends DayFiguresView {
  @Is.instant('only the time before it, the same time of day as now') until!: string;
}

const NONE_BEFORE = 'null when it would begin before the first payment';

class PreviousFiguresView {
  @Is.referred(PreviousWindowView, { nullable: true, description: NONE_BEFORE }) window!: PreviousWindowView | null;
  @Is.referred(SameWeekdayView, { nullable: true, description: NONE_BEFORE }) today!: SameWeekdayView | null;
}

export class SummaryView extends AsOfView {
  @Is.oneOf(['USD']) currency!: 'USD';
  @Is.member() window!: WindowFiguresView;
  @Is.member() today!: DayFiguresView;
  @Is.member() all_time!: AllTimeFiguresView;
  @Is.member() settlement!: SettlementView;
  @Is.member() cost_model!: CostModelView;
  @Is.oneOf(BASES, 'of window, today and all_time') basis!: Basis;
  @Is.referred(PreviousFiguresView, {
    required: false,
    description:
      'with compare=previous: the same weekdays before the window, and a week before today up to the same time',
  })
  previous?: PreviousFiguresView;
}

/** A new version for a new meaning, not for new amounts. */
const VERSION = '1';

/** Gross, cost and margin of the window, of today, and of all time. */
export function readSummary(config: ReportingConfig): Read<FiguresQuery, SummaryView> {
  return async (tx, now, { period, basis, compare }) => {
    const rows = new SpanRows(tx, basis);
    const [window, today] = [windowOf(period, now), windowUntil(now, 1)];
    const { since, ...ever } = await rows.ofAllTime();
    return {
      currency: 'USD' as const,
      window: {
        ...window,
        ...callFigures(await rows.of(wholeOf(window))),
        adjusted_after: basis === 'call' ? await rows.adjustedAfter(window) : null,
      },
      today: { date: today.to, ...callFigures(await rows.of(wholeOf(today))) },
      all_time: { since, ...callFigures(ever) },
      settlement: await readSettlement(tx),
      cost_model: costModel(config),
      basis,
      ...(compare && { previous: await previous(rows, period, now) }),
    };
  };
}

const STATUSES = `
  SELECT (SELECT coalesce(sum(settled_calls), 0) FROM daily_totals)::bigint AS settled,
    count(*) FILTER (WHERE status = 'settlement_pending') AS pending,
    count(*) FILTER (WHERE status = 'needs_reconciliation') AS needs_reconciliation,
    count(*) FILTER (WHERE status = 'settlement_failed') AS failed
  FROM payments WHERE status <> 'settled'`;

export async function readSettlement(tx: EntityManager): Promise<SettlementView> {
  const [row] = await tx.query<[Record<keyof SettlementView, string>]>(STATUSES);
  return numbersOf(row, ['settled', 'pending', 'needs_reconciliation', 'failed']);
}

async function previous(rows: SpanRows, period: Period, now: Date): Promise<PreviousFiguresView> {
  const first = await rows.firstPaymentDay();
  const window = await comparedSides(comparisonOf(period, now), first, async (span) => {
    const figures = await rows.of(span);
    const ofMonth = 'month' in period && { per_day: perDay(figures.totals, span.days), weekdays: weekdaysIn(span) };
    return { ...callFigures(figures), ...ofMonth };
  });
  const day = comparisonOf({ days: 1 }, now).before;
  if (isBeforeFirst(day, first)) return { window, today: null };
  const figures = callFigures(await rows.of(day));
  return { window, today: { date: day.to, until: day.until!.toISOString(), ...figures } };
}

export function costModel(config: ReportingConfig): CostModelView {
  const costs = PAID_ENDPOINTS.map(({ path }) => ({
    endpoint: path,
    per_call_usd_exact: usdAmount(config.callCostMicros(path)).usd_exact,
  }));
  const first = costs[0]!.per_call_usd_exact;
  const isOne = costs.every(({ per_call_usd_exact }) => per_call_usd_exact === first);
  return {
    version: VERSION,
    per_call_usd_exact: isOne ? first : null,
    per_settlement_usd_exact: usdAmount(config.COST_SETTLEMENT_MICROS).usd_exact,
    ...(!isOne && { per_endpoint: costs }),
  };
}

/** Rounded to micro-USD, and to hundredths of a call. */
function perDay({ grossMicros, costMicros, paidCalls }: Totals, days: number): PerDayView {
  const part = (sum: number): number => Math.round(sum / days);
  return {
    ...marginOf({ grossMicros: part(grossMicros), costMicros: part(costMicros) }),
    paid_calls: Math.round((paidCalls * 100) / days) / 100,
  };
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** How many of each weekday its days are: months of one length may differ in them. */
function weekdaysIn(window: Window): WeekdaysView {
  const found = zerosOf(WEEKDAYS);
  for (const day of daysOf(window)) found[WEEKDAYS[daysSinceMonday(day)]!]++;
  return found;
}
