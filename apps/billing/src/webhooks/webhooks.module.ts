import { Module } from '@nestjs/common';
import { InvoicesModule } from '../invoices/record-money';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { ReceiveWebhook } from './receive-webhook';
import { TakeEvent } from './take-event';
import { WebhookCounts } from './webhook-counts';
import { WebhooksController } from './webhooks.controller';

/** Taking events of the provider, also for what fetches them. */
@Module({
  imports: [SubscriptionsModule, InvoicesModule],
  providers: [TakeEvent],
  exports: [TakeEvent],
})
export class TakeEventModule {}

/** Webhooks of the provider. */
@Module({
  imports: [TakeEventModule],
  controllers: [WebhooksController],
  providers: [ReceiveWebhook, WebhookCounts],
})
export class WebhooksModule {}
