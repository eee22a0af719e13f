import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Clock, usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiExtraModels, ApiProperty, getSchemaPath, IntersectionType } from '@nestjs/swagger';
import { ReportingConfig } from '../../reporting.config';
import { type Basis, BASES } from './basis';
import {
  AsOfView,
  CallFiguresView,
  callFigures,
  ComparedWindowView,
  spanView,
  SUMS,
  type SumsRow,
  totalsOf,
} from './figures';
import { AdjustedAfterView, adjustedAfter } from './adjusted-after';
import { perDay, PerDayView, weekdaysIn, WeekdaysView } from './per-day';
import { callsOf, readFigures, spanValues } from './span-rows';
import { comparisonOf, dayOf, type Period, type Span, windowOf } from './window';
import { RevenueSnapshot } from '../revenue-snapshot';
import type { WindowQuestion } from '../query-parts';
import { firstPaymentDay, isBeforeFirst } from './first-payment';

class WindowFiguresView extends CallFiguresView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1_101 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({
    nullable: true,
    description: 'of these figures, what settled or failed after the last day; null by settlement, where nothing does',
    allOf: [{ $ref: getSchemaPath(AdjustedAfterView) }],
  })
  adjusted_after!: AdjustedAfterView | null;
}

class DayFiguresView extends CallFiguresView {
  @ApiProperty({ format: 'date' }) date!: string;
}

class AllTimeFiguresView extends CallFiguresView {
  @ApiProperty({ format: 'date', nullable: true, type: String, description: 'day of the first call' })
  since!: string | null;
}

/** Payments by status. */
export class SettlementView {
  @ApiProperty({ type: 'integer' }) settled!: number;
  @ApiProperty({ type: 'integer' }) pending!: number;
  @ApiProperty({ type: 'integer' }) needs_reconciliation!: number;
  @ApiProperty({ type: 'integer' }) failed!: number;
}

class EndpointCostView {
  @ApiProperty() endpoint!: string;
  @ApiProperty() per_call_usd_exact!: string;
}

/** The cost of calls from now on; earlier calls have the cost of their event. */
class CostModelView {
  @ApiProperty() version!: string;
  @ApiProperty({ nullable: true, type: String, description: 'null when it differs by endpoint' })
  per_call_usd_exact!: string | null;
  @ApiProperty() per_settlement_usd_exact!: string;
  @ApiProperty({ required: false, type: [EndpointCostView], description: 'only when it differs by endpoint' })
  per_endpoint?: EndpointCostView[];
}

/** One side of a comparison. */
class ComparedFiguresView extends IntersectionType(ComparedWindowView, CallFiguresView) {
  @ApiProperty({ required: false, description: 'of a month: what its days bring on average' }) per_day?: PerDayView;
  @ApiProperty({ required: false, description: 'of a month: how many of each weekday it has' }) weekdays?: WeekdaysView;
}

class PreviousWindowView extends ComparedFiguresView {
  @ApiProperty({ description: 'the side of the window that these are compared with' })
  compared!: ComparedFiguresView;
}

class SameWeekdayView extends DayFiguresView {
  @ApiProperty({ format: 'date-time', description: 'only the time before it, the same time of day as now' })
  until!: string;
}

const NONE_BEFORE = 'null when it would begin before the first payment';

@ApiExtraModels(PreviousWindowView, SameWeekdayView)
class PreviousFiguresView {
  @ApiProperty({ nullable: true, description: NONE_BEFORE, allOf: [{ $ref: getSchemaPath(PreviousWindowView) }] })
  window!: PreviousWindowView | null;
  @ApiProperty({ nullable: true, description: NONE_BEFORE, allOf: [{ $ref: getSchemaPath(SameWeekdayView) }] })
  today!: SameWeekdayView | null;
}

@ApiExtraModels(PreviousFiguresView, AdjustedAfterView)
export class SummaryView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty() window!: WindowFiguresView;
  @ApiProperty() today!: DayFiguresView;
  @ApiProperty() all_time!: AllTimeFiguresView;
  @ApiProperty() settlement!: SettlementView;
  @ApiProperty() cost_model!: CostModelView;
  @ApiProperty({ enum: BASES, description: 'of window, today and all_time' }) basis!: Basis;
  @ApiProperty({
    required: false,
    description:
      'with compare=previous: the same weekdays before the window, and a week before today up to the same time',
    allOf: [{ $ref: getSchemaPath(PreviousFiguresView) }],
  })
  previous?: PreviousFiguresView;
}

/** A new version for a new meaning, not for new amounts. */
const VERSION = '1';

/** Gross, cost and margin of the window, of today, and of all time. */
@Injectable()
export class ReadSummary {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly config: ReportingConfig,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed for a period that ends after today */
  async execute({ period, basis, compare }: WindowQuestion): Promise<SummaryView> {
    const now = this.clock.now();
    const window = windowOf(period, now);
    const today = dayOf(now.getTime());
    return this.snapshot.read(async (tx) => ({
      currency: 'USD' as const,
      window: {
        ...window,
        ...(await figuresOf(tx, basis, { ...window, until: null })),
        adjusted_after: basis === 'call' ? await adjustedAfter(tx, window) : null,
      },
      today: { date: today, ...(await figuresOf(tx, basis, { days: 1, from: today, to: today, until: null })) },
      all_time: await figuresOfAllTime(tx, basis),
      settlement: await readSettlement(tx),
      cost_model: costModel(this.config),
      basis,
      ...(compare && { previous: await previous(tx, basis, period, now) }),
    }));
  }
}

const STATUSES = `
  SELECT (SELECT coalesce(sum(settled_calls), 0) FROM daily_totals)::bigint AS settled,
    count(*) FILTER (WHERE status = 'settlement_pending') AS pending,
    count(*) FILTER (WHERE status = 'needs_reconciliation') AS needs_reconciliation,
    count(*) FILTER (WHERE status = 'settlement_failed') AS failed
  FROM payments WHERE status <> 'settled'`;

/** Payments by status, now. */
export async function readSettlement(tx: Pick<EntityManager, 'query'>): Promise<SettlementView> {
  const [row] = await tx.query<[Record<keyof SettlementView, string>]>(STATUSES);
  return {
    settled: readMicros(row.settled),
    pending: readMicros(row.pending),
    needs_reconciliation: readMicros(row.needs_reconciliation),
    failed: readMicros(row.failed),
  };
}

async function figuresOf(tx: EntityManager, basis: Basis, span: Span): Promise<CallFiguresView> {
  const { totals, payers } = await readFigures(tx, basis, span);
  return callFigures(totals, payers);
}

const EVER = { from: '-infinity', to: 'infinity', until: null };

async function figuresOfAllTime(tx: EntityManager, basis: Basis): Promise<AllTimeFiguresView> {
  const [first] = await tx.query<[{ since: string | null; payers: string }]>(
    `SELECT min(day)::text AS since, (SELECT count(*) FROM wallet_totals WHERE paid_calls > 0) AS payers FROM daily_totals`,
  );
  const [sums] = await tx.query<[SumsRow]>(`SELECT ${SUMS} FROM (${callsOf(basis)}) calls`, spanValues(EVER));
  return { since: first.since, ...callFigures(totalsOf(sums), readMicros(first.payers)) };
}

async function previous(tx: EntityManager, basis: Basis, period: Period, now: Date): Promise<PreviousFiguresView> {
  const first = await firstPaymentDay(tx, basis);
  const today = comparisonOf({ days: 1 }, now).before;
  const { current, before } = comparisonOf(period, now);
  const isMonth = 'month' in period;
  const sideOf = async (span: Span) => {
    const { totals, payers } = await readFigures(tx, basis, span);
    return {
      ...spanView(span),
      ...callFigures(totals, payers),
      ...(isMonth && { per_day: perDay(totals, span.days), weekdays: weekdaysIn(span) }),
    };
  };
  return {
    window: isBeforeFirst(before, first) ? null : { ...(await sideOf(before)), compared: await sideOf(current) },
    today: isBeforeFirst(today, first)
      ? null
      : { date: today.to, until: today.until!.toISOString(), ...(await figuresOf(tx, basis, today)) },
  };
}

/** The cost of a call by the settings. */
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
