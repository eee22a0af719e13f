import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { instantAt, textAt, type ProviderObject } from '../provider/members';
import { StripeApi } from '../provider/stripe-api';
import { readEvent } from '../webhooks/read-event';
import { TakeEvent } from '../webhooks/take-event';
import type { UndeliveredEvent } from './difference';
import { pagesOf, secondsOf } from './provider-lists';

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

  /** @returns those of them that should have come by now, the oldest first */
  async execute(since: Date): Promise<UndeliveredEvent[]> {
    const missing: ProviderObject[] = [];
    const created = { gte: secondsOf(since) };
    for await (const page of pagesOf(this.provider, (stripe, at) => stripe.events.list({ ...at, created }))) {
      missing.push(...(await this.missingOf(page)));
    }
    const late = new Date(this.clock.now().getTime() - LATE_MS);
    const found: UndeliveredEvent[] = [];
    for (const event of missing.reverse()) {
      const { reason } = await this.takeEvent.execute(event);
      const [id, type] = [textAt(event, 'id') ?? '', textAt(event, 'type') ?? ''];
      const at = new Date(instantAt(event, 'created') ?? 0);
      if (reason !== 'duplicate_event' && reason !== 'test_mode_mismatch' && at < late)
        found.push({ id, type, created: at });
    }
    return found;
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
