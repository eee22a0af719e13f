import { ManualClock } from '@evenkeel/kernel';
import type { Environment } from '@evenkeel/platform/config';
import type { AskOptions, Reply } from '@evenkeel/platform/testing/service';
import {
  DevelopmentStripe,
  type AnsweredCall,
  type CheckoutCard,
  type DevelopmentStripeOptions,
} from '@evenkeel/stripe';
import { Billing, type Person } from '../billing.fixture';
import { wrongCalls } from '../provider/calls.fixture';

export const DAY_MS = 86_400_000;

type Plan = 'premium_monthly' | 'premium_yearly';

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

  static async start(settings: Environment = {}, policy: DevelopmentStripeOptions = {}): Promise<Shop> {
    const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
    const calls: AnsweredCall[] = [];
    const stripe = await DevelopmentStripe.start({ ...policy, clock, onCall: (call) => void calls.push(call) });
    const billing = await Billing.start({ ...stripe.settings(), ...settings }, clock);
    stripe.sendTo(`${billing.running.url}/v1/billing/webhook/stripe`);
    const shop = new Shop(billing, stripe, clock, calls);
    Shop.started.push(shop);
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
    const { status, body } = await this.open(person, plan);
    expect([status, body]).toEqual([201, expect.anything()]);
    await this.stripe.pay(String(body.session_id), card);
    await this.settle();
    return person;
  }

  /** Delivers the provider's events; afterwards a minute has passed. */
  async settle(): Promise<void> {
    await this.stripe.delivered();
    this.clock.advanceMs(60_000);
  }

  /** The same person, signed in again some days later: their token lives for a quarter of an hour. */
  async daysLater({ id }: Person, days: number): Promise<Person> {
    await this.stripe.advance(new Date(this.clock.now().getTime() + days * DAY_MS));
    await this.settle();
    return { id, token: this.billing.tokens.token(id) };
  }

  subscriptionsOf({ id }: Person): DevelopmentStripe['subscriptions'] {
    return this.stripe.subscriptions.filter(({ metadata }) => metadata['user_id'] === id);
  }

  /** Objects that the provider has made for somebody, by type of the event. */
  made({ id }: Person, type: string): unknown[] {
    return this.stripe.events.filter((event) => event.type === type && JSON.stringify(event.data).includes(id));
  }

  /** Rows of somebody, newest first. */
  checkouts({ id }: Person): Promise<{ plan_code: string; session_id: string | null; closed_at: Date | null }[]> {
    return this.billing.database.dataSource.query(
      'SELECT plan_code, session_id, closed_at FROM checkouts WHERE user_id = $1 ORDER BY created_at DESC, closed_at',
      [id],
    );
  }

  /**
   * All that a suite has started, whether its tests came to their end or not. What billing has asked fits the schemas of the
   * provider.
   */
  static async closeAll(): Promise<void> {
    const shops = Shop.started.splice(0);
    for (const { billing, stripe } of shops) {
      await billing.close();
      await stripe.close();
    }
    expect(shops.flatMap(({ calls }) => wrongCalls(calls))).toEqual([]);
  }
}
