import { Inject, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { AppRegistry, timings } from '../observability';
import { BackgroundLoop, type Job, type JobRun } from './background-loop';

/** Longer than a statement of the database may take. */
const DRAIN_MS = 10_000;

export interface WorkerJob extends Omit<Job, 'onRun'> {
  /** Milliseconds before the first run; by default it begins at once. */
  firstAfterMs?: number;
  /** The message of the log for a run that failed; by default that it did. */
  failure?: string;
}

/**
 * A provider that works beside the requests while the application runs. Each job runs in its own time: it neither
 * waits for another nor fails with it. Every run is a figure of the metrics; the log has the first of several failures that are
 * the same.
 */
export abstract class BackgroundWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected abstract readonly jobs: readonly WorkerJob[];
  @Inject(AppRegistry) private readonly registry!: AppRegistry;
  private readonly jobLog = new Logger('background');
  private readonly lastFailures = new Map<string, string>();
  private loops: BackgroundLoop[] = [];

  onApplicationBootstrap(): void {
    this.loops = this.jobs.map(({ firstAfterMs = 0, failure = 'a background job failed', ...job }) => {
      const loop = new BackgroundLoop({ ...job, onRun: (run) => this.report(run, failure) });
      loop.start(firstAfterMs);
      return loop;
    });
  }

  /** Before the shutdown itself, which takes the database away. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop(DRAIN_MS)));
  }

  private report({ job, seconds, failures, error }: JobRun, message: string): void {
    const outcome = failures > 0 ? 'failed' : 'done';
    timings('worker_duty_seconds', this.registry).observe({ duty: job, outcome }, seconds);
    const failure = error instanceof Error ? error.message : String(error);
    if (failures === 1 || (failures > 1 && this.lastFailures.get(job) !== failure)) {
      this.lastFailures.set(job, failure);
      this.jobLog.warn({ message, duty: job, seconds, error });
    }
  }
}
