import { ManualClock } from '@evenkeel/kernel';
import Stripe from 'stripe';
import { DevelopmentStripe, type DevelopmentStripeOptions } from './development-stripe';
import type { AnsweredCall } from './api';
import { wrongIn } from './schema/schema-check.fixture';

/**
 * A development Stripe at noon of the last of January, with the client that billing uses. All that it has said is held
 * against Stripe's schemas when it closes.
 */
export class StripeAtNoon {
  private constructor(
    private readonly calls: AnsweredCall[],
    readonly running: DevelopmentStripe,
    readonly client: Stripe,
    readonly clock: ManualClock,
  ) {}

  static async start(options: DevelopmentStripeOptions = {}): Promise<StripeAtNoon> {
    const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
    const calls: AnsweredCall[] = [];
    const running = await DevelopmentStripe.start({ clock, onCall: (call) => calls.push(call), ...options });
    const { hostname: host, port } = new URL(running.url);
    const client = new Stripe(running.secretKey, { host, port, protocol: 'http', maxNetworkRetries: 0 });
    return new StripeAtNoon(calls, running, client, clock);
  }

  async aSession(trialDays?: number): Promise<Stripe.Checkout.Session> {
    const metadata = { user_id: 'u1' };
    const customer = await this.client.customers.create({ metadata });
    return this.client.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      client_reference_id: 'u1',
      line_items: [{ price: this.running.prices.monthly, quantity: 1 }],
      success_url: 'http://localhost:8080/paid?session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:8080/left',
      metadata,
      subscription_data: { metadata, ...(trialDays && { trial_period_days: trialDays }) },
    });
  }

  /** A subscription that was bought on the hosted page. */
  async aSubscription(trialDays?: number): Promise<Stripe.Subscription & { customer: string }> {
    await this.running.pay((await this.aSession(trialDays)).id);
    const bought = await this.client.subscriptions.retrieve(this.running.subscriptions.at(-1)!.id);
    return { ...bought, customer: bought.customer as string };
  }

  eventTypes(): string[] {
    return this.running.events.map(({ type }) => type);
  }

  async close(): Promise<void> {
    await this.running.close();
    expect([...this.calls.map(({ body }) => body), ...this.running.events].flatMap(wrongIn)).toEqual([]);
  }
}
