import { SystemClock, type Clock } from '@evenkeel/kernel';
import type Stripe from 'stripe';
import { ActionsByHand, known } from './actions-by-hand';
import { completeCheckout, type CheckoutCard } from './billing/checkout';
import { payInvoice, setCard } from './billing/collecting';
import { endDelayedPayment } from './billing/delayed-payments';
import { nextDue } from './billing/due';
import { deleteCustomer } from './billing/deleting';
import { finalizeInvoice } from './billing/invoicing';
import { closeDispute, failRefund, openDispute, refundCharge } from './billing/money-back';
import { pauseCollection, pauseSubscription, resumeCollection, resumeSubscription } from './billing/pausing';
import { DAY_SECONDS } from './billing/periods';
import { ALL_CALLS } from './calls/all-calls';
import { addCatalogue, type Amounts, type Prices } from './catalogue';
import { control } from './control/control';
import { Deliveries, WEBHOOK_MODES, type WebhookMode } from './events/deliveries';
import type { StripeEvent } from './events/event-log';
import type { ApiShape } from './events/old-shape';
import { Api, type AnsweredCall } from './http/api';
import { API_MODES, ApiFaults, type ApiMode } from './http/faults';
import { Listener, serve } from './http/listener';
import { isOver } from './objects/subscriptions';
import type { Page } from './pages/html';
import { hostedPage } from './pages/pages';
import { StripeTime } from './world/stripe-time';
import { World, type Card, type Policy } from './world/world';

export interface DevelopmentStripeOptions extends Partial<Policy> {
  /** 0, the default, takes a free one. */
  port?: number;
  /** 127.0.0.1 by default. */
  host?: string;
  /** A `ManualClock` is moved by `advance`; over any other clock it runs ahead by itself. */
  clock?: Clock;
  webhookSecret?: string;
  /** Shape of what webhooks carry, and of answers to calls that name no version. */
  apiVersion?: ApiShape;
  /** 799 and 5999 cents by default. */
  amounts?: Amounts;
  /** Waits before an undelivered event is sent again, in real milliseconds; 100, 500 and 2000 by default. */
  webhookRetryMs?: readonly number[];
  /** Longest wait for an answer to a webhook; 10,000 by default. */
  webhookTimeoutMs?: number;
  /** Seed of the order in mode `shuffled`. */
  seed?: number;
  /** Opens `POST /control`, which does what the methods do. */
  control?: boolean;
  /** Sees every call with its answer. */
  onCall?: (call: AnsweredCall) => void;
}

export interface StripeSettings {
  STRIPE_SECRET_KEY: string;
  STRIPE_WEBHOOK_SECRET: string;
  STRIPE_PRICE_MONTHLY: string;
  STRIPE_PRICE_YEARLY: string;
  STRIPE_API_BASE: string;
}

export type Mode = 'ok' | WebhookMode | ApiMode;

const SECRET_KEY = 'sk_test_EvenkeelDevelopment';
const WEBHOOK_SECRET = 'whsec_EvenkeelDevelopment';

/** Stripe as far as our billing needs it, in memory: API, hosted pages, signed webhooks, and a clock of its own. */
export class DevelopmentStripe extends ActionsByHand {
  readonly secretKey = SECRET_KEY;
  readonly webhookSecret: string;
  private readonly faults = new ApiFaults();
  private readonly listener: Listener;

  private constructor(
    protected readonly world: World,
    private readonly deliveries: Deliveries,
    readonly prices: Prices,
    { webhookSecret = WEBHOOK_SECRET, apiVersion: shape = 'new', onCall, control: isOpen }: DevelopmentStripeOptions,
  ) {
    super();
    this.webhookSecret = webhookSecret;
    const api = new Api(world, ALL_CALLS, { secretKey: SECRET_KEY, shape }, onCall ?? (() => undefined));
    this.listener = new Listener(
      serve({
        api,
        faults: this.faults,
        catchUp: () => this.catchUp(),
        page: (path, form) => this.page(path, form),
        control: isOpen ? (command) => control(this, command) : undefined,
      }),
    );
    world.events.onRecorded = (event) => deliveries.add(event);
  }

  /** @throws Error when the port is taken */
  static async start(options: DevelopmentStripeOptions = {}): Promise<DevelopmentStripe> {
    const { clock = new SystemClock(), webhookSecret = WEBHOOK_SECRET, apiVersion = 'new' } = options;
    const time = new StripeTime(clock);
    const { retryDays = [1, 3, 5], afterRetries = 'cancel' } = options;
    const world = new World(time, apiVersion, { retryDays, afterRetries });
    const { webhookRetryMs: retryMs = [100, 500, 2_000], webhookTimeoutMs: timeoutMs = 10_000, seed = 1 } = options;
    const deliveries = new Deliveries(time, { secret: webhookSecret, retryMs, timeoutMs, seed });
    const prices = addCatalogue(world, options.amounts ?? { monthly: 799, yearly: 5_999 });
    const stripe = new DevelopmentStripe(world, deliveries, prices, options);
    world.address = await stripe.listener.open(options.port ?? 0, options.host ?? '127.0.0.1');
    return stripe;
  }

  get url(): string {
    return this.world.address;
  }

  /** The environment of a billing service that uses it. */
  settings(): StripeSettings {
    return {
      STRIPE_SECRET_KEY: this.secretKey,
      STRIPE_WEBHOOK_SECRET: this.webhookSecret,
      STRIPE_PRICE_MONTHLY: this.prices.monthly,
      STRIPE_PRICE_YEARLY: this.prices.yearly,
      STRIPE_API_BASE: this.url,
    };
  }

  /** Sends events from now on to this address. */
  sendTo(webhookUrl: string): void {
    this.deliveries.sendTo(webhookUrl);
  }

  /** Present time of its own. */
  now(): Date {
    return this.world.time.now();
  }

  /** Moves its clock. All that falls due until then happens at its own instant, and its events are delivered before time goes on. */
  async advance(to: Date): Promise<void> {
    for (let due = nextDue(this.world, to); due; due = nextDue(this.world, to)) {
      this.world.time.moveTo(due.date);
      this.world.time.asOf(due.date, due.run);
      await this.deliveries.settled();
    }
    this.world.time.moveTo(to);
  }

  /** Resolves when every event was delivered, or has been given up. */
  async delivered(): Promise<void> {
    await this.deliveries.settled();
  }

  /** Pays the hosted page of a session. A declined card leaves it open. */
  async pay(sessionId: string, card: CheckoutCard = 'good'): Promise<void> {
    await this.act(() => completeCheckout(this.world, known(this.world.sessions, sessionId), card));
  }

  /** What the card of a customer does at later invoices. */
  async setCard(customerId: string, card: Card): Promise<void> {
    await this.act(() => setCard(this.world, known(this.world.customers, customerId), card));
  }

  /** Decides a bank debit that is on its way. */
  async settleDelayed(sessionId: string, outcome: 'succeeded' | 'failed'): Promise<void> {
    await this.act(() => endDelayedPayment(this.world, known(this.world.sessions, sessionId), outcome));
  }

  /** Tries to collect an invoice now, as its hosted page does; a draft is finalized first. */
  async payInvoice(invoiceId: string): Promise<void> {
    await this.act(() => {
      const invoice = known(this.world.invoices, invoiceId);
      if (invoice.status === 'draft') finalizeInvoice(this.world, invoice);
      payInvoice(this.world, invoice);
    });
  }

  /** Refunds a charge, or the charge of an invoice; without an amount all that is left of it. */
  async refund(chargeOrInvoice: string, amountCents?: number): Promise<string> {
    return this.act(() => {
      const charge = this.chargeOf(chargeOrInvoice);
      const amount = amountCents ?? charge.amount - charge.amount_refunded;
      return refundCharge(this.world, charge, { amountCents: amount, reason: null, metadata: {} }).id;
    });
  }

  /** What has gone back of an invoice. */
  refundedCents(invoiceId: string): number {
    const charge = this.world.intentOf(invoiceId)?.latest_charge as string | undefined;
    return this.world.charges.get(charge ?? '')?.amount_refunded ?? 0;
  }

  async failRefund(refundId: string): Promise<void> {
    await this.act(() => failRefund(this.world, known(this.world.refunds, refundId)));
  }

  /** The customer's bank disputes the charge of an invoice. */
  async dispute(chargeOrInvoice: string): Promise<string> {
    return this.act(() => openDispute(this.world, this.chargeOf(chargeOrInvoice)).id);
  }

  async closeDispute(disputeId: string, status: 'won' | 'lost'): Promise<void> {
    await this.act(() => closeDispute(this.world, known(this.world.disputes, disputeId), status));
  }

  /** Goes on without collecting: invoices are voided. */
  async pauseCollection(subscriptionId: string): Promise<void> {
    await this.act(() => pauseCollection(this.world, this.goingOn(subscriptionId)));
  }

  async resumeCollection(subscriptionId: string): Promise<void> {
    await this.act(() => resumeCollection(this.world, this.goingOn(subscriptionId)));
  }

  /** Status `paused`, as after a trial without a card. */
  async pause(subscriptionId: string): Promise<void> {
    await this.act(() => pauseSubscription(this.world, this.goingOn(subscriptionId)));
  }

  async resume(subscriptionId: string): Promise<void> {
    await this.act(() => resumeSubscription(this.world, this.goingOn(subscriptionId)));
  }

  async deleteCustomer(customerId: string): Promise<void> {
    await this.act(() => deleteCustomer(this.world, known(this.world.customers, customerId)));
  }

  /** Turns a mode on, for so many events or calls; `ok` ends them. See README.md. */
  mode(mode: Mode, count?: number, ms?: number): void {
    if (mode === 'ok' || isOneOf(WEBHOOK_MODES, mode)) this.deliveries.setMode(mode === 'ok' ? null : mode, count);
    if (mode === 'ok' || isOneOf(API_MODES, mode)) this.faults.set(mode === 'ok' ? null : mode, count, ms);
  }

  /** Sends the events that are late, lost or were never taken. */
  async deliverHeldBack(): Promise<void> {
    await this.deliveries.deliverHeldBack(this.world.events.all);
  }

  get events(): readonly StripeEvent[] {
    return this.world.events.all;
  }

  get subscriptions(): readonly Stripe.Subscription[] {
    return [...this.world.subscriptions.values()];
  }

  get invoices(): readonly Stripe.Invoice[] {
    return [...this.world.invoices.values()];
  }

  async close(): Promise<void> {
    this.faults.close();
    await this.listener.close();
    await this.deliveries.close();
  }

  /** The first page moves the clock; the others do what their buttons say. */
  private async page(path: string, form: URLSearchParams | null): Promise<Page> {
    const days = path === '/' ? Number(form?.get('days') ?? 0) : 0;
    if (days > 0) await this.advance(new Date(this.now().getTime() + days * DAY_SECONDS * 1000));
    return hostedPage(this.world, path, form);
  }

  protected async act<Result>(work: () => Result): Promise<Result> {
    this.catchUp();
    const result = work();
    await this.deliveries.settled();
    return result;
  }

  /** Others may have moved the clock. */
  private catchUp(): void {
    const now = this.world.time.now();
    for (let due = nextDue(this.world, now); due; due = nextDue(this.world, now))
      this.world.time.asOf(due.date, due.run);
  }

  protected goingOn(subscriptionId: string): Stripe.Subscription {
    const subscription = known(this.world.subscriptions, subscriptionId);
    if (isOver(subscription)) throw new Error(`${subscriptionId} has ended: it cannot change any more.`);
    return subscription;
  }

  private chargeOf(chargeOrInvoice: string): Stripe.Charge {
    const charge = this.world.charges.get(chargeOrInvoice);
    if (charge) return charge;
    const invoice = known(this.world.invoices, chargeOrInvoice);
    return known(this.world.charges, (this.world.intentOf(invoice.id)?.latest_charge as string | null) ?? '');
  }
}

function isOneOf<Choice extends string>(choices: readonly Choice[], value: string): value is Choice {
  return choices.includes(value as Choice);
}
