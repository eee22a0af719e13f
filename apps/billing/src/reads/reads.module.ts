import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { Injectable, Module } from '@nestjs/common';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { TakeEventModule } from '../webhooks/webhooks.module';
import { FoldOldEvents } from './fold-old-events';
import { ReadProvider } from './read-provider';

const READ_EVERY_MS = 1_000;
const FOLD_EVERY_MS = 3_600_000;
const WITHIN_MS = 20_000;

/** Background work on events of the provider. */
@Injectable()
export class ReadsWorker extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[];

  constructor(readProvider: ReadProvider, foldOldEvents: FoldOldEvents) {
    super();
    this.jobs = [
      { name: 'read_provider', everyMs: READ_EVERY_MS, withinMs: WITHIN_MS, run: () => readProvider.execute() },
      {
        name: 'fold_old_events',
        everyMs: FOLD_EVERY_MS,
        withinMs: WITHIN_MS,
        run: (isLate) => foldOldEvents.execute(isLate),
      },
    ];
  }
}

/** Reads at the provider what events have left unsure, and keeps the store of events small. */
@Module({
  imports: [SubscriptionsModule, TakeEventModule],
  providers: [ReadProvider, FoldOldEvents, ReadsWorker],
})
export class ReadsModule {}
