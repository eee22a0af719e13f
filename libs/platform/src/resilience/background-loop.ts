import { setTimeout as sleep } from 'node:timers/promises';

/** One run of a background job, when it has ended. */
export interface JobRun {
  job: string;
  seconds: number;
  /** How many runs have failed one after the other, this one included; 0 after one that is done. */
  failures: number;
  /** Of a run that failed. */
  error?: unknown;
}

/** Work that is done again and again beside the requests. */
export interface Job {
  name: string;
  /** Milliseconds of pause after a run that leaves nothing to do, and after one that failed. */
  everyMs: number;
  /** Milliseconds a run may last: after that `isLate` is true, and the run leaves the rest to the next one. */
  withinMs: number;
  /**
   * @param isLate to be called before each further step
   * @returns whether there is more to do, which is then begun at once
   */
  run(isLate: () => boolean): Promise<boolean>;
  /** Called after every run; must not throw. */
  onRun: (run: JobRun) => void;
}

/** Runs one background job while the process runs, one run at a time. A run that fails ends nothing but itself. */
export class BackgroundLoop {
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private failures = 0;

  constructor(private readonly job: Job) {}

  /** @param afterMs before the first run */
  start(afterMs = 0): void {
    this.timer = setTimeout(() => {
      this.running = this.runOnce().then((more) => {
        if (!this.stopped) this.start(more ? 0 : this.job.everyMs);
      });
    }, afterMs);
    this.timer.unref();
  }

  /** Begins nothing more; the run under way is late from now on. Resolves when it has ended, or after `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await Promise.race([this.running, sleep(withinMs, undefined, { ref: false })]);
  }

  /** @returns whether there is more to do */
  private async runOnce(): Promise<boolean> {
    const { name: job, withinMs } = this.job;
    const begun = performance.now();
    let more = false;
    let error: unknown;
    try {
      more = await this.job.run(() => this.stopped || performance.now() - begun >= withinMs);
      this.failures = 0;
    } catch (cause) {
      error = cause;
      this.failures++;
    }
    this.job.onRun({ job, seconds: (performance.now() - begun) / 1_000, failures: this.failures, error });
    return more;
  }
}
