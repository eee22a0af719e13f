import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { retrySerialization } from '@evenkeel/platform/persistence';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BillingConfig } from '../billing.config';
import { customerOfCharge, lockCharge, rememberCharge } from '../invoices/charges';
import type { Adjustment } from '../invoices/read-adjustments';
import { RecordMoney } from '../invoices/record-money';
import { idAt, textAt, type ProviderObject } from '../provider/members';
import { ApplyEvent, type Refused } from '../subscriptions/apply-event';
import { askForRead } from '../subscriptions/ask-for-read';
import { closeCheckout } from '../subscriptions/close-checkout';
import { HANDLED_TYPES, readEvent, type TakenEvent } from './read-event';

export interface Taken {
  applied: boolean;
  reason: Refused | 'ignored_event_type' | 'test_mode_mismatch' | null;
}

/** What was done, with what a person is to hear of once it is committed. */
interface Done extends Taken {
  adjustments: Adjustment[];
}

/** Takes one event of the provider, whichever way it came, in one transaction; nothing is asked of the provider meanwhile. */
@Injectable()
export class TakeEvent {
  private readonly logger = new Logger('webhooks');

  constructor(
    private readonly config: BillingConfig,
    private readonly clock: Clock,
    private readonly dataSource: DataSource,
    private readonly apply: ApplyEvent,
    private readonly money: RecordMoney,
    private readonly crash: ProcessCrash,
  ) {}

  /** @param object an event as the provider writes it, of any version of its API */
  async execute(object: ProviderObject): Promise<Taken> {
    const { takesLive, planOfPrice } = this.config;
    const type = textAt(object, 'type') ?? '';
    // Of an account that is connected to ours: none of our customers.
    if (!HANDLED_TYPES.includes(type) || textAt(object, 'account') !== null) return IGNORED;
    if (takesLive !== 'both' && takesLive !== (object['livemode'] === true)) return OTHER_MODE;
    const event = readEvent(object, planOfPrice);
    if (event === null) {
      this.logger.warn({ message: 'an event of the provider cannot be understood', event: idAt(object, 'id'), type });
      return IGNORED;
    }
    const done = await retrySerialization(() => this.dataSource.transaction((tx) => this.take(tx, event)));
    this.crash.pass('after_commit');
    for (const { adjustmentId, kind, amountCents, currency } of done.adjustments) {
      const told = { message: 'money of an invoice was moved back', adjustmentId, kind, amountCents, currency };
      if (kind === 'dispute') this.logger.error(told);
      else this.logger.warn(told);
    }
    return { applied: done.applied, reason: done.reason };
  }

  /** In the transaction of the caller, who commits it; an answer of the provider is taken like an event. */
  async take(tx: EntityManager, event: TakenEvent): Promise<Done> {
    const customerId = event.customerId ?? (await this.customerBehind(tx, event));
    if (event.charge) await lockCharge(tx, event.charge.chargeId);
    const { applied, reason, userId } = await this.apply.execute(tx, { ...event, customerId });
    const adjustments = reason === 'duplicate_event' ? [] : await this.follow(tx, { ...event, customerId }, userId);
    this.crash.pass('before_commit');
    return { applied, reason, adjustments };
  }

  /** A refund or a dispute names its charge alone. */
  private async customerBehind(tx: EntityManager, { chargeId }: TakenEvent): Promise<string | null> {
    if (!chargeId) return null;
    await lockCharge(tx, chargeId);
    return customerOfCharge(tx, chargeId);
  }

  /** Everything that follows from an event beside the state of its subscription. @returns what it adds to adjustments */
  private async follow(tx: EntityManager, event: TakenEvent, userId: string | null): Promise<Adjustment[]> {
    const { customerId, charge, chargeId = null } = event;
    if (event.closesSession !== undefined) await closeCheckout(tx, event.closesSession, event.created);
    if (event.deletesCustomer) await markDeleted(tx, event);
    if (event.invoice) await this.money.invoice(tx, event.invoice, userId);
    if (charge) {
      await rememberCharge(tx, charge);
      if (userId !== null) await this.money.publishWaiting(tx, charge.customerId, userId);
    }
    const added: Adjustment[] = [];
    for (const adjustment of event.adjustments ?? []) {
      const isNew = await this.money.adjustment(tx, adjustment, { chargeId, customerId, userId });
      if (isNew) added.push(adjustment);
    }
    if (added.length > 0 && customerId === null && chargeId !== null && this.config.STRIPE_SECRET_KEY !== undefined) {
      await askForRead(tx, { kind: 'charge', id: chargeId, reason: 'link' }, this.clock.now());
    }
    return added;
  }
}

const IGNORED: Taken = { applied: false, reason: 'ignored_event_type' };
const OTHER_MODE: Taken = { applied: false, reason: 'test_mode_mismatch' };

async function markDeleted(tx: EntityManager, { customerId, created }: TakenEvent): Promise<void> {
  await tx.query('UPDATE customers SET deleted_at = coalesce(deleted_at, $2) WHERE customer_id = $1', [
    customerId,
    created,
  ]);
}
