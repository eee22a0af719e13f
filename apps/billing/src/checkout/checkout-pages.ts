import { randomUUID } from 'node:crypto';
import type { PaidPlanCode } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable } from '@nestjs/common';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import { DataSource, IsNull } from 'typeorm';
import { BillingConfig, type CrashPoint } from '../billing.config';
import { ProviderRefusal, StripeApi, type WaitingTime } from '../provider/stripe-api';
import { Checkout } from '../subscriptions/subscriptions.entities';
import type { Buyer } from './admit-buyer';

/** A page of the provider where somebody pays, as we remember it. */
export type OpenPage = Pick<Checkout, 'id' | 'userId' | 'plan' | 'trialDays' | 'sessionId'>;

type Session = Stripe.Checkout.Session;

/** Pages of the provider, with their sessions there: one is open of a user, whatever the number of requests and processes. */
@Injectable()
export class CheckoutPages {
  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly provider: StripeApi,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /** One statement, however many ask at once. @returns the page that is open, of whatever plan; else a new one, which the provider does not know yet */
  async claim({ userId, trialDays }: Buyer, plan: PaidPlanCode): Promise<OpenPage> {
    const [page] = await this.dataSource.query<[OpenPage]>(
      `INSERT INTO checkouts AS c (id, user_id, plan_code, trial_days, created_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (user_id) WHERE closed_at IS NULL DO UPDATE SET user_id = c.user_id
       RETURNING id, user_id AS "userId", plan_code AS plan, trial_days AS "trialDays", session_id AS "sessionId"`,
      [randomUUID(), userId, plan, trialDays, this.clock.now()],
    );
    return page;
  }

  async close(pageId: string): Promise<void> {
    const open = { id: pageId, closedAt: IsNull() };
    await this.dataSource.manager.update(Checkout, open, { closedAt: this.clock.now() });
  }

  /**
   * As the provider has it now; made where it is not there yet.
   * @throws ProviderUnavailable, ProviderRefusal
   */
  async sessionOf(page: OpenPage, customerId: string, waiting: WaitingTime): Promise<Session> {
    if (page.sessionId !== null) return this.read(page.sessionId, waiting);
    // The same parameters whenever the page is made again: they come from its row and the settings.
    const wanted = this.wanted(page, customerId);
    const { result } = await this.provider.call(
      (stripe) => stripe.checkout.sessions.create(wanted, { idempotencyKey: page.id }),
      waiting,
    );
    this.crash.pass('session_made');
    await this.dataSource.manager.update(Checkout, { id: page.id }, { sessionId: result.id });
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
      mode: 'subscription',
      customer,
      client_reference_id: userId,
      metadata,
      line_items: [{ price: prices[plan], quantity: 1 }],
      subscription_data: { metadata, ...(trialDays > 0 && { trial_period_days: trialDays }) },
      success_url: BILLING_SUCCESS_URL,
      cancel_url: BILLING_CANCEL_URL,
    };
  }
}
