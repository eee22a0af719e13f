import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Clock, usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { ReportingConfig } from '../../reporting.config';
import { ALL_ENDPOINTS, allPayersWithin, payersByDay, payersSince } from './payers';
import { callFigures, readTotals, AsOfView, CallFiguresView } from './figures';
import { type Window, windowBefore, windowUntil } from './window';
import type { PaymentStatus } from '../payments/payment-rows';
import { RevenueSnapshot } from '../revenue-snapshot';

class WindowFiguresView extends CallFiguresView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 365 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
}

class DayFiguresView extends CallFiguresView {
  @ApiProperty({ format: 'date' }) date!: string;
}

class AllTimeFiguresView extends CallFiguresView {
  @ApiProperty({ format: 'date', nullable: true, type: String, description: 'day of the first call' })
  since!: string | null;
}

/** Payments by status. */
class SettlementView {
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

class PreviousFiguresView {
  @ApiProperty() window!: WindowFiguresView;
  @ApiProperty({ description: 'yesterday, whole' }) today!: DayFiguresView;
}

@ApiExtraModels(PreviousFiguresView)
export class SummaryView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty() window!: WindowFiguresView;
  @ApiProperty() today!: DayFiguresView;
  @ApiProperty() all_time!: AllTimeFiguresView;
  @ApiProperty() settlement!: SettlementView;
  @ApiProperty() cost_model!: CostModelView;
  @ApiProperty({
    required: false,
    description: 'with compare=previous: the days before the window, and the day before today',
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

  async execute(days: number, compare: boolean): Promise<SummaryView> {
    const now = this.clock.now();
    const [window, today] = [windowUntil(now, days), windowUntil(now, 1)];
    return this.snapshot.read(async (tx) => ({
      currency: 'USD' as const,
      window: { ...window, ...(await this.figuresSince(tx, window)) },
      today: await this.figuresOfDay(tx, today),
      all_time: await this.figuresOfAllTime(tx),
      settlement: await this.settlement(tx),
      cost_model: costModel(this.config),
      ...(compare && { previous: await this.previous(tx, windowBefore(window), windowBefore(today)) }),
    }));
  }

  private async figuresSince(tx: EntityManager, { from, to }: Window) {
    const payers = await payersSince(tx, from);
    return callFigures(await readTotals(tx, from, to), payers.get(ALL_ENDPOINTS) ?? 0);
  }

  private async figuresOfDay(tx: EntityManager, day: Window): Promise<DayFiguresView> {
    const payers = await payersByDay(tx, day);
    return { date: day.to, ...callFigures(await readTotals(tx, day.from, day.to), payers.get(day.to) ?? 0) };
  }

  private async figuresOfAllTime(tx: EntityManager) {
    const payers = await payersSince(tx, '-infinity');
    const { since, ...totals } = await readTotals(tx, '-infinity', 'infinity');
    return { since, ...callFigures(totals, payers.get(ALL_ENDPOINTS) ?? 0) };
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

  private async previous(tx: EntityManager, window: Window, yesterday: Window) {
    const totals = await readTotals(tx, window.from, window.to);
    return {
      window: { ...window, ...callFigures(totals, await allPayersWithin(tx, window)) },
      today: await this.figuresOfDay(tx, yesterday),
    };
  }
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
