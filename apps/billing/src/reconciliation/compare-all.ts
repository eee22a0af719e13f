import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { instantAt, textAt, type ProviderObject } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import { readEvent } from '../webhooks/read-event';
import { TakeEvent } from '../webhooks/take-event';
import { CompareCustomers } from './compare-customers';
import { CompareInvoices } from './compare-invoices';
import { CompareSubscriptions } from './compare-subscriptions';
import { pagesOf, secondsOf, type Comparison } from './comparison';
import {
  notCompared,
  type Corrected,
  type Difference,
  type DifferenceKind,
  type Report,
  type UndeliveredEvent,
} from './difference';

/** A younger one may still be on its way. */
const LATE_MS = 5 * 60_000;

/** Takes from the provider's own list what its webhooks have not brought. */
@Injectable()
export class ApplyUndelivered {
  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly provider: StripeApi,
    private readonly takeEvent: TakeEvent,
  ) {}

  /** @returns those of them that should have come by now, the oldest first, and what could not be taken */
  async execute(since: Date): Promise<{ undelivered: UndeliveredEvent[]; failed: Difference[] }> {
    const missing: ProviderObject[] = [];
    const [undelivered, failed]: [UndeliveredEvent[], Difference[]] = [[], []];
    const created = { gte: secondsOf(since) };
    try {
      for await (const page of pagesOf(this.provider, (stripe, at) => stripe.events.list({ ...at, created }))) {
        missing.push(...(await this.missingOf(page)));
      }
    } catch (error) {
      failed.push(notCompared('events', error));
    }
    const late = new Date(this.clock.now().getTime() - LATE_MS);
    for (const event of missing.reverse()) {
      const [id, type] = [textAt(event, 'id') ?? '', textAt(event, 'type') ?? ''];
      const at = new Date(instantAt(event, 'created') ?? 0);
      try {
        const { reason } = await this.takeEvent.execute(event);
        const isKnown = reason === 'duplicate_event' || reason === 'test_mode_mismatch';
        if (!isKnown && at < late) undelivered.push({ id, type, created: at });
      } catch (error) {
        failed.push(notCompared(id, error));
      }
    }
    return { undelivered, failed };
  }

  private async missingOf(page: readonly ProviderObject[]): Promise<ProviderObject[]> {
    const read = page.filter((event) => readEvent(event, this.config.planOfPrice) !== null);
    const stored = await this.dataSource.query<{ id: string }[]>('SELECT id FROM provider_events WHERE id = ANY ($1)', [
      read.map((event) => textAt(event, 'id')),
    ]);
    const ids = new Set(stored.map(({ id }) => id));
    return read.filter((event) => !ids.has(textAt(event, 'id') ?? ''));
  }
}

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
