import { Clock } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable } from '@nestjs/common';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import { DataSource } from 'typeorm';
import { BillingConfig, type CrashPoint } from '../billing.config';
import { newCustomer } from '../checkout/make-customer';
import { ProviderRefusal, StripeApi, type Answered } from '../provider/stripe-api';
import { ApplyEvent } from '../subscriptions/apply-event';
import { eventOfAnswer } from '../subscriptions/event-of-answer';

const PAGE = 100;

/** Ends what a customer has at the provider, and has the provider delete them. May be repeated at any step. */
@Injectable()
export class ForgetCustomer {
  constructor(
    private readonly config: BillingConfig,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly provider: StripeApi,
    private readonly apply: ApplyEvent,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /** @throws ProviderNotConfigured, ProviderUnavailable, ProviderRefusal */
  async execute(customerId: string): Promise<void> {
    const live = await this.unlessMissing((stripe) => stripe.subscriptions.list({ customer: customerId, limit: PAGE }));
    for (const { id } of live?.result.data ?? []) await this.cancel(id);
    await this.unlessMissing((stripe) => stripe.customers.del(customerId));
    this.crash.pass('customer_deleted');
    await this.dataSource.query('UPDATE customers SET deleted_at = coalesce(deleted_at, $2) WHERE customer_id = $1', [
      customerId,
      this.clock.now(),
    ]);
    this.crash.pass('customer_forgotten');
  }

  /** A checkout that broke off may have left a customer whom nobody remembers: asked for once more, they are the same. */
  async remember(userId: string, past: number): Promise<void> {
    const { result } = await this.provider.call((stripe) => stripe.customers.create(...newCustomer(userId, past)));
    await this.dataSource.query(
      'INSERT INTO customers (customer_id, user_id, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [result.id, userId, new Date(result.created * 1_000)],
    );
  }

  /** At once, and without money back for the rest of the period. Its events follow; the answer says the same already. */
  async cancel(subscriptionId: string): Promise<void> {
    const ended = await this.unlessMissing((stripe) =>
      stripe.subscriptions.cancel(subscriptionId, { invoice_now: false, prorate: false }),
    );
    this.crash.pass('subscription_ended');
    const event = ended && eventOfAnswer(ended, this.config.planOfPrice);
    if (event) await this.dataSource.transaction((tx) => this.apply.execute(tx, event));
  }

  /** A page to pay that is still open. One that is paid or over already cannot be closed, and need not be. */
  async closePage(sessionId: string): Promise<void> {
    try {
      await this.provider.call((stripe) => stripe.checkout.sessions.expire(sessionId));
    } catch (error) {
      if (!(error instanceof ProviderRefusal)) throw error;
    }
    this.crash.pass('page_closed');
  }

  /** @returns null for what the provider does not have any more */
  private async unlessMissing<Result extends object>(
    ask: (stripe: Stripe) => Promise<Result>,
  ): Promise<Answered<Result> | null> {
    try {
      return await this.provider.call(ask);
    } catch (error) {
      if (error instanceof ProviderRefusal && error.isMissing) return null;
      throw error;
    }
  }
}
