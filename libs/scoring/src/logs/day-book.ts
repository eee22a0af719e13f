import { STATUS_CODES } from './habit-history';
import { earnedBy, type OrderedLogs } from './read-logs';
import type { Schedule } from './schedule';

export const NOTHING = 0;
export const SKIPPED = 1;
const WORKED = 2;

/** What the logs say of each day, from the start of a habit to the evaluation day. */
export interface DayBook {
  readonly start: number;
  readonly today: number;
  /** 0 to 1 a day, or to `ceil(target / 7)` for targets above 7 a week. */
  readonly completion: Float64Array;
  /** NOTHING, SKIPPED (no other log that day) or WORKED (COMPLETED or PARTIAL, whatever the completion). */
  readonly entry: Uint8Array;
}

/** Days before the start are not scheduled, so work on them earns nothing; logs after `today` are not read. */
export function dayBook(logs: OrderedLogs, { target }: Schedule, start: number, today: number): DayBook {
  const length = Math.max(0, today - start + 1);
  const completion = new Float64Array(length);
  const entry = new Uint8Array(length);
  const several = target > 7;
  const most = Math.ceil(target / 7);
  for (let log = 0; log < logs.days.length; log++) {
    const at = logs.days[log]! - start;
    if (at < 0 || at >= length) continue;
    if (logs.statuses[log] === STATUS_CODES.SKIPPED) {
      if (entry[at] === NOTHING) entry[at] = SKIPPED;
      continue;
    }
    entry[at] = WORKED;
    const earned = earnedBy(logs, log);
    completion[at] = Math.min(most, several ? completion[at]! + earned : Math.max(completion[at]!, earned));
  }
  return { start, today, completion, entry };
}
