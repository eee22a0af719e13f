import type { Cadence, Frequency, Schedule } from '../habit-file';

const EVERY_DAY = 127;
const DAILY: Schedule = { cadence: 'DAILY', targetPerWeek: 7, targetDaysMask: EVERY_DAY };

export function isFrequency({ times, days }: Frequency): boolean {
  const isCount = (count: number) => Number.isInteger(count) && count >= 1 && count <= 1_000;
  return isCount(times) && isCount(days);
}

/** The nearest schedule: every day, or so many times a week. */
export function scheduleOf(frequency: Frequency): Schedule {
  const targetPerWeek = nearestPerWeek(frequency);
  return targetPerWeek === 7 ? DAILY : { cadence: 'WEEKLY', targetPerWeek, targetDaysMask: 0 };
}

/** @returns what is said where the schedule is not what the file has */
export function scheduleNote(name: string, { times, days }: Frequency): string | undefined {
  if (days === 7 ? times <= 7 : times === days) return undefined;
  const often = nearestPerWeek({ times, days });
  const read = often === 7 ? 'every day' : `${often} a week`;
  return `"${name}" is due ${times} in ${days} days: read as ${read}, the nearest weekly target.`;
}

function nearestPerWeek({ times, days }: Frequency): number {
  return Math.max(1, Math.min(7, Math.round((7 * times) / days)));
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

/** What a schedule is in a file that knows times in days alone. */
export function frequencyOf({ targetPerWeek, targetDaysMask }: Schedule): Frequency {
  const times = targetDaysMask === 0 ? targetPerWeek : weekdaysOf(targetDaysMask);
  return times === 7 ? { times: 1, days: 1 } : { times, days: 7 };
}

function weekdaysOf(mask: number): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}
