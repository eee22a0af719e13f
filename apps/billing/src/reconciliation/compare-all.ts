import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { ApplyUndelivered } from './apply-undelivered';
import { CompareCustomers } from './compare-customers';
import { CompareInvoices } from './compare-invoices';
import { CompareSubscriptions } from './compare-subscriptions';
import type { Comparison, Difference, Report } from './difference';

/** Events that were made while the lists were read. */
const OVERLAP_MS = 60_000;

export interface Compared {
  compared: Omit<Report['compared'], 'prices'>;
  differences: Difference[];
}

/**
 * Subscriptions, customers and paid invoices. What seems to differ is looked at a second time, when the events are applied
 * that were made meanwhile: people go on buying.
 */
@Injectable()
export class CompareAll {
  private readonly comparisons: readonly Comparison[];

  constructor(
    private readonly clock: Clock,
    private readonly undelivered: ApplyUndelivered,
    subscriptions: CompareSubscriptions,
    customers: CompareCustomers,
    invoices: CompareInvoices,
  ) {
    this.comparisons = [subscriptions, customers, invoices];
  }

  async execute(since: Date): Promise<Compared> {
    const begun = new Date(this.clock.now().getTime() - OVERLAP_MS);
    const compared = { subscriptions: 0, customers: 0, invoices: 0 };
    const suspects: { comparison: Comparison; id: string }[] = [];
    for (const comparison of this.comparisons) {
      const { compared: count, ids } = await comparison.suspects(since);
      compared[comparison.name] = count;
      suspects.push(...ids.map((id) => ({ comparison, id })));
    }
    if (suspects.length > 0) await this.undelivered.execute(begun);
    const differences: Difference[] = [];
    for (const { comparison, id } of suspects) {
      const difference = await comparison.check(id);
      if (difference) differences.push(difference);
    }
    return { compared, differences };
  }
}
