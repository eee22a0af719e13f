/** The one source of the present time; tests set it by hand. Abstract class, so that it is its own injection token. */
export abstract class Clock {
  abstract now(): Date;
  /** Milliseconds since a moment in the past. It never goes back, whatever is done to the time of day: for durations. */
  abstract elapsedMs(): number;
}

export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }

  override elapsedMs(): number {
    return performance.now();
  }
}

/** A clock for tests: its time changes only by `advanceMs` and `set`. */
export class ManualClock extends Clock {
  private elapsed = 0;

  constructor(private instant: Date) {
    super();
  }

  override now(): Date {
    return new Date(this.instant);
  }

  override elapsedMs(): number {
    return this.elapsed;
  }

  advanceMs(durationMs: number): void {
    this.elapsed += durationMs;
    this.set(new Date(this.instant.getTime() + durationMs));
  }

  /** Sets the time of day, as an administrator of the machine may; no time passes. */
  set(instant: Date): void {
    this.instant = instant;
  }
}
