import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { retrySerialization } from '@evenkeel/platform/persistence';
import { Injectable, Logger, Module } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { BillingConfig } from '../billing.config';
import type { Adjustment } from '../invoices/read-money';
import { customerOfCharge, InvoicesModule, lockCharge, RecordMoney, rememberCharge } from '../invoices/record-money';
import { idAt, textAt, type ProviderObject } from '../provider/members';
import { ProviderRefusal, ProviderUnavailable, StripeApi } from '../provider/stripe-api';
import { ApplyEvent, type Refused } from '../subscriptions/apply-event';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { askForRead } from '../subscriptions/stored-events';
import { Checkout, Customer } from '../subscriptions/subscriptions.entities';
import { TurnPerCustomer } from '../subscriptions/turn-per-customer';
import { HANDLED_TYPES, readEvent, type TakenEvent } from './read-event';

export interface Taken {
  applied: boolean;
  reason: Refused | 'ignored_event_type' | 'test_mode_mismatch' | null;
}

/** The outcome, with the notices for a person once it is committed. */
interface Done extends Taken {
  adjustments: Adjustment[];
}

/** Takes one event of the provider, whichever way it came, in one transaction; nothing is asked of the provider in it. */
@Injectable()
export class TakeEvent {
  private readonly logger = new Logger('webhooks');

  constructor(
    private readonly config: BillingConfig,
    private readonly clock: Clock,
    private readonly dataSource: DataSource,
    private readonly apply: ApplyEvent,
    private readonly money: RecordMoney,
    private readonly provider: StripeApi,
    private readonly turns: TurnPerCustomer,
    private readonly crash: ProcessCrash,
  ) {}

  /**
   * @param object an event as the provider writes it, of any version of its API
   * @param isGivenUp whether nobody waits any more: what has not begun by then does not begin
   * @throws NotInTime
   */
  async execute(object: ProviderObject, isGivenUp = () => false): Promise<Taken> {
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
    if (await this.isOfTheFuture(event)) {
      this.logger.error({ message: 'an event of the future is not taken', event: event.id, type, at: event.created });
      return IGNORED;
    }
    const take = () => retrySerialization(() => this.dataSource.transaction((tx) => this.take(tx, event)));
    const { customerId, chargeId = null, subscriptionId, id } = event;
    const customer = customerId ?? (chargeId && (await customerOfCharge(this.dataSource.manager, chargeId)));
    const done = await this.turns.take(customer ?? chargeId ?? subscriptionId ?? id, take, isGivenUp);
    this.crash.pass('after_commit');
    for (const { adjustmentId, kind, amountCents, currency } of done.adjustments) {
      const message = kind === 'dispute_lost' ? 'a dispute was lost' : 'money of an invoice was moved back';
      const line = { message, adjustmentId, kind, amountCents, currency };
      if (kind === 'dispute') this.logger.error(line);
      else this.logger.warn(line);
    }
    return { applied: done.applied, reason: done.reason };
  }

  /**
   * An event later than all that follow would hide them for ever. Where the provider runs ahead of us, as one for development
   * may, it has the event itself. This is the one call while a webhook is handled: before any transaction, so that it holds
   * no connection and no lock, and for four seconds at most, of which the webhook waits its own time. Without an answer
   * nothing is stored, the webhook is 503, and the provider sends it again.
   * @throws ProviderUnavailable
   */
  private async isOfTheFuture({ id, created }: TakenEvent): Promise<boolean> {
    const latest = Math.max(this.clock.now().getTime(), this.provider.lastAnswerAt) + FUTURE_MS;
    if (created.getTime() <= latest) return false;
    if (!this.provider.isConfigured) return true;
    const known = await this.provider
      .find((stripe) => stripe.events.retrieve(id))
      .catch((error: unknown) => {
        // It says nothing of the event, as when a key lacks a right.
        throw error instanceof ProviderRefusal ? new ProviderUnavailable(error) : error;
      });
    return known?.result.created !== created.getTime() / SECOND_MS;
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
    // A page to pay is open no longer: it was paid, or its time is over. Unknown ones are nothing to us.
    const page = event.sessionId !== undefined && { sessionId: event.sessionId, closedAt: IsNull() };
    if (page) await tx.update(Checkout, page, { closedAt: event.created });
    if (event.deletesCustomer) {
      await tx.update(Customer, { customerId: customerId!, deletedAt: IsNull() }, { deletedAt: event.created });
    }
    if (event.invoice) await this.money.invoice(tx, event.invoice, userId);
    if (charge) {
      await rememberCharge(tx, charge);
      if (userId !== null) await this.money.publishWaiting(tx, charge.customerId, userId);
    }
    const added: Adjustment[] = [];
    let isUnsure = false;
    for (const adjustment of event.adjustments ?? []) {
      const stored = await this.money.adjustment(tx, adjustment, { chargeId, customerId, userId });
      if (stored === null) continue;
      added.push(adjustment);
      isUnsure ||= stored.invoiceId === null;
    }
    if (isUnsure && chargeId !== null && this.provider.isConfigured) {
      await askForRead(tx, { kind: 'charge', id: chargeId, reason: 'link' }, this.clock.now());
    }
    return added;
  }
}

/** Clocks differ, and a signature is from the last minutes anyhow. */
const FUTURE_MS = 86_400_000;
const SECOND_MS = 1_000;

const IGNORED: Taken = { applied: false, reason: 'ignored_event_type' };
const OTHER_MODE: Taken = { applied: false, reason: 'test_mode_mismatch' };

/** Taking events of the provider, also for what fetches them. */
@Module({ imports: [SubscriptionsModule, InvoicesModule], providers: [TakeEvent], exports: [TakeEvent] })
export class TakeEventModule {}
