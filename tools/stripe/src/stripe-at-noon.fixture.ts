import { ManualClock } from '@evenkeel/kernel';
import Stripe from 'stripe';
import { DevelopmentStripe, type DevelopmentStripeOptions } from './development-stripe';
import type { AnsweredCall } from './http/api';
import { wrongIn } from './schema/schema-check.fixture';

export const noon = new Date('2026-01-31T12:00:00Z');

/**
 * A development Stripe on a clock that only tests move, with the client that billing uses. All that it has said is held
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
    const clock = new ManualClock(noon);
    const calls: AnsweredCall[] = [];
    const running = await DevelopmentStripe.start({ clock, onCall: (call) => calls.push(call), ...options });
    return new StripeAtNoon(calls, running, clientOf(running), clock);
  }

  async daysLater(days: number): Promise<void> {
    await this.running.advance(new Date(this.clock.now().getTime() + days * 86_400_000));
  }

  async aSession(plan: 'monthly' | 'yearly' = 'monthly', trialDays?: number): Promise<Stripe.Checkout.Session> {
    const customer = await this.client.customers.create({ metadata: { user_id: 'u1' } });
    return this.client.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      client_reference_id: 'u1',
      line_items: [{ price: this.running.prices[plan], quantity: 1 }],
      success_url: 'http://localhost:8080/paid?session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:8080/left',
      metadata: { user_id: 'u1', plan: `premium_${plan}` },
      subscription_data: { metadata: { user_id: 'u1' }, ...(trialDays && { trial_period_days: trialDays }) },
    });
  }

  /** A subscription that was bought on the hosted page. */
  async aSubscription(plan: 'monthly' | 'yearly' = 'monthly', trialDays?: number): Promise<Stripe.Subscription> {
    const session = await this.aSession(plan, trialDays);
    await this.running.pay(session.id);
    const { subscription } = await this.client.checkout.sessions.retrieve(session.id);
    return this.client.subscriptions.retrieve(subscription as string);
  }

  eventTypes(): string[] {
    return this.running.events.map(({ type }) => type);
  }

  async close(): Promise<void> {
    await this.running.close();
    expect([...this.calls.map(({ body }) => body), ...this.running.events].flatMap(wrongIn)).toEqual([]);
  }
}

export function clientOf(running: DevelopmentStripe): Stripe {
  const { hostname, port } = new URL(running.url);
  return new Stripe(running.secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
}
