import { Module } from '@nestjs/common';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { TakeEventModule } from '../webhooks/webhooks.module';
import { FoldOldEvents } from './fold-old-events';
import { ReadProvider } from './read-provider';
import { ReadsWorker } from './reads.worker';

/** Reads at the provider what events have left unsure, and keeps the store of events small. */
@Module({
  imports: [SubscriptionsModule, TakeEventModule],
  providers: [ReadProvider, FoldOldEvents, ReadsWorker],
})
export class ReadsModule {}
