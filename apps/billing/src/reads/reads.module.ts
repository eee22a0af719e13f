import { IdempotencyKeys, IdempotencyModule } from '@evenkeel/platform/auth';
import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { Injectable, Module } from '@nestjs/common';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { TakeEventModule } from '../webhooks/take-event';
import { FoldOldEvents } from './fold-old-events';
import { ReadProvider } from './read-provider';

const READ_EVERY_MS = 1_000;
const ERASE_EVERY_MS = 60_000;
const FOLD_EVERY_MS = 3_600_000;
const WITHIN_MS = 20_000;

/** Reads at the provider what events have left unsure; old events, and answers of old requests, do not stay. */
@Injectable()
export class ReadsWorker extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[];

  constructor(reads: ReadProvider, events: FoldOldEvents, keys: IdempotencyKeys) {
    super();
    const withinMs = WITHIN_MS;
    this.jobs = [
      { name: 'read_provider', everyMs: READ_EVERY_MS, withinMs, run: () => reads.execute() },
      { name: 'fold_old_events', everyMs: FOLD_EVERY_MS, withinMs, run: (isLate) => events.execute(isLate) },
      { name: 'erase_old_keys', everyMs: ERASE_EVERY_MS, withinMs, run: () => keys.eraseExpired() },
    ];
  }
}

@Module({
  imports: [IdempotencyModule, SubscriptionsModule, TakeEventModule],
  providers: [ReadProvider, FoldOldEvents, ReadsWorker],
})
export class ReadsModule {}
