import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Clock, usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ReportingConfig } from '../../reporting.config';
import { ALL_ENDPOINTS, allPayersWithin, payersByDay, payersSince } from '../figures/payers';
import { callFigures, readTotals } from '../figures/totals';
import { type Window, windowBefore, windowUntil } from '../figures/window';
import type { PaymentStatus } from '../payments/payment-rows';
import { RevenueSnapshot } from '../revenue-snapshot';
import type { CostModelView, DayFiguresView, SettlementView, SummaryView } from './summary.view';

/** Changes with its meaning, not with its amounts. */
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

/** What a call costs by the settings (D-117). */
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
