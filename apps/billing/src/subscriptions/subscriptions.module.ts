import { Module } from '@nestjs/common';
import { InvoicesModule } from '../invoices/invoices.module';
import { StripeApi } from '../provider/stripe-api';
import { ApplyEvent } from './apply-event';
import { PublishAccess } from './publish-access';

/** Subscriptions as the fold of what the provider says, and what is published of them. */
@Module({
  imports: [InvoicesModule],
  providers: [StripeApi, PublishAccess, ApplyEvent],
  exports: [StripeApi, PublishAccess, ApplyEvent],
})
export class SubscriptionsModule {}
