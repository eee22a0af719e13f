import type { Comparison } from './report';

/** The time that is compared, and how to behave meanwhile. */
export interface Stretch {
  since: Date;
  until: Date;
  /** The time is up: return what was compared. */
  isLate: () => boolean;
  /** Told how far it came, in a line. */
  report: (line: string) => void;
}

/** One look at what somebody else keeps. Reads only. */
export interface Compare {
  execute(stretch: Stretch): Promise<Comparison>;
}
