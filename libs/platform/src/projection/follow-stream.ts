import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { BackgroundLoop } from '../resilience/background-loop';
import { Subscription, type SubscriptionOptions } from '../messaging/inbox/subscription';
import { type EventTransport } from '../messaging/event-transport.port';
import { countApplied, RestartProjection, type HeartbeatStore, type Projection } from './projection';

const LOOK_EVERY_MS = 500;
const STOP_LIMIT_MS = 2_000;

interface FollowStreamOptions extends Pick<
  SubscriptionOptions,
  'consumers' | 'dataSource' | 'transport' | 'log' | 'passed'
> {
  projection: Projection;
}

/**
 * Applies the stream of a projection for as long as the application runs, records how far it has come, and restarts it
 * when an operator asks for that. As a provider of a Nest module it begins and ends with the application.
 */
export class FollowStream implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly restart: RestartProjection;
  private readonly progress: WatchProgress;
  private readonly loop: BackgroundLoop;
  private readonly heartbeats?: HeartbeatStore;
  private subscription?: Subscription;
  /** Until a look has been recorded: with it the database says that none is open. */
  private mayBeRequested = true;
  private rests = false;

  constructor(private readonly options: FollowStreamOptions) {
    const { projection, dataSource, transport, log } = options;
    this.restart = new RestartProjection(projection, dataSource, transport);
    this.heartbeats = projection.heartbeats?.(dataSource);
    this.progress = new WatchProgress(projection, dataSource, transport, this.heartbeats);
    this.loop = new BackgroundLoop({
      name: 'follow-stream',
      everyMs: LOOK_EVERY_MS,
      withinMs: Infinity,
      run: (isStopping) => this.round(isStopping),
      onRun: ({ failures, error }) => {
        // Once per outage: the next look is half a second away.
        if (failures !== 1) return;
        log.warn({ message: 'the progress of the projection cannot be recorded at the moment', error });
      },
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    // A look at a broker that does not answer may take its time.
    await this.loop.stop(STOP_LIMIT_MS);
    await this.subscription?.stop();
  }

  /** Whether the reader has shown a sign of life within the last minute. */
  isAlive(): boolean {
    return this.subscription?.isAlive() ?? false;
  }

  private async round(isStopping: () => boolean): Promise<boolean> {
    // Where nothing waits, half as many looks show that too.
    if (this.rests) return (this.rests = false);
    // Before anything is read: a process that starts between the steps of a restart must not read the rest of them.
    if (this.mayBeRequested && (await this.restart.isRequested())) {
      await this.subscription?.stop();
      this.subscription = undefined;
      await this.restart.execute();
    }
    if (isStopping()) return false;
    this.subscription ??= this.subscribe();
    const { isRecorded, isCaughtUp } = await this.progress.look();
    this.mayBeRequested = !isRecorded;
    this.rests = isRecorded && isCaughtUp;
    return false;
  }

  private subscribe(): Subscription {
    const { projection, ...options } = this.options;
    const { heartbeats } = this;
    const subscription = new Subscription({
      ...options,
      name: projection.subscription,
      topics: [projection.stream],
      begin: countApplied(projection),
      takeHeartbeats: heartbeats && ((latest) => heartbeats.take(latest)),
    });
    subscription.start();
    return subscription;
  }
}

/** At most so many looks wait to be reached; with more, the projection is far behind, and a rough age is good enough. */
const LOOKS_LIMIT = 60;

// Ages are measured here, instants by the clock of the database: no two clocks are compared. A look from before a
// restart says nothing about the tables after it, and while one is open nothing is recorded. One that a crash of the server
// loses is made again by the next look: nothing waits for the disk.
const RECORD = `
  UPDATE progress SET checked_at = now(), unread = $1,
    caught_up_at = greatest(caught_up_at, now() - make_interval(secs => $2::float8 / 1000))
  FROM (SELECT set_config('synchronous_commit', 'off', true)) AS waits_for_nothing
  WHERE subscription = $4 AND NOT EXISTS (
    SELECT FROM rebuilds WHERE subscription = $4
      AND coalesce(rewound_at, now()) >= now() - make_interval(secs => $3::float8 / 1000)
  )`;

/** Records how far the projection has come, so that other processes can tell how fresh its tables are. */
class WatchProgress {
  /** The ends of the partitions at moments whose messages are not all read. */
  private looks: { atMs: number; ends: ReadonlyMap<number, bigint> }[] = [];

  constructor(
    private readonly projection: Projection,
    private readonly dataSource: DataSource,
    private readonly transport: EventTransport,
    private readonly heartbeats?: HeartbeatStore,
  ) {}

  /** Messages that were in the stream at an earlier look, and are read by now, are applied. */
  async look(): Promise<{ isRecorded: boolean; isCaughtUp: boolean }> {
    const { subscription, stream } = this.projection;
    const atMs = performance.now();
    const positions = await this.transport.positions(subscription, stream);
    await this.heartbeats?.expectFrom(positions.map(({ partition }) => partition));
    const ends = new Map(positions.map(({ partition, end }) => [partition, end]));
    if (this.looks.length < LOOKS_LIMIT) this.looks.push({ atMs, ends });
    const reached = this.looks.findLastIndex((earlier) =>
      positions.every(({ partition, next }) => next >= (earlier.ends.get(partition) ?? 0n)),
    );
    const caughtUp = this.looks[reached];
    this.looks = this.looks.slice(reached + 1);

    const unread = positions.reduce((sum, { next, end }) => sum + (end > next ? end - next : 0n), 0n);
    const nowMs = performance.now();
    const ageMs = caughtUp ? nowMs - caughtUp.atMs : null;
    const values = [String(unread), ageMs, nowMs - atMs, subscription];
    const [, recorded] = await this.dataSource.query<[unknown, number]>(RECORD, values);
    return { isRecorded: recorded > 0, isCaughtUp: unread === 0n };
  }
}
