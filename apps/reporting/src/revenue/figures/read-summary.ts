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
  marginOf,
  Money,
  readTotals,
  spanView,
} from './figures';
import { readPartOfDay } from './part-of-day';
import { ALL_ENDPOINTS, payersByDay, payersSince, payersWithin } from './payers';
import { comparisonOf, dayOf, type Period, type Span, type Window, windowOf } from './window';
import type { PaymentStatus } from '../payments/payment-rows';
import { RevenueSnapshot } from '../revenue-snapshot';
import type { WindowQuestion } from '../revenue-queries';
import { firstPaymentDay, isBeforeFirst } from './first-payment';

/** What came into a window by call after its last day: as it was then, the window had so much less. */
class AdjustedAfterView {
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty() attributed_cost!: Money;
  @ApiProperty() net_margin!: Money;
}

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
class ComparedFiguresView extends IntersectionType(ComparedWindowView, CallFiguresView) {}

class PreviousWindowView extends ComparedFiguresView {
  @ApiProperty({ description: 'the complete days of the window that these are compared with' })
  compared!: ComparedFiguresView;
}

class YesterdayView extends DayFiguresView {
  @ApiProperty({ format: 'date-time', description: 'only the time before it, the same time of day as now' })
  until!: string;
}

const NONE_BEFORE = 'null when it would begin before the first payment';

@ApiExtraModels(PreviousWindowView, YesterdayView)
class PreviousFiguresView {
  @ApiProperty({ nullable: true, description: NONE_BEFORE, allOf: [{ $ref: getSchemaPath(PreviousWindowView) }] })
  window!: PreviousWindowView | null;
  @ApiProperty({ nullable: true, description: NONE_BEFORE, allOf: [{ $ref: getSchemaPath(YesterdayView) }] })
  today!: YesterdayView | null;
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
    description: 'with compare=previous: the days before the window, and yesterday up to the same time',
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
        ...(await figuresOf(tx, basis, { ...window, until: null }, today)),
        adjusted_after: basis === 'call' ? await adjustedAfter(tx, window) : null,
      },
      today: { date: today, ...(await figuresOf(tx, basis, { days: 1, from: today, to: today, until: null }, today)) },
      all_time: await figuresOfAllTime(tx, basis),
      settlement: await this.settlement(tx),
      cost_model: costModel(this.config),
      basis,
      ...(compare && { previous: await previous(tx, basis, period, now) }),
    }));
  }

  private async settlement(tx: EntityManager): Promise<SettlementView> {
    const rows = await tx.query<{ status: PaymentStatus; payments: string }[]>(
      'SELECT status, payments FROM settlement_totals',
    );
    const count = (status: PaymentStatus): number =>
      readMicros(rows.find((row) => row.status === status)?.payments ?? '0');
    return {
      settled: count('settled'),
      pending: count('settlement_pending'),
      needs_reconciliation: count('needs_reconciliation'),
      failed: count('settlement_failed'),
    };
  }
}

/** @param today the day that is not over: its payers have a shorter way */
async function figuresOf(tx: EntityManager, basis: Basis, span: Span, today: string): Promise<CallFiguresView> {
  const { from, to, until } = span;
  if (until !== null && to < today) {
    const part = await readPartOfDay(tx, basis, until);
    return callFigures(part.totals, part.payers);
  }
  return callFigures(await readTotals(tx, basis, from, to), await payersOf(tx, basis, span, today));
}

async function payersOf(tx: EntityManager, basis: Basis, window: Window, today: string): Promise<number> {
  const { from, to } = window;
  if (from === to) return (await payersByDay(tx, basis, window)).get(to) ?? 0;
  const payers =
    to >= today ? await payersSince(tx, basis, from) : await payersWithin(tx, basis, window, [ALL_ENDPOINTS]);
  return payers.get(ALL_ENDPOINTS) ?? 0;
}

async function figuresOfAllTime(tx: EntityManager, basis: Basis): Promise<AllTimeFiguresView> {
  const payers = await payersSince(tx, basis, '-infinity');
  const totals = await readTotals(tx, basis, '-infinity', 'infinity');
  const [first] = await tx.query<[{ since: string | null }]>('SELECT min(day)::text AS since FROM daily_totals');
  return { since: first.since, ...callFigures(totals, payers.get(ALL_ENDPOINTS) ?? 0) };
}

async function adjustedAfter(tx: EntityManager, { from, to }: Window): Promise<AdjustedAfterView> {
  const [row] = await tx.query<[Record<'paid' | 'gross' | 'cost', string>]>(
    `SELECT coalesce(sum(paid_calls), 0)::bigint AS paid, coalesce(sum(gross_micros), 0)::bigint AS gross,
       coalesce(sum(cost_micros), 0)::bigint AS cost
     FROM late_settlements WHERE called BETWEEN $1 AND $2 AND ended > $2`,
    [from, to],
  );
  const sums = { grossMicros: readMicros(row.gross), costMicros: readMicros(row.cost) };
  return { paid_calls: readMicros(row.paid), ...marginOf(sums) };
}

async function previous(tx: EntityManager, basis: Basis, period: Period, now: Date): Promise<PreviousFiguresView> {
  const today = dayOf(now.getTime());
  const first = await firstPaymentDay(tx, basis);
  const yesterday = comparisonOf({ days: 1 }, now).before;
  const ofYesterday = isBeforeFirst(yesterday, first) ? null : await figuresOf(tx, basis, yesterday, today);
  const sideOf = async (span: Span) => ({
    ...spanView(span),
    ...(span.until !== null && span.from === yesterday.from && ofYesterday
      ? ofYesterday
      : await figuresOf(tx, basis, span, today)),
  });
  const { current, before } = comparisonOf(period, now);
  return {
    window: isBeforeFirst(before, first) ? null : { ...(await sideOf(before)), compared: await sideOf(current) },
    today: ofYesterday && { date: yesterday.to, until: yesterday.until!.toISOString(), ...ofYesterday },
  };
}

/** The cost of a call by the settings (D-117). */
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
