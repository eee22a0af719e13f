/** The one source of the present time; tests set it by hand. Abstract class, so that it is its own injection token. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }
}

/** Stands still until it is moved. */
export class ManualClock extends Clock {
  constructor(private instant: Date) {
    super();
  }

  override now(): Date {
    return new Date(this.instant);
  }

  advanceMs(durationMs: number): void {
    this.instant = new Date(this.instant.getTime() + durationMs);
  }
}
