import { clamp } from '../numbers/clamp';

/** 0.5^(1/3) and 0.5^(1/45): a memory of days and one of weeks, per calendar day. */
const SHORT_MEMORY = 0.7937005259840998;
const LONG_MEMORY = 0.9847147529344312;
const LONGEST_PAUSE_DAYS = 14;

export interface LapseRisk {
  /** Probability, 0.01 to 0.99, full precision. */
  readonly risk: number;
  /** Part of the risk that comes from missing credit. */
  readonly lowCompletion: number;
  /** Part that comes from the time since the last credit. */
  readonly daysSinceLast: number;
}

/**
 * Chance of a lapse from full logs: two exponential memories of the daily credit and the time since the last one.
 * @param credit per calendar day, oldest first
 * @param counted 1 for each scheduled day that is neither pending nor excused; at least one
 * @param dueShare share of the days that the target asks for: min(7, target) / 7 for week-type habits, else 1
 */
export function lapseRiskFromDays(credit: Float64Array, counted: Uint8Array, dueShare: number): LapseRisk {
  // Days after the last counted one would only scale both sums of a mean alike.
  const end = counted.lastIndexOf(1) + 1;
  let shortSum = 0;
  let shortWeight = 0;
  let longSum = 0;
  let longWeight = 0;
  let sinceLast = 0;
  for (let day = 0; day < end; day++) {
    shortSum *= SHORT_MEMORY;
    shortWeight *= SHORT_MEMORY;
    longSum *= LONG_MEMORY;
    longWeight *= LONG_MEMORY;
    if (counted[day] === 0) continue;
    const earned = credit[day]!;
    shortSum += earned;
    shortWeight += 1;
    longSum += earned;
    longWeight += 1;
    sinceLast = earned > 0 ? 0 : sinceLast + 1;
  }
  const short = Math.min(1, shortSum / shortWeight / dueShare);
  const long = Math.min(1, longSum / longWeight / dueShare);
  const missing = 1 - (0.4 * short + 0.6 * long);
  const pause = Math.min(LONGEST_PAUSE_DAYS, sinceLast * dueShare);
  return {
    risk: clamp((0.5 + pause + 8 * missing) / (8.5 + pause), 0.01, 0.99),
    lowCompletion: (8 * missing) / (8.5 + pause),
    daysSinceLast: pause / (8.5 + pause),
  };
}
