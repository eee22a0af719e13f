import { calibratedTasks } from './calibrated-tasks';
import { knownHabits, randomHabits, shiftedHabits } from './known-habits';

/** A file of which it is known how it came about. */
export interface MadeFile {
  readonly csv: string;
  /** True chance of the event for each habit or task, on each of its forecasts where it differs between them. */
  readonly truth: ReadonlyMap<string, number | readonly number[]>;
}

/** Equal seeds make equal files. */
export const SAMPLES = {
  /** Tasks that fail exactly as often as the engine says. */
  calibrated: calibratedTasks,
  /** Habits of several kinds, each done on a day with a chance of its own. */
  habits: knownHabits,
  /** Habits that are mostly kept at first, and mostly not in the second half. */
  shift: shiftedHabits,
  /** Habits that are done by the toss of a coin: nothing can be known of them. */
  random: randomHabits,
} as const;

export type Sample = keyof typeof SAMPLES;

export function isSample(name: string): name is Sample {
  return Object.hasOwn(SAMPLES, name);
}
