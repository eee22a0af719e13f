import { Module } from '@nestjs/common';
import { InvoicesModule } from '../invoices/record-money';
import { ProviderModule } from '../provider/stripe-api';
import { ApplyEvent } from './apply-event';
import { FetchSubscription } from './fetch-subscription';
import { PublishAccess } from './publish-access';
import { TurnPerCustomer } from './turn-per-customer';

/** Subscriptions as the fold of what the provider says, and what is published of them. */
@Module({
  imports: [InvoicesModule, ProviderModule],
  providers: [PublishAccess, FetchSubscription, ApplyEvent, TurnPerCustomer],
  exports: [ProviderModule, PublishAccess, FetchSubscription, ApplyEvent, TurnPerCustomer],
})
export class SubscriptionsModule {}
