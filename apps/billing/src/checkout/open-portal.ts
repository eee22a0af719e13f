import { Injectable } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { ProviderRefusal, StripeApi } from '../provider/stripe-api';
import { misconfigured, NoSubscription } from './checkout.errors';
import type { PortalBody } from './checkout.dto';
import type { PortalView } from './checkout.view';
import { MakeCustomer } from './make-customer';

/** Opens the page of the provider for card, invoices and cancellation. */
@Injectable()
export class OpenPortal {
  constructor(
    private readonly config: BillingConfig,
    private readonly customers: MakeCustomer,
    private readonly provider: StripeApi,
  ) {}

  /** @throws NoSubscription, ProviderNotConfigured, ProviderUnavailable */
  async execute(userId: string, { flow }: PortalBody): Promise<PortalView> {
    const { present: customer } = await this.customers.of(userId);
    if (customer === null) throw new NoSubscription();
    const { baseUrl, BILLING_RETURN_URL: return_url = baseUrl } = this.config;
    const wanted = {
      ...{ customer, return_url },
      ...(flow && { flow_data: { type: 'payment_method_update' } as const }),
    };
    try {
      const { result } = await this.provider.call((stripe) => stripe.billingPortal.sessions.create(wanted));
      return { portal_url: result.url };
    } catch (error) {
      if (!(error instanceof ProviderRefusal) || !error.isMissing || error.param !== 'customer') {
        throw misconfigured(error);
      }
      await this.customers.forget(customer);
      throw new NoSubscription();
    }
  }
}
