import { setTimeout as sleep } from 'node:timers/promises';
import { PAYMENTS_STREAM } from '@evenkeel/contracts';
import { EventTransport, Subscription } from '@evenkeel/platform/messaging';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BeginAnew } from './begin-anew';
import { ReportingConfig } from '../reporting.config';
import { ProjectLedger, SUBSCRIPTION } from './project-ledger.consumer';
import { WatchProgress } from './watch-progress';

const LOOK_EVERY_MS = 500;
const STOP_LIMIT_MS = 2_000;

/** Reads the stream of payments for as long as the process runs; begins anew when an operator asks for it. */
@Injectable()
export class FollowStream implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('projection');
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private subscription?: Subscription;

  constructor(
    private readonly dataSource: DataSource,
    private readonly transport: EventTransport,
    private readonly config: ReportingConfig,
    private readonly projectLedger: ProjectLedger,
    private readonly beginAnew: BeginAnew,
    private readonly watchProgress: WatchProgress,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    // A look at a broker that does not answer may take its time.
    await Promise.race([this.running, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
    await this.subscription?.stop();
  }

  /** Whether events are read, as far as anybody can tell. */
  isAlive(): boolean {
    return this.subscription?.isAlive() ?? false;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let isWell = true;
    while (!signal.aborted) {
      try {
        await this.round();
        isWell = true;
      } catch (error) {
        // Once per outage: the next look is half a second away.
        if (isWell) this.log.warn({ message: 'progress cannot be looked after at the moment', error });
        isWell = false;
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async round(): Promise<void> {
    // Before anything is read: a process that starts between the steps of a rebuild must not read what is left of them.
    if (await this.beginAnew.isAskedFor()) {
      await this.subscription?.stop();
      this.subscription = undefined;
      await this.beginAnew.execute();
    }
    if (this.stopping.signal.aborted) return;
    this.subscription ??= this.subscribe();
    await this.watchProgress.look();
  }

  private subscribe(): Subscription {
    const subscription = new Subscription({
      name: SUBSCRIPTION,
      topics: [PAYMENTS_STREAM],
      consumers: [this.projectLedger],
      dataSource: this.dataSource,
      transport: this.transport,
      log: this.log,
      passed: (point) => {
        if (this.config.CRASH_AT === point) process.kill(process.pid, 'SIGKILL');
      },
    });
    subscription.start();
    return subscription;
  }
}
