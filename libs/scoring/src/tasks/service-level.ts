import type { TaskCadence } from './task-summary';

export interface ServiceLevel {
  /** Share of runs that may fail. */
  readonly errorBudget: number;
  /** Runs the horizon risk looks ahead: about a day of hourly runs, a week of daily ones. */
  readonly horizonRuns: number;
}

const DAILY: ServiceLevel = { errorBudget: 0.01, horizonRuns: 7 };

const CONTINUOUS: ServiceLevel = { errorBudget: 0.001, horizonRuns: 12 };
const HOURLY: ServiceLevel = { errorBudget: 0.005, horizonRuns: 24 };
const WEEKLY: ServiceLevel = { errorBudget: 0.02, horizonRuns: 4 };
const AD_HOC: ServiceLevel = { errorBudget: 0.05, horizonRuns: 5 };

/** What is expected of a task by its cadence; an absent cadence behaves as daily. */
export function serviceLevel(cadence: TaskCadence | undefined): ServiceLevel {
  switch (cadence) {
    case 'continuous':
      return CONTINUOUS;
    case 'hourly':
      return HOURLY;
    case 'weekly':
      return WEEKLY;
    case 'ad_hoc':
      return AD_HOC;
    default:
      return DAILY;
  }
}
