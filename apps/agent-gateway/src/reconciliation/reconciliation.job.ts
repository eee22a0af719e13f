import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AgentGatewayConfig } from '../agent-gateway.config';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { onlyOne } from './only-one';
import { Reconcile } from './reconcile';
import { differencesIn, isComplete, summaryOf, type Report } from './report';

/** Any constant: one replica at a time. */
const RECONCILIATION_LOCK = 730_403;
const FIRST_AFTER_MS = 60_000;
const WITHIN_MS = 10 * 60_000;
const MOST_LOGGED = 20;

/** Reconciles every hour and says what it found in one line; differences are an error, which a person must look at. */
@Injectable()
export class ReconciliationJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('reconciliation');
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  /** Where a run came to whose time was up. */
  private resumeAt?: Date;

  constructor(
    private readonly config: AgentGatewayConfig,
    private readonly dataSource: DataSource,
    private readonly reconcile: Reconcile,
    private readonly metrics: GatewayMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule(Math.min(FIRST_AFTER_MS, this.everyMs));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private get everyMs(): number {
    return this.config.RECONCILE_EVERY_SECONDS * 1_000;
  }

  private schedule(delayMs: number): void {
    this.timer = setTimeout(() => {
      this.running = this.runOnce().finally(() => this.stopped || this.schedule(this.everyMs));
    }, delayMs);
    this.timer.unref();
  }

  private async runOnce(): Promise<void> {
    try {
      await onlyOne(this.dataSource, RECONCILIATION_LOCK, async () => this.say(await this.compare()));
    } catch (error) {
      this.logger.warn({ message: 'the ledger could not be reconciled', error });
    }
  }

  private async compare(): Promise<Report> {
    const deadline = performance.now() + WITHIN_MS;
    const isLate = () => this.stopped || performance.now() >= deadline;
    const report = await this.reconcile.execute({ since: this.resumeAt, isLate });
    const reached = report.comparisons.map(({ comparedUntil }) => comparedUntil.getTime());
    this.resumeAt = isComplete(report) ? undefined : new Date(Math.min(...reached));
    return report;
  }

  private say(report: Report): void {
    const summary = summaryOf(report);
    const differences = differencesIn(report);
    this.metrics.reconciliationDifferences = differences;
    if (differences === 0) return this.logger.log({ message: 'reconciled', ...summary });
    const all = [
      ...report.needPerson,
      ...report.comparisons.flatMap(({ oursOnly, theirsOnly }) => [oursOnly, theirsOnly].flat()),
    ];
    this.logger.error({
      message: 'reconciliation found what a person must look at: see npm run reconcile',
      ...summary,
      differences: all.slice(0, MOST_LOGGED),
    });
  }
}
