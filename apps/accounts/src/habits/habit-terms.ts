import { ValidationFailed } from '@evenkeel/platform/validation';
import { localDayOf, type DayRule } from './local-day';
import type { StoredHabit } from './habit.entity';

export type Schedule = Pick<StoredHabit, 'cadence' | 'targetPerWeek' | 'targetDaysMask'>;
export type Start = Pick<StoredHabit, 'startDate' | 'startDay' | 'startGiven'>;

const EVERY_DAY = 0b1111111;

/**
 * The schedule of a new habit. A mask makes it, with as many sessions a week as it has days, unless a target is given too,
 * which is then only shown. Without one the target does; without both it is every day, or once a week for WEEKLY.
 */
export function scheduleOf({ cadence = 'DAILY', targetPerWeek, targetDaysMask }: Partial<Schedule>): Schedule {
  const usual = cadence === 'WEEKLY' ? 1 : 7;
  const target = targetPerWeek ?? (targetDaysMask ? daysIn(targetDaysMask) : usual);
  return { cadence, targetPerWeek: target, targetDaysMask: targetDaysMask ?? (target === 7 ? EVERY_DAY : 0) };
}

/**
 * The schedule after a change: what is given makes a new one, as at creation. Taking the fixed days away alone leaves the
 * number of sessions as it was.
 */
export function changedSchedule(stored: Schedule, given: Partial<Schedule>): Schedule {
  const { cadence = stored.cadence, targetDaysMask } = given;
  if (cadence === stored.cadence && given.targetPerWeek === undefined && targetDaysMask === undefined) {
    return { cadence, targetPerWeek: stored.targetPerWeek, targetDaysMask: stored.targetDaysMask };
  }
  const kept = targetDaysMask === 0 ? stored.targetPerWeek : undefined;
  return scheduleOf({ cadence, targetPerWeek: given.targetPerWeek ?? kept, targetDaysMask });
}

function daysIn(mask: number): number {
  let days = 0;
  for (let rest = mask; rest > 0; rest >>= 1) days += rest & 1;
  return days;
}

const EARLIEST_START = Date.UTC(2000, 0, 1);
const END_OF_STARTS = Date.UTC(2100, 0, 1);

/**
 * Where the history of a habit begins: on the local day of a start that the person gave, else at its first log, at the
 * latest when it was created.
 * @throws ValidationFailed
 */
export function startOf(given: string | null | undefined, createdAt: Date, rule: DayRule): Start {
  const text = given ?? createdAt.toISOString();
  const startDate = new Date(text);
  const ms = startDate.getTime();
  if (ms < EARLIEST_START || ms >= END_OF_STARTS) throw startOutOfRange();
  return { startDate, startDay: localDayOf(text, rule), startGiven: typeof given === 'string' };
}

function startOutOfRange(): ValidationFailed {
  return new ValidationFailed([{ path: '/startDate', code: 'out_of_range', message: 'must be from 2000 to 2099' }]);
}
