import type { DevelopmentStripe } from '@evenkeel/stripe';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import type { Billing } from './billing.fixture';
import { idAt } from './provider/members';
import { StripeApi } from './provider/stripe-api';

export interface Purchase {
  userId: string;
  customerId: string;
  sessionId: string;
  subscriptionId: string;
}

/** People who pay at the development Stripe, which tells billing of it. */
export class Subscribers {
  constructor(
    private readonly billing: Billing,
    private readonly stripe: DevelopmentStripe,
  ) {
    stripe.sendTo(`${billing.running.url}/v1/billing/webhook/stripe`);
  }

  /** A call to the development Stripe, as billing makes it. */
  async call<Result extends object>(ask: (stripe: Stripe) => Promise<Result>): Promise<Result> {
    return (await this.billing.app.get(StripeApi, { strict: false }).call(ask)).result;
  }

  /** A page to pay, of a customer of their own. */
  async open(userId: string, plan: 'monthly' | 'yearly' = 'monthly'): Promise<Omit<Purchase, 'subscriptionId'>> {
    await this.billing.know(userId);
    const metadata = { user_id: userId, plan_code: `premium_${plan}` };
    const customer = await this.call((stripe) => stripe.customers.create({ metadata }));
    const session = await this.call((stripe) =>
      stripe.checkout.sessions.create({
        mode: 'subscription',
        customer: customer.id,
        client_reference_id: userId,
        metadata,
        line_items: [{ price: this.stripe.prices[plan], quantity: 1 }],
        subscription_data: { metadata },
        success_url: 'http://localhost:8080/paid',
        cancel_url: 'http://localhost:8080/left',
      }),
    );
    return { userId, customerId: customer.id, sessionId: session.id };
  }

  /** A subscription that was paid for, and that billing knows. */
  async buy(userId: string, plan: 'monthly' | 'yearly' = 'monthly'): Promise<Purchase> {
    const page = await this.open(userId, plan);
    await this.stripe.pay(page.sessionId);
    const session = await this.call((stripe) => stripe.checkout.sessions.retrieve(page.sessionId));
    return { ...page, subscriptionId: idAt(session, 'subscription')! };
  }
}
