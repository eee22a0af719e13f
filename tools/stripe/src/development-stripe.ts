import type { AddressInfo } from 'node:net';
import { SystemClock, type Clock } from '@evenkeel/kernel';
import type { FastifyInstance } from 'fastify';
import type Stripe from 'stripe';
import { ActionsByHand, known, PRODUCT } from './actions-by-hand';
import { completeCheckout, type CheckoutCard } from './billing/checkout';
import { payInvoice } from './billing/collecting';
import { nextDue } from './billing/due';
import { Deliveries, WEBHOOK_MODES, type WebhookMode } from './events/deliveries';
import { Api, type AnsweredCall } from './http/api';
import { API_MODES, ApiFaults, type ApiMode, stripeServer } from './http/server';
import type { Page } from './pages/html';
import { hostedPage } from './pages/pages';
import { aPrice } from './world/objects';
import { DAY_SECONDS, StripeTime } from './world/stripe-time';
import { World, type AfterRetries, type Card, type StripeEvent } from './world/world';

export interface DevelopmentStripeOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** 127.0.0.1 by default. */
  host?: string;
  /** A `ManualClock` is moved by `advance`; over any other clock it runs ahead by itself. */
  clock?: Clock;
  webhookSecret?: string;
  /** `cancel` by default. */
  afterRetries?: AfterRetries;
  /** Waits before an undelivered event is sent again, in real milliseconds; 100, 500 and 2000 by default. */
  webhookRetryMs?: readonly number[];
  /** Opens `POST /control`, which does what the methods do. */
  control?: boolean;
  /** Sees every call with its answer. */
  onCall?: (call: AnsweredCall) => void;
}

type SettingName =
  'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_PRICE_MONTHLY' | 'STRIPE_PRICE_YEARLY' | 'STRIPE_API_BASE';
export type StripeSettings = Record<SettingName, string>;

/** Stripe as far as our billing needs it, in memory: API, hosted pages, signed webhooks, and a clock of its own. */
export class DevelopmentStripe extends ActionsByHand {
  readonly secretKey = 'sk_test_EvenkeelDevelopment';
  readonly webhookSecret: string;
  /** The same ids in every run. */
  readonly prices = { monthly: 'price_1EvenkeelPremiumMonthly', yearly: 'price_1EvenkeelPremiumYearly' };
  protected readonly world: World;
  private readonly deliveries: Deliveries;
  private readonly faults = new ApiFaults();
  private readonly server: FastifyInstance;

  private constructor(options: DevelopmentStripeOptions) {
    super();
    const { clock = new SystemClock(), onCall = () => undefined } = options;
    const { afterRetries = 'cancel', webhookRetryMs: retryMs = [100, 500, 2_000] } = options;
    this.webhookSecret = options.webhookSecret ?? 'whsec_EvenkeelDevelopment';
    this.world = new World(new StripeTime(clock), afterRetries);
    const of = { product: PRODUCT, created: this.world.time.seconds };
    const monthly = { ...of, id: this.prices.monthly, nickname: 'Premium (monthly)', amountCents: 799 };
    const yearly = { ...of, id: this.prices.yearly, nickname: 'Premium (yearly)', amountCents: 5_999 };
    this.world.add(this.world.prices, aPrice({ ...monthly, interval: 'month' }));
    this.world.add(this.world.prices, aPrice({ ...yearly, interval: 'year' }));
    this.deliveries = new Deliveries(clock, this.webhookSecret, retryMs);
    this.world.onRecorded = (event) => this.deliveries.add(event);
    this.server = stripeServer({
      api: new Api(this.world, this.secretKey, onCall),
      faults: this.faults,
      catchUp: () => this.catchUp(),
      page: (path, form) => this.page(path, form),
      control: options.control ? (command) => control(this, command) : undefined,
    });
  }

  /** @throws Error when the port is taken */
  static async start(options: DevelopmentStripeOptions = {}): Promise<DevelopmentStripe> {
    const stripe = new DevelopmentStripe(options);
    const { port = 0, host = '127.0.0.1' } = options;
    await stripe.server.listen({ port, host }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new Error(`Port ${port} of ${host} is taken by another process. Stop it or choose another with --port.`);
    });
    stripe.world.address = `http://${host}:${(stripe.server.server.address() as AddressInfo).port}`;
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
    this.deliveries.url = webhookUrl;
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
  delivered(): Promise<void> {
    return this.deliveries.settled();
  }

  /** Pays the hosted page of a session. A declined card leaves it open. */
  async pay(sessionId: string, card: CheckoutCard = 'good'): Promise<void> {
    await this.act(() => completeCheckout(this.world, known(this.world.sessions, sessionId), card));
  }

  /** Sets the outcome of a customer's card at later invoices. */
  async setCard(customerId: string, card: Card): Promise<void> {
    await this.act(() => this.world.cards.set(known(this.world.customers, customerId).id, card));
  }

  /** Tries to collect an open invoice now, as its hosted page does. */
  async payInvoice(invoiceId: string): Promise<void> {
    await this.act(() => payInvoice(this.world, known(this.world.invoices, invoiceId)));
  }

  /** Turns a mode on, that of the API for so many calls; `ok` ends them. See README.md. */
  mode(mode: 'ok' | WebhookMode | ApiMode, count?: number, ms?: number): void {
    const ofWebhooks = WEBHOOK_MODES.find((one) => one === mode) ?? null;
    const ofApi = API_MODES.find((one) => one === mode) ?? null;
    if (mode === 'ok' || ofWebhooks) this.deliveries.mode = ofWebhooks;
    if (mode === 'ok' || ofApi) this.faults.set(ofApi, count, ms);
  }

  /** Sends the events that are late, lost or were never taken. */
  deliverHeldBack(): Promise<void> {
    return this.deliveries.deliverHeldBack(this.world.events);
  }

  get events(): readonly StripeEvent[] {
    return this.world.events;
  }

  get subscriptions(): readonly Stripe.Subscription[] {
    return [...this.world.subscriptions.values()];
  }

  get invoices(): readonly Stripe.Invoice[] {
    return [...this.world.invoices.values()];
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.deliveries.close();
  }

  protected async act<Result>(work: () => Result): Promise<Result> {
    this.catchUp();
    const result = work();
    await this.deliveries.settled();
    return result;
  }

  /** The first page moves the clock; the others do what their buttons say. */
  private async page(path: string, form: URLSearchParams | null): Promise<Page> {
    const days = path === '/' ? Number(form?.get('days') ?? 0) : 0;
    if (days > 0) await this.advance(new Date(this.now().getTime() + days * DAY_SECONDS * 1_000));
    return hostedPage(this.world, path, form);
  }

  /** Others may have moved the clock. */
  private catchUp(): void {
    const now = this.now();
    for (let due = nextDue(this.world, now); due; due = nextDue(this.world, now)) {
      this.world.time.asOf(due.date, due.run);
    }
  }
}

/** The actions of `POST /control`: methods of the development Stripe, by their names. */
const METHODS = ['advance', 'deliverHeldBack', 'delivered', 'mode', 'pay', 'sendTo', 'setCard'] as const;

/** Follows `{"method": "pay", "args": ["cs_test_…", "good"]}`; a time is text. @returns what the method returns */
async function control(stripe: DevelopmentStripe, command: unknown): Promise<unknown> {
  const { method, args = [] } = command as { method?: unknown; args?: unknown[] };
  const known = METHODS.find((name) => name === method);
  if (known === undefined) throw new Error(`method must be one of ${METHODS.join(', ')}`);
  const given = args.map((arg) => (known === 'advance' ? new Date(String(arg)) : arg));
  return (stripe as unknown as Record<string, (...given: unknown[]) => unknown>)[known]!(...given);
}
