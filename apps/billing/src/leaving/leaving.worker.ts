import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { AppRegistry, expose } from '@evenkeel/platform/observability';
import { Injectable, Module } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { Departure } from '../subscriptions/subscriptions.entities';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { EndDepartures } from './end-departures';

const EVERY_MS = 1_000;
const AGAIN_EVERY_MS = 60_000;
const WITHIN_MS = 10_000;

/** Sees to departures for as long as the worker runs. */
@Injectable()
export class LeavingWorker extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[];

  constructor(departures: EndDepartures, registry: AppRegistry, { manager }: DataSource) {
    super();
    // Whom the provider still has to forget.
    let waiting: number | null = null;
    registry.read(
      'departures',
      () => manager.countBy(Departure, { doneAt: IsNull() }),
      (found) => (waiting = found),
    );
    expose(registry, 'departures_waiting', () => (waiting === null ? [] : [{ value: waiting }]));
    const beginAgain = async () => {
      await departures.beginAgain();
      return false;
    };
    this.jobs = [
      { name: 'end_departures', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: () => departures.execute() },
      { name: 'begin_departures_again', everyMs: AGAIN_EVERY_MS, withinMs: WITHIN_MS, run: beginAgain },
    ];
  }
}

/** The part of the worker. */
@Module({
  imports: [SubscriptionsModule],
  providers: [EndDepartures, LeavingWorker],
  exports: [EndDepartures],
})
export class LeavingModule {}
