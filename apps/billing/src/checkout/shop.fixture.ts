import { ManualClock } from '@evenkeel/kernel';
import type { Environment } from '@evenkeel/platform/config';
import type { AskOptions, Reply } from '@evenkeel/platform/testing/service';
import {
  DevelopmentStripe,
  type AnsweredCall,
  type CheckoutCard,
  type DevelopmentStripeOptions,
} from '@evenkeel/stripe';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import { auditBilling } from '../audited.fixture';
import { Billing, type Person } from '../billing.fixture';
import { StripeApi } from '../provider/stripe-api';
import { sendEvent } from '../webhooks/provider-events.fixture';

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

type Plan = 'premium_monthly' | 'premium_yearly';

interface ShopOptions extends DevelopmentStripeOptions {
  clock?: ManualClock;
  /** Stands between the service and its database. */
  through?: (databaseUrl: string) => string | Promise<string>;
}

/** Billing and the provider that it sells through, at one time that only tests move. */
export class Shop {
  private static readonly started: Shop[] = [];

  private constructor(
    readonly billing: Billing,
    readonly stripe: DevelopmentStripe,
    readonly clock: ManualClock,
    /** The requests of billing, as they arrived. */
    readonly calls: readonly AnsweredCall[],
  ) {}

  static async start(settings: Environment = {}, options: ShopOptions = {}): Promise<Shop> {
    const { clock = new ManualClock(new Date('2026-01-31T12:00:00Z')), through, ...policy } = options;
    const calls: AnsweredCall[] = [];
    const stripe = await DevelopmentStripe.start({ ...policy, clock, onCall: (call) => void calls.push(call) });
    const billing = await Billing.start({ ...stripe.settings(), ...settings }, clock, through);
    stripe.sendTo(`${billing.running.url}/v1/billing/webhook/stripe`);
    const shop = new Shop(billing, stripe, clock, calls);
    Shop.started.push(shop);
    return shop;
  }

  /** For all tests of a suite: the provider is well again after each. */
  static forSuite(settings: Environment = {}, optionsOf: () => ShopOptions = () => ({})): Shop {
    const shop = Object.create(Shop.prototype) as Shop;
    beforeAll(async () => Object.assign(shop, await Shop.start(settings, optionsOf())));
    afterEach(() => shop.stripe.mode('ok'));
    afterAll(() => Shop.closeAll());
    return shop;
  }

  post(person: Person, route: string, body?: unknown, options: AskOptions = {}): Promise<Reply> {
    return this.billing.ask('POST', `/v1/billing/${route}`, { token: person.token, body, ...options });
  }

  me({ token }: Person): Promise<Reply> {
    return this.billing.ask('GET', '/v1/billing/me', { token });
  }

  open(person: Person, plan: Plan = 'premium_monthly'): Promise<Reply> {
    return this.post(person, 'checkout', { plan });
  }

  /** Somebody who has paid a minute ago, with the events delivered. */
  async subscriber(plan: Plan = 'premium_monthly', card: CheckoutCard = 'good'): Promise<Person> {
    const person = this.billing.person();
    await this.paid(person, plan, card);
    await this.settle();
    return person;
  }

  /** Opens a page and pays it. */
  async paid(person: Person, plan: Plan = 'premium_monthly', card: CheckoutCard = 'good') {
    const { status, body } = await this.open(person, plan);
    expect([status, body]).toEqual([201, expect.anything()]);
    await this.stripe.pay(String(body.session_id), card);
    return this.subscriptionOf(person);
  }

  /** Pays as one who was sold a page of ours that billing did not open, whatever else they have. */
  async paidThere({ id }: Pick<Person, 'id'>, plan: Plan = 'premium_monthly') {
    await this.billing.know(id);
    const metadata = { user_id: id, plan_code: plan };
    const customer = await this.call((stripe) => stripe.customers.create({ metadata }));
    const price = plan === 'premium_monthly' ? this.stripe.prices.monthly : this.stripe.prices.yearly;
    const session = await this.call((stripe) =>
      stripe.checkout.sessions.create({
        mode: 'subscription',
        customer: customer.id,
        client_reference_id: id,
        metadata,
        line_items: [{ price, quantity: 1 }],
        subscription_data: { metadata },
        success_url: 'http://localhost:8080/paid',
      }),
    );
    await this.stripe.pay(session.id);
    return this.subscriptionOf({ id });
  }

  /** A call to the provider, as billing makes it. */
  async call<Result extends object>(ask: (stripe: Stripe) => Promise<Result>): Promise<Result> {
    return (await this.billing.app.get(StripeApi, { strict: false }).call(ask)).result;
  }

  /** Delivers the provider's events; afterwards a minute has passed. */
  async settle(): Promise<void> {
    await this.stripe.delivered();
    this.clock.advanceMs(MINUTE_MS);
  }

  /** Sends one event by hand, in whatever order. */
  deliver(event: object, to = this.billing): Promise<Reply> {
    return sendEvent(to, event, this.stripe.webhookSecret);
  }

  /** The same person, signed in again some days later: their token lives for a quarter of an hour. */
  async daysLater({ id }: Person, days: number): Promise<Person> {
    await this.stripe.advance(new Date(this.clock.now().getTime() + days * DAY_MS));
    await this.settle();
    return { id, token: this.billing.tokens.token(id) };
  }

  subscriptionsOf({ id }: Pick<Person, 'id'>): DevelopmentStripe['subscriptions'] {
    return this.stripe.subscriptions.filter(({ metadata }) => metadata['user_id'] === id);
  }

  /** The last one of somebody, with its customer. */
  subscriptionOf(person: Pick<Person, 'id'>) {
    const subscription = this.subscriptionsOf(person).at(-1)!;
    return { ...subscription, customer: subscription.customer as string };
  }

  /** Events about somebody, of a type. */
  made({ id }: Pick<Person, 'id'>, type: string): DevelopmentStripe['events'] {
    return this.stripe.events.filter((event) => event.type === type && JSON.stringify(event.data).includes(id));
  }

  query<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]> {
    return this.billing.database.dataSource.query<Row[]>(sql, values);
  }

  /** Rows of somebody, newest first. */
  checkouts({ id }: Person): Promise<{ session_id: string | null; closed_at: Date | null }[]> {
    const newestFirst = 'ORDER BY created_at DESC, closed_at';
    return this.query(`SELECT session_id, closed_at FROM checkouts WHERE user_id = $1 ${newestFirst}`, [id]);
  }

  async expectAudited(): Promise<void> {
    expect(await auditBilling(this.billing.database.dataSource)).toEqual([]);
  }

  /** All that a suite has started. The provider knew every call, and every parameter of it. */
  static async closeAll(): Promise<void> {
    const shops = Shop.started.splice(0);
    for (const { billing, stripe } of shops) {
      await billing.close();
      await stripe.close();
    }
    const codeOf = (body: object) => (body as { error?: { code?: string } }).error?.code ?? '';
    const calls = shops.flatMap((shop) => shop.calls);
    const wrong = calls.filter(({ route, body }) => route === null || codeOf(body).startsWith('parameter_'));
    expect(wrong).toEqual([]);
  }
}
