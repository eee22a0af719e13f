import type { Cadence, Frequency, Schedule } from '../habit-file';

const EVERY_DAY = 127;
const DAILY: Schedule = { cadence: 'DAILY', targetPerWeek: 7, targetDaysMask: EVERY_DAY };

export function isFrequency({ times, days }: Frequency): boolean {
  const isCount = (count: number) => Number.isInteger(count) && count >= 1 && count <= 1_000;
  return isCount(times) && isCount(days);
}

/** Every day, or as many times a week as a person who keeps the frequency reaches in every week; at least once. */
export function scheduleOf(frequency: Frequency): Schedule {
  const targetPerWeek = perWeek(frequency);
  return targetPerWeek === 7 ? DAILY : { cadence: 'WEEKLY', targetPerWeek, targetDaysMask: 0 };
}

/** @returns what is said where the schedule is not what the file has */
export function scheduleNote(name: string, frequency: Frequency): string | undefined {
  const { times, days } = frequency;
  if (days === 7 ? times <= 7 : times === days) return undefined;
  const due = `"${name}" is due ${times} in ${days} days: read as`;
  if (7 * times < days) return `${due} 1 a week, which is more often: its record looks worse here than it is.`;
  const often = perWeek(frequency);
  return `${due} ${often === 7 ? 'every day' : `${often} a week`}, rounded down to what is reached in every week.`;
}

function perWeek({ times, days }: Frequency): number {
  return Math.max(1, Math.min(7, Math.floor((7 * times) / days)));
}

/** The frequency that a file has, as long as the schedule is still the one that was made of it. */
export function frequencyOf(habit: Schedule & { readonly interval?: Frequency | null }): Frequency {
  return habit.interval && isMadeOf(habit, habit.interval) ? habit.interval : usualFrequency(habit);
}

/** @returns the frequency of a file as it is carried along; null where the schedule says the same */
export function intervalOf(schedule: Schedule, frequency: Frequency): Frequency | null {
  const { times, days } = usualFrequency(schedule);
  const isSaid = times === frequency.times && days === frequency.days;
  return !isSaid && isMadeOf(schedule, frequency) ? { times: frequency.times, days: frequency.days } : null;
}

function isMadeOf({ cadence, targetPerWeek, targetDaysMask }: Schedule, frequency: Frequency): boolean {
  const made = scheduleOf(frequency);
  return made.cadence === cadence && made.targetPerWeek === targetPerWeek && made.targetDaysMask === targetDaysMask;
}

/** Of a schedule that is stated in part: a mask makes it, else the target, else the cadence. */
export function completeSchedule(given: Partial<{ [Part in keyof Schedule]: Schedule[Part] | null }>): Schedule {
  const cadence: Cadence = given.cadence ?? 'DAILY';
  const mask = given.targetDaysMask ?? 0;
  if (mask !== 0) {
    return { cadence, targetPerWeek: given.targetPerWeek ?? weekdaysOf(mask), targetDaysMask: mask };
  }
  const targetPerWeek = given.targetPerWeek ?? (cadence === 'WEEKLY' ? 1 : 7);
  const isStated = typeof given.targetDaysMask === 'number' && typeof given.targetPerWeek === 'number';
  return { cadence, targetPerWeek, targetDaysMask: targetPerWeek === 7 && !isStated ? EVERY_DAY : 0 };
}

/** A schedule as times in days, for a file that knows nothing else. */
function usualFrequency({ targetPerWeek, targetDaysMask }: Schedule): Frequency {
  const times = targetDaysMask === 0 ? targetPerWeek : weekdaysOf(targetDaysMask);
  return times === 7 ? { times: 1, days: 1 } : { times, days: 7 };
}

function weekdaysOf(mask: number): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}
