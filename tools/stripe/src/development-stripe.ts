import type { AddressInfo } from 'node:net';
import { SystemClock, type Clock } from '@evenkeel/kernel';
import fastify, { type FastifyInstance } from 'fastify';
import type Stripe from 'stripe';
import { ActionsByHand } from './actions-by-hand';
import { Api, API_MODES, type AnsweredCall, type ApiMode } from './api';
import { CALLS, type Handler } from './calls';
import { Deliveries, WEBHOOK_MODES, type WebhookMode } from './deliveries';
import { nextDue } from './due';
import { hostedPage } from './pages';
import { DAY_SECONDS } from './periods';
import { Refusal, World, type AfterRetries, type StripeEvent } from './world';

export interface DevelopmentStripeOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  /** 127.0.0.1 by default. */
  host?: string;
  /** A `ManualClock` is moved by `advance`; over any other clock it runs ahead by itself. */
  clock?: Clock;
  webhookSecret?: string;
  afterRetries?: AfterRetries;
  /** Waits before an undelivered event is sent again, in real milliseconds; 100, 500 and 2000 by default. */
  webhookRetryMs?: readonly number[];
  onCall?: (call: AnsweredCall) => void;
}

export type StripeSettings = ReturnType<DevelopmentStripe['settings']>;

const UNKNOWN: Handler = {
  reads: [],
  answer: () => {
    throw new Refusal('Unrecognized request URL. The development Stripe knows the calls of its README.', {}, 404);
  },
};

/** Stripe as far as our billing needs it, in memory: API, hosted pages, signed webhooks, and a clock of its own. */
export class DevelopmentStripe extends ActionsByHand {
  readonly secretKey = 'sk_test_EvenkeelDevelopment';
  readonly webhookSecret: string;
  /** The same ids in every run. */
  readonly prices = { monthly: 'price_1EvenkeelPremiumMonthly', yearly: 'price_1EvenkeelPremiumYearly' };
  protected readonly world: World;
  private readonly deliveries: Deliveries;
  private readonly api: Api;
  private readonly server: FastifyInstance;

  private constructor(options: DevelopmentStripeOptions) {
    super();
    const { clock = new SystemClock(), afterRetries = 'cancel', onCall = () => undefined } = options;
    this.webhookSecret = options.webhookSecret ?? 'whsec_EvenkeelDevelopment';
    this.deliveries = new Deliveries(clock, this.webhookSecret, options.webhookRetryMs ?? [100, 500, 2_000]);
    this.world = new World(clock, afterRetries, this.deliveries);
    const { monthly, yearly } = this.prices;
    const of = { isOfPlans: true };
    this.addPrice({ ...of, id: monthly, nickname: 'Premium (monthly)', interval: 'month', amountCents: 799 });
    this.addPrice({ ...of, id: yearly, nickname: 'Premium (yearly)', interval: 'year', amountCents: 5_999 });
    this.api = new Api(this.world, this.secretKey, onCall);
    this.server = this.serve();
  }

  /** @throws Error when the port is taken */
  static async start(options: DevelopmentStripeOptions = {}): Promise<DevelopmentStripe> {
    const stripe = new DevelopmentStripe(options);
    const { port = 0, host = '127.0.0.1' } = options;
    await stripe.server.listen({ port, host });
    stripe.world.address = `http://${host}:${(stripe.server.server.address() as AddressInfo).port}`;
    return stripe;
  }

  get url(): string {
    return this.world.address;
  }

  settings() {
    return {
      STRIPE_SECRET_KEY: this.secretKey,
      STRIPE_WEBHOOK_SECRET: this.webhookSecret,
      STRIPE_PRICE_MONTHLY: this.prices.monthly,
      STRIPE_PRICE_YEARLY: this.prices.yearly,
      STRIPE_API_BASE: this.url,
    };
  }

  sendTo(webhookUrl: string): void {
    this.deliveries.url = webhookUrl;
  }

  now(): Date {
    return this.world.now();
  }

  /** Moves its clock. All that falls due until then happens at its own instant, and its events are delivered before time goes on. */
  async advance(to: Date): Promise<void> {
    for (let due = nextDue(this.world, to); due; due = nextDue(this.world, to)) {
      this.world.moveTo(due.date);
      this.world.asOf(due.date, due.run);
      await this.deliveries.settled();
    }
    this.world.moveTo(to);
  }

  /** Resolves when every event was delivered, or has been given up. */
  delivered(): Promise<void> {
    return this.deliveries.settled();
  }

  /** Turns a mode on, that of the API for so many calls; `ok` ends them. See README.md. */
  mode(mode: 'ok' | WebhookMode | ApiMode, count = Infinity, ms = 1_000): void {
    const ofWebhooks = WEBHOOK_MODES.find((one) => one === mode) ?? null;
    const ofApi = API_MODES.find((one) => one === mode) ?? null;
    if (mode === 'ok' || ofWebhooks) this.deliveries.mode = ofWebhooks;
    if (mode === 'ok' || ofApi) this.api.fault = { mode: ofApi, left: count, ms };
  }

  /** Sends the events that are late, lost or were never taken. */
  deliverHeldBack(): Promise<void> {
    return this.deliveries.deliverHeldBack(this.events);
  }

  get events(): readonly StripeEvent[] {
    return this.world.events.all;
  }

  get subscriptions(): readonly Stripe.Subscription[] {
    return this.world.subscriptions.all;
  }

  get invoices(): readonly Stripe.Invoice[] {
    return this.world.invoices.all;
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

  /** Others may have moved the clock. */
  private catchUp(): void {
    const now = this.now();
    for (let due = nextDue(this.world, now); due; due = nextDue(this.world, now)) this.world.asOf(due.date, due.run);
  }

  /** Answers the API under `/v1`, and the hosted pages everywhere else. */
  private serve(): FastifyInstance {
    // Above the idle time of the callers' pools, so that no call meets a connection that is being closed.
    const server = fastify({ keepAliveTimeout: 65_000, forceCloseConnections: true, exposeHeadRoutes: false });
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    server.addHook('onRequest', async () => this.catchUp());
    for (const [route, handler] of Object.entries(CALLS)) {
      const [method, url] = route.split(' ') as [string, string];
      server.route({ method, url, handler: (request, reply) => this.api.serve(route, handler, request, reply) });
    }
    server.all('/v1/*', (request, reply) => this.api.serve(null, UNKNOWN, request, reply));
    server.setNotFoundHandler(async ({ method, url, body }, reply) => {
      const form = method === 'POST' ? new URLSearchParams((body as string | null) ?? '') : null;
      const path = url.split('?')[0]!;
      const days = path === '/' ? Number(form?.get('days') ?? 0) : 0;
      if (days > 0) await this.advance(new Date(this.now().getTime() + days * DAY_SECONDS * 1_000));
      const shown = hostedPage(this.world, path, form);
      if ('redirect' in shown) return reply.redirect(shown.redirect, 303);
      return reply.code(shown.status).type('text/html; charset=utf-8').send(shown.html);
    });
    return server;
  }
}
