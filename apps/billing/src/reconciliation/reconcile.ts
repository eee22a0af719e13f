import type { PaidPlanCode } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { ComparePrices, PricesModule } from '../plans/purchasable-plans';
import { ProviderNotConfigured, StripeApi } from '../provider/stripe-api';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { TakeEventModule } from '../webhooks/take-event';
import { ApplyUndelivered, CompareAll } from './compare-all';
import { CompareCustomers } from './compare-customers';
import { CompareInvoices } from './compare-invoices';
import { CompareSubscriptions } from './compare-subscriptions';
import { isWhole, notCompared, type Difference, type Report } from './difference';
import { FindOwnDifferences } from './find-own-differences';

/** The provider repeats an event for three days. */
const PERIOD_MS = 3 * 86_400_000;

/**
 * Compares billing with everything that the provider keeps of the same customers, and applies events that have not come.
 * Changes nothing at the provider. What it finds is stored in place of what was found before.
 */
@Injectable()
export class Reconcile {
  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly provider: StripeApi,
    private readonly clock: Clock,
    private readonly undelivered: ApplyUndelivered,
    private readonly objects: CompareAll,
    private readonly prices: ComparePrices,
    private readonly own: FindOwnDifferences,
  ) {}

  /**
   * An object that cannot be compared is a difference of its own, and hides nothing else.
   * @throws ProviderNotConfigured
   */
  async execute(): Promise<Report> {
    if (!this.provider.isConfigured) throw new ProviderNotConfigured();
    const since = new Date(this.clock.now().getTime() - PERIOD_MS);
    const { undelivered, failed } = await this.undelivered.execute(since);
    const { compared, corrected, differences } = await this.objects.execute(since);
    const prices = await this.comparePrices();
    const own = await this.own.execute(since);
    const found = onePerSubject([...failed, ...differences, ...prices.differences, ...own]);
    const report: Report = {
      since,
      undelivered,
      corrected,
      differences: found,
      compared: { ...compared, prices: prices.compared },
    };
    await this.store(report);
    return report;
  }

  private async comparePrices(): Promise<{ compared: number; differences: Difference[] }> {
    const plans = Object.keys(this.config.prices) as PaidPlanCode[];
    const differences: Difference[] = [];
    for (const plan of plans) {
      try {
        const detail = await this.prices.execute(plan, this.dataSource);
        if (detail !== null) differences.push({ kind: 'price', subject: plan, detail });
      } catch (error) {
        differences.push(notCompared(plan, error));
      }
    }
    return { compared: plans.length, differences };
  }

  /** In SQL: all rows are replaced by two statements. */
  private async store(report: Report): Promise<void> {
    const now = this.clock.now();
    const { differences } = report;
    await this.dataSource.transaction(async (tx) => {
      // Another process may write a report of its own: the later one replaces it.
      await tx.query('LOCK TABLE provider_differences IN SHARE ROW EXCLUSIVE MODE');
      await tx.query('DELETE FROM provider_differences');
      await tx.query(
        `INSERT INTO provider_differences (kind, subject, detail, found_at)
         SELECT kind, subject, detail, $4 FROM unnest($1::text[], $2::text[], $3::text[]) AS d (kind, subject, detail)`,
        [
          differences.map(({ kind }) => kind),
          differences.map(({ subject }) => subject),
          differences.map(({ detail }) => detail),
          now,
        ],
      );
      await tx.query(
        `INSERT INTO reconciliations (finished_at, differences, is_whole) VALUES ($1, $2, $3)
         ON CONFLICT (finished_at) DO UPDATE SET differences = excluded.differences, is_whole = excluded.is_whole`,
        [now, differences.length, isWhole(report)],
      );
    });
  }
}

/** Two of one kind about one subject are one, such as an event that could not be taken at two tries. */
function onePerSubject(found: readonly Difference[]): Difference[] {
  const known = new Map<string, Difference>();
  for (const one of found) {
    const key = `${one.kind} ${one.subject}`;
    const before = known.get(key);
    const isSaid = before === undefined || before.detail === one.detail;
    known.set(key, isSaid ? one : { ...one, detail: `${before.detail}; ${one.detail}` });
  }
  return [...known.values()];
}

/** Everything that a comparison with the provider needs. */
@Module({
  imports: [SubscriptionsModule, TakeEventModule, PricesModule],
  providers: [
    ApplyUndelivered,
    CompareSubscriptions,
    CompareCustomers,
    CompareInvoices,
    CompareAll,
    FindOwnDifferences,
    Reconcile,
  ],
  exports: [Reconcile],
})
export class ReconciliationModule {}
