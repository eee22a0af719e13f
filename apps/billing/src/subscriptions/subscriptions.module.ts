import { Module } from '@nestjs/common';
import { InvoicesModule } from '../invoices/invoices.module';
import { ProviderModule } from '../provider/provider.module';
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
