import type Stripe from 'stripe';
import { giveTrial, resumeSubscription } from './changes';
import { type DiscountHolder, discountsOf, giveDiscount, type Reduction, type Term } from './discounts';
import { aLine, chargeId, dueInvoice } from './invoices';
import { secondsOf } from './periods';
import { anObject, newId } from './schema/published';
import {
  type CheckoutCard,
  completeCheckout,
  deleteCustomer,
  endAt,
  isOver,
  payInvoice,
  periodOf,
  sell,
} from './subscriptions';
import type { Card, Subscription, World } from './world';

interface NewPrice {
  id?: string;
  interval: 'week' | 'month' | 'year';
  intervalCount?: number;
  currency?: string;
  /** In the smallest unit of the currency. */
  amountCents: number;
  /** Else of a product of its own, which somebody else sells at the account. */
  isOfPlans?: boolean;
  nickname?: string;
}

interface SoldByHand {
  /** A customer who is there; else a new one. */
  customer?: string;
  prices: readonly string[];
  metadata?: Stripe.Metadata;
}

/** Actions of buyers on the hosted pages, of an operator of the account, of another program, or of a bank. */
export abstract class ActionsByHand {
  protected abstract readonly world: World;

  /** Does it at the present time, and resolves when its events are delivered. */
  protected abstract act<Result>(work: () => Result): Promise<Result>;

  /** Pays the hosted page of a session. A declined card leaves it open. */
  async pay(sessionId: string, card: CheckoutCard = 'good'): Promise<void> {
    await this.act(() => completeCheckout(this.world, this.world.sessions.get(sessionId), card));
  }

  async setCard(customer: string, card: Card): Promise<void> {
    await this.act(() => this.world.cards.set(this.world.customers.get(customer).id, card));
  }

  payInvoice(invoice: string): Promise<void> {
    return this.act(() => payInvoice(this.world, this.world.invoices.get(invoice)));
  }

  discount(id: string, reduction: Reduction, holder: DiscountHolder = 'subscription', term: Term = {}): Promise<void> {
    return this.actOn(id, (one) => giveDiscount(this.world, one, reduction, holder, term));
  }

  discountsOf(subscription: Subscription): ReturnType<typeof discountsOf> {
    return discountsOf(this.world, subscription);
  }

  addPrice({ id, isOfPlans = false, interval, intervalCount = 1, currency = 'usd', ...wanted }: NewPrice): string {
    const { amountCents, nickname = isOfPlans ? 'Premium (other)' : 'Newsletter' } = wanted;
    const recurring = { interval, interval_count: intervalCount, usage_type: 'licensed' as const };
    const price = this.world.prices.add({
      id: id ?? newId('price'),
      product: isOfPlans ? 'prod_EvenkeelPremium' : newId('prod'),
      nickname,
      currency,
      active: true,
      type: 'recurring',
      unit_amount: amountCents,
      recurring: anObject('recurring', recurring),
    });
    return price.id;
  }

  /** A subscription of any prices, one item for each, collected at once. */
  sellByHand({ customer, prices, metadata = {} }: SoldByHand): Promise<string> {
    return this.act(() => {
      const { world } = this;
      const buyer = customer
        ? world.customers.get(customer)
        : world.customers.add({ balance: 0, metadata }, 'customer.created');
      return sell(world, { customer: buyer.id, prices: prices.map((id) => world.prices.get(id)), metadata }).id;
    });
  }

  /** An invoice of an amount besides; its card pays it, or not. */
  invoiceByHand(id: string, amountCents: number, card: Card): Promise<string> {
    return this.actOn(id, (one) => {
      const { cards } = this.world;
      const period = periodOf(one);
      const lines = [this.lineBesides(one, amountCents, period)];
      const invoice = dueInvoice(this.world, one, { reason: 'manual', lines, period });
      const before = cards.get(one.customer as string) ?? 'good';
      cards.set(one.customer as string, card);
      payInvoice(this.world, invoice);
      cards.set(one.customer as string, before);
      return invoice.id;
    });
  }

  /** Puts an amount on the next invoice, said to be for the time until then. */
  addAmount(id: string, amountCents: number, until: Date): Promise<void> {
    return this.actOn(id, (one) => {
      const line = this.lineBesides(one, amountCents, { start: this.world.seconds, end: secondsOf(until) });
      this.world.waitingLines.set(id, [...(this.world.waitingLines.get(id) ?? []), line]);
    });
  }

  giveTrial(id: string, until: Date): Promise<void> {
    return this.actOn(id, (one) => giveTrial(this.world, one, secondsOf(until)));
  }

  scheduleEnd(id: string, at: Date | null): Promise<void> {
    return this.change(id, endAt(this.world, at && secondsOf(at)));
  }

  /** Goes on without collecting: invoices are voided. */
  pauseCollection(id: string): Promise<void> {
    return this.change(id, { pause_collection: { behavior: 'void', resumes_at: null } });
  }

  resumeCollection(id: string): Promise<void> {
    return this.change(id, { pause_collection: null });
  }

  /** Status `paused`, as after a trial without a card. */
  pause(id: string): Promise<void> {
    return this.actOn(id, (one) => {
      this.world.change(one, 'customer.subscription.updated', { status: 'paused' });
      this.world.record('customer.subscription.paused', one);
    });
  }

  resume(id: string): Promise<void> {
    return this.actOn(id, (one) => resumeSubscription(this.world, one));
  }

  deleteCustomer(id: string): Promise<void> {
    return this.act(() => deleteCustomer(this.world, this.world.customers.get(id)));
  }

  /** Gives money of an invoice back, or all that is left of it. Of the subscription nothing changes. */
  refund(invoice: string, amountCents?: number): Promise<string> {
    return this.act(() => {
      const charge = this.world.charges.get(chargeId(invoice));
      const { id, currency, payment_intent } = charge;
      const amount = amountCents ?? charge.amount - charge.amount_refunded;
      const stated = { amount, charge: id, currency, payment_intent, metadata: {}, status: 'succeeded' };
      const refund = this.world.refunds.add(stated, 'refund.created');
      const refunded = charge.amount_refunded + amount;
      this.world.change(charge, 'charge.refunded', { amount_refunded: refunded, refunded: refunded === charge.amount });
      return refund.id;
    });
  }

  refundedCents(invoice: string): number {
    return this.world.charges.find(chargeId(invoice))?.amount_refunded ?? 0;
  }

  /** The bank of the customer did not take it: the money is back at the account. */
  failRefund(id: string): Promise<void> {
    return this.act(() => {
      const refund = this.world.refunds.get(id);
      const charge = this.world.charges.get(refund.charge);
      Object.assign(charge, { amount_refunded: charge.amount_refunded - refund.amount, refunded: false });
      this.world.change(refund, 'refund.failed', { failure_reason: 'unknown', status: 'failed' });
    });
  }

  /** The bank takes the money of an invoice back until the dispute is decided. */
  dispute(invoice: string): Promise<string> {
    return this.act(() => {
      const charge = this.world.charges.get(chargeId(invoice));
      const { id, amount, currency, payment_intent } = charge;
      const state = { reason: 'fraudulent', status: 'needs_response' } as const;
      const stated = { amount, charge: id, currency, payment_intent, ...state };
      const dispute = this.world.disputes.add(stated, 'charge.dispute.created');
      charge.disputed = true;
      this.world.record('charge.dispute.funds_withdrawn', dispute);
      return dispute.id;
    });
  }

  closeDispute(id: string, status: 'won' | 'lost'): Promise<void> {
    return this.act(() => {
      const dispute = this.world.disputes.get(id);
      this.world.change(dispute, 'charge.dispute.closed', { status });
      if (status === 'won') this.world.record('charge.dispute.funds_reinstated', dispute);
    });
  }

  private change(id: string, changes: Partial<Subscription>): Promise<void> {
    return this.actOn(id, (one) => this.world.change(one, 'customer.subscription.updated', changes));
  }

  private actOn<Result>(id: string, work: (subscription: Subscription) => Result): Promise<Result> {
    return this.act(() => {
      const subscription = this.world.subscriptions.get(id);
      if (isOver(subscription)) throw new Error(`${id} has ended: it cannot change any more.`);
      return work(subscription);
    });
  }

  private lineBesides(one: Subscription, amount: number, period: { start: number; end: number }) {
    const { price } = one.items.data[0]!;
    return aLine(this.world, one, { amount, description: 'Setup', period, price, isBesides: true });
  }
}
