import type { EventClass } from '@evenkeel/contracts';
import type { EventBatchConsumer, EventEnvelope } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { applyCredits, CREDIT_EVENTS } from './apply-credits';
import { applyPayments, PAYMENT_EVENTS } from './apply-payments';
import { beginDelivery } from './begin-delivery';

/** Keeps the copy of the gateway's ledger and its rollups. No event needs another one, the clock or a setting. */
@Injectable()
export class ProjectLedger implements EventBatchConsumer {
  readonly name = 'reporting.project-ledger';
  readonly events: readonly EventClass[] = [...PAYMENT_EVENTS, ...CREDIT_EVENTS];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    await beginDelivery(tx, events);
    await applyPayments(tx, events);
    await applyCredits(tx, events);
  }
}
