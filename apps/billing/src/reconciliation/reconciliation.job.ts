import { Clock } from '@evenkeel/kernel';
import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { AppRegistry } from '@evenkeel/platform/observability';
import { Injectable, Logger, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { StripeApi } from '../provider/stripe-api';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { DIFFERENCE_KINDS, type Report } from './difference';
import { Reconcile, ReconciliationModule } from './reconcile';

/** Any constant: one replica at a time. */
const RECONCILIATION_LOCK = 730_419;
const LOOK_EVERY_MS = 10 * 60_000;
const FIRST_AFTER_MS = 60_000;
const WITHIN_MS = 3_600_000;
const MOST_LOGGED = 20;
/** UTC. */
const HOUR_OF_NIGHT = 3;
const DAY_MS = 86_400_000;
/** An object that could not be compared is tried again, and meanwhile is a difference like others. */
const AGAIN_AFTER_MS = 3_600_000;

// SQL: nothing of a row is wanted but how many there are, and when the last was.
const COUNT = `
  SELECT k.kind, count(d.kind)::integer AS count
  FROM unnest($1::text[]) AS k (kind) LEFT JOIN provider_differences d USING (kind)
  WHERE EXISTS (SELECT FROM reconciliations) GROUP BY k.kind`;

const AGE = `
  SELECT extract(epoch FROM max(finished_at))::float8 AS value FROM reconciliations WHERE is_whole HAVING count(*) > 0`;

/** Reconciles once a night, and says what it found; differences are an error, which a person must look at. */
@Injectable()
export class ReconciliationJob extends BackgroundWorker {
  private readonly logger = new Logger('reconciliation');
  protected readonly jobs: readonly WorkerJob[];

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    provider: StripeApi,
    private readonly reconcile: Reconcile,
    registry: AppRegistry,
  ) {
    super();
    this.count(registry);
    const run = async () => {
      await this.runIfDue();
      return false;
    };
    const times = { everyMs: LOOK_EVERY_MS, firstAfterMs: FIRST_AFTER_MS, withinMs: WITHIN_MS };
    const failure = 'billing could not be reconciled';
    this.jobs = provider.isConfigured ? [{ name: 'reconcile', ...times, failure, run }] : [];
  }

  /** Findings and time of the last reconciliation, for each page of metrics; none before the first. */
  private count(registry: AppRegistry): void {
    const read = () => this.dataSource.query<{ kind: string; count: number }[]>(COUNT, [DIFFERENCE_KINDS]);
    registry.show('provider-differences', read, {
      provider_differences: (counts) => counts.map(({ kind, count }) => ({ labels: { kind }, value: count })),
    });
    const readAt = () => this.dataSource.query<{ value: number }[]>(AGE);
    registry.show('reconciled-at', readAt, { reconciled_at_seconds: (found) => found });
  }

  /** Unless this night's is done, or another process is at it: the lock belongs to a connection, and ends with it. */
  async runIfDue(): Promise<boolean> {
    const connection = this.dataSource.createQueryRunner();
    try {
      const [lock] = (await connection.query('SELECT pg_try_advisory_lock($1) AS mine', [RECONCILIATION_LOCK])) as [
        { mine: boolean },
      ];
      if (!lock.mine) return false;
      try {
        if (await this.isDone()) return false;
        this.say(await this.reconcile.execute());
        return true;
      } finally {
        await connection.query('SELECT pg_advisory_unlock($1)', [RECONCILIATION_LOCK]);
      }
    } finally {
      await connection.release();
    }
  }

  private async isDone(): Promise<boolean> {
    const now = this.clock.now();
    const night = new Date(now);
    night.setUTCHours(HOUR_OF_NIGHT, 0, 0, 0);
    const latest = night > now ? new Date(night.getTime() - DAY_MS) : night;
    const found = await this.dataSource.query<object[]>(
      'SELECT FROM reconciliations WHERE finished_at >= $1 AND (is_whole OR finished_at > $2) LIMIT 1',
      [latest, new Date(now.getTime() - AGAIN_AFTER_MS)],
    );
    return found.length > 0;
  }

  private say({ compared, undelivered, corrected, differences }: Report): void {
    const found = { undelivered: undelivered.length, corrected: corrected.length, differences: differences.length };
    const counts = { ...compared, ...found };
    if (corrected.length > 0) {
      this.logger.warn({
        message: 'what differed is as the provider says now',
        corrected: corrected.slice(0, MOST_LOGGED),
      });
    }
    if (differences.length === 0) return this.logger.log({ message: 'reconciled', ...counts });
    this.logger.error({
      message: 'reconciliation found what a person must look at: see npm run billing:reconcile',
      ...counts,
      found: differences.slice(0, MOST_LOGGED),
    });
  }
}

/** The part of the worker. */
@Module({ imports: [SubscriptionsModule, ReconciliationModule], providers: [ReconciliationJob] })
export class NightlyReconciliationModule {}
