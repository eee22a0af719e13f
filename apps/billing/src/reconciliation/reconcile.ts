import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApplyUndelivered } from './apply-undelivered';
import { CompareAll } from './compare-all';
import { ComparePrices } from './compare-prices';
import type { Difference, Report } from './difference';
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
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly undelivered: ApplyUndelivered,
    private readonly objects: CompareAll,
    private readonly prices: ComparePrices,
    private readonly own: FindOwnDifferences,
  ) {}

  /** @throws ProviderNotConfigured, ProviderUnavailable */
  async execute(): Promise<Report> {
    const begun = this.clock.now();
    const since = new Date(begun.getTime() - PERIOD_MS);
    const undelivered = await this.undelivered.execute(since);
    const objects = await this.objects.execute(since);
    const prices = await this.prices.execute();
    const differences = [...objects.differences, ...prices.differences, ...(await this.own.execute(since))];
    await this.store(differences);
    return { since, compared: { ...objects.compared, prices: prices.compared }, undelivered, differences };
  }

  private async store(differences: readonly Difference[]): Promise<void> {
    const now = this.clock.now();
    await this.dataSource.transaction(async (tx) => {
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
        `INSERT INTO reconciliations (finished_at, differences) VALUES ($1, $2)
         ON CONFLICT (finished_at) DO UPDATE SET differences = excluded.differences`,
        [now, differences.length],
      );
    });
  }
}
