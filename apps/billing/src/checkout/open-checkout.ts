import type { PaidPlanCode } from '@evenkeel/contracts';
import { ProcessCrash } from '@evenkeel/platform/config';
import { Injectable } from '@nestjs/common';
import type { Stripe } from 'stripe' with { 'resolution-mode': 'import' };
import type { CrashPoint } from '../billing.config';
import { idAt } from '../provider/members';
import { ProviderRefusal, ProviderUnavailable, StripeApi, WaitingTime } from '../provider/stripe-api';
import { WHOLE_SUBSCRIPTION } from '../subscriptions/fetch-subscription';
import { AdmitBuyer, AskWhatLives, paidPlan } from './admit-buyer';
import { ApplyAnswer } from './apply-answer';
import { CheckoutPages, type OpenPage } from './checkout-pages';
import type { CheckoutView } from './checkout.dto';
import { misconfigured } from './checkout.errors';
import { MakeCustomer, type Customers } from './customers';

/** A page that has ended, one of another plan and a customer who is gone each cost one. */
const TRIES = 4;

/** Opens the page of the provider where a plan is paid; one is open at a time, and grants nothing. */
@Injectable()
export class OpenCheckout {
  constructor(
    private readonly admitting: AdmitBuyer,
    private readonly customers: MakeCustomer,
    private readonly pages: CheckoutPages,
    private readonly provider: StripeApi,
    private readonly applying: ApplyAnswer,
    private readonly asking: AskWhatLives,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /** @throws what AdmitBuyer does, and ProviderUnavailable */
  async execute(userId: string, code: string): Promise<CheckoutView> {
    const plan = paidPlan(code);
    const waiting = new WaitingTime();
    for (let tries = 0; tries < TRIES; tries++) {
      const { page, customers } = await this.admitted(userId, plan, waiting);
      this.crash.pass('page_claimed');
      const customerId = await this.customers.execute(userId, customers, waiting).catch((error: unknown) => {
        throw misconfigured(error);
      });
      let session: Stripe.Checkout.Session;
      try {
        session = await this.pages.sessionOf(page, customerId, waiting);
        const isWanted = page.plan === plan;
        if (session.status === 'open' && isWanted && session.url !== null) {
          return { provider: 'stripe', plan, checkout_url: session.url, session_id: session.id };
        }
        if (session.status === 'open') session = await this.pages.expire(session, waiting);
        if (session.status === 'complete') await this.takePaid(userId, session, waiting);
      } catch (error) {
        if (!(error instanceof ProviderRefusal)) throw error;
        const isGone = error.isMissing && error.param === 'customer';
        if (isGone) await this.customers.forget(customerId);
        // A page with a key that came with other settings is made again with another key, once.
        else if (tries > 0) throw misconfigured(error);
      }
      await this.pages.close(page.id);
    }
    throw new ProviderUnavailable();
  }

  /** A page of somebody for whom nothing lives, by our own rows and by what the provider says. */
  private async admitted(
    userId: string,
    plan: PaidPlanCode,
    waiting: WaitingTime,
  ): Promise<{ page: OpenPage; customers: Customers }> {
    let buyer = await this.admitting.execute(userId, plan);
    const customers = await this.customers.of(userId);
    const asked = this.asking.execute(customers.present, buyer.live, waiting).catch((error: unknown) => {
      throw misconfigured(error);
    });
    if (await asked) buyer = await this.admitting.execute(userId, plan, true);
    return { page: await this.pages.claim(buyer, plan), customers };
  }

  /** Somebody has paid, and the news of it is late: it is fetched, so that they do not pay twice. */
  private async takePaid(userId: string, session: Stripe.Checkout.Session, waiting: WaitingTime): Promise<void> {
    const id = idAt(session, 'subscription');
    if (id === null) return;
    await this.applying.page(session);
    const read = (stripe: Stripe) => stripe.subscriptions.retrieve(id, WHOLE_SUBSCRIPTION);
    await this.applying.execute(userId, await this.provider.call(read, waiting));
  }
}
