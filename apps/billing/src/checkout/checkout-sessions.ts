import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable } from '@nestjs/common';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import { BillingConfig, type CrashPoint } from '../billing.config';
import { ProviderRefusal, StripeApi } from '../provider/stripe-api';
import type { WaitingTime } from '../provider/waiting-time';
import { OpenPages, type OpenPage } from './open-pages';

type Session = Stripe.Checkout.Session;

/** Sessions of the provider behind our pages. */
@Injectable()
export class CheckoutSessions {
  constructor(
    private readonly config: BillingConfig,
    private readonly provider: StripeApi,
    private readonly pages: OpenPages,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /**
   * As the provider has it now; made where it is not there yet.
   * @throws ProviderUnavailable, ProviderRefusal
   */
  async of(page: OpenPage, customerId: string, waiting: WaitingTime): Promise<Session> {
    if (page.sessionId !== null) return this.read(page.sessionId, waiting);
    // The same parameters whenever the page is made again: they come from its row and the settings.
    const wanted = this.wanted(page, customerId);
    const { result } = await this.provider.call(
      (stripe) => stripe.checkout.sessions.create(wanted, { idempotencyKey: page.id }),
      waiting,
    );
    this.crash.pass('session_made');
    await this.pages.remember(page.id, result.id);
    this.crash.pass('session_remembered');
    // The answer to a repeated key is that of then: another request may have ended the page since.
    return result.lastResponse.headers['idempotent-replayed'] === 'true' ? this.read(result.id, waiting) : result;
  }

  /** Ends a page that nobody has paid. @returns it as it is then: perhaps somebody was faster and paid */
  async expire({ id }: Session, waiting: WaitingTime): Promise<Session> {
    try {
      return (await this.provider.call((stripe) => stripe.checkout.sessions.expire(id), waiting)).result;
    } catch (error) {
      if (error instanceof ProviderRefusal) return this.read(id, waiting);
      throw error;
    }
  }

  private async read(id: string, waiting: WaitingTime): Promise<Session> {
    return (await this.provider.call((stripe) => stripe.checkout.sessions.retrieve(id), waiting)).result;
  }

  private wanted({ userId, plan, trialDays }: OpenPage, customer: string): Stripe.Checkout.SessionCreateParams {
    const { prices, baseUrl, BILLING_SUCCESS_URL = baseUrl, BILLING_CANCEL_URL = baseUrl } = this.config;
    const metadata = { user_id: userId, plan_code: plan };
    return {
      ...{ mode: 'subscription', customer, client_reference_id: userId, metadata },
      line_items: [{ price: prices[plan], quantity: 1 }],
      subscription_data: { metadata, ...(trialDays > 0 && { trial_period_days: trialDays }) },
      ...{ success_url: BILLING_SUCCESS_URL, cancel_url: BILLING_CANCEL_URL },
    };
  }
}
