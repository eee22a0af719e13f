import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { ApplyUndelivered } from './apply-undelivered';
import { CompareCustomers } from './compare-customers';
import { CompareInvoices } from './compare-invoices';
import { CompareSubscriptions } from './compare-subscriptions';
import {
  notCompared,
  type Comparison,
  type Corrected,
  type Difference,
  type DifferenceKind,
  type Report,
} from './difference';

/** Events that were made while the lists were read. */
const OVERLAP_MS = 60_000;

export interface Compared {
  compared: Omit<Report['compared'], 'prices'>;
  corrected: Corrected[];
  differences: Difference[];
}

/**
 * Subscriptions, customers and paid invoices. What seems to differ is looked at a second time, when the events are applied
 * that were made meanwhile: people go on buying. What cannot be looked at hides nothing else.
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
    const [differences, corrected]: [Difference[], Corrected[]] = [[], []];
    for (const comparison of this.comparisons) {
      const { name } = comparison;
      const found = { compared: 0, ids: [] as string[] };
      await comparison.suspects(since, found).catch((error: unknown) => differences.push(notCompared(name, error)));
      compared[name] = found.compared;
      suspects.push(...found.ids.map((id) => ({ comparison, id })));
    }
    if (suspects.length > 0) {
      differences.push(...(await this.undelivered.execute(begun)).failed);
    }
    for (const { comparison, id } of suspects) {
      const found = await comparison.check(id).catch((error: unknown) => notCompared(id, error));
      if (found === null) continue;
      if (isCorrected(found)) corrected.push(found);
      else differences.push(found);
    }
    return { compared, corrected, differences };
  }
}

function isCorrected(found: Difference | Corrected): found is Corrected {
  const kind: DifferenceKind | Corrected['kind'] = found.kind;
  return kind === 'subscription' || kind === 'invoice';
}
