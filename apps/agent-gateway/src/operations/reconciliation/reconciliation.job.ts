import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AgentGatewayConfig } from '../../config/agent-gateway.config';
import { GatewayMetrics } from '../../metrics/gateway-metrics';
import { Reconcile } from './reconcile';
import { differencesIn, isComplete, reachedBy, summaryOf, type Report } from './report';

/** Any constant: one replica at a time. */
const RECONCILIATION_LOCK = 730_403;
const FIRST_AFTER_MS = 60_000;
const WITHIN_MS = 10 * 60_000;
const MOST_LOGGED = 20;

/** Reconciles every hour and says what it found in one line; differences are an error, which a person must look at. */
@Injectable()
export class ReconciliationJob extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[];
  private readonly logger = new Logger('reconciliation');
  /** Where a run came to whose time was up. */
  private resumeAt?: Date;

  constructor(
    config: AgentGatewayConfig,
    private readonly dataSource: DataSource,
    private readonly reconcile: Reconcile,
    private readonly metrics: GatewayMetrics,
  ) {
    super();
    const everyMs = config.RECONCILE_EVERY_SECONDS * 1_000;
    const times = { everyMs, firstAfterMs: Math.min(FIRST_AFTER_MS, everyMs), withinMs: WITHIN_MS };
    const failure = 'the ledger could not be reconciled';
    this.jobs = [{ name: 'reconcile', ...times, run: (isLate) => this.runOnce(isLate), failure }];
  }

  /**
   * Unless another process is at it: the lock belongs to a connection, and ends with it.
   * @returns false: what a late run has left waits for its hour too
   */
  private async runOnce(isLate: () => boolean): Promise<boolean> {
    const connection = this.dataSource.createQueryRunner();
    const lock = [RECONCILIATION_LOCK];
    try {
      const [row] = (await connection.query('SELECT pg_try_advisory_lock($1) AS mine', lock)) as [{ mine: boolean }];
      if (!row.mine) return false;
      try {
        const report = await this.reconcile.execute({ since: this.resumeAt, isLate });
        this.resumeAt = isComplete(report) ? undefined : reachedBy(report);
        this.say(report);
      } finally {
        await connection.query('SELECT pg_advisory_unlock($1)', lock);
      }
    } finally {
      await connection.release();
    }
    return false;
  }

  private say(report: Report): void {
    const summary = summaryOf(report);
    const differences = differencesIn(report);
    this.metrics.reconciliationDifferences = differences.length;
    if (differences.length === 0) return this.logger.log({ message: 'reconciled', ...summary });
    this.logger.error({
      message: 'reconciliation found what a person must look at: see npm run reconcile',
      ...summary,
      differences: differences.slice(0, MOST_LOGGED),
    });
  }
}
