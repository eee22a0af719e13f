import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { AppRegistry, expose } from '@evenkeel/platform/observability';
import { Injectable, Module } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { Departure } from '../subscriptions/subscriptions.entities';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module';
import { EndDepartures, ForgetCustomer } from './end-departures';

const EVERY_MS = 1_000;
const AGAIN_EVERY_MS = 60_000;
const WITHIN_MS = 10_000;

/** Sees to departures for as long as the worker runs. */
@Injectable()
export class LeavingWorker extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[];

  constructor(departures: EndDepartures) {
    super();
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

/** Counts whom the provider still has to forget, for each page of metrics of the worker. */
@Injectable()
export class CountDepartures {
  private waiting: number | null = null;

  constructor(registry: AppRegistry, dataSource: DataSource) {
    const read = () => dataSource.manager.countBy(Departure, { doneAt: IsNull() });
    registry.read('departures', read, (found) => (this.waiting = found));
    expose(registry, 'departures_waiting', () => (this.waiting === null ? [] : [{ value: this.waiting }]));
  }
}

/** The part of the worker. */
@Module({
  imports: [SubscriptionsModule],
  providers: [ForgetCustomer, EndDepartures, LeavingWorker, CountDepartures],
  exports: [EndDepartures],
})
export class LeavingModule {}
