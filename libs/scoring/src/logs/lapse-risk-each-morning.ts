import { round4 } from '../numbers/round4';
import { dayNumber } from './civil-days';
import { isCounted } from './completion';
import { countedDays } from './counted-days';
import { dayBook, NOTHING, SKIPPED, type DayBook } from './day-book';
import type { HabitHistory } from './habit-history';
import { lapseRiskFromDays } from './lapse-risk';
import { occasionsOf } from './occasions';
import { readLogs } from './read-log';
import { dueShare, scheduleOf, type Schedule } from './schedule';
import { firstDayOfWeek, type WeekStart } from './week';

/**
 * The lapse risk on every morning from the start of a habit to a last day: that of `analyzeLogs` with the logs of the
 * days before and the morning's own day open. Reads the logs once, so that a history of years can be walked day by day.
 * @param until last morning, local date; logs on and after it change nothing
 * @returns one number per day with four decimals, from `startDate` on; null while nothing was kept or missed
 */
export function lapseRiskEachMorning(
  habit: HabitHistory & { readonly startDate: string },
  until: string,
  weekStart: WeekStart = 'MONDAY',
): (number | null)[] {
  const schedule = scheduleOf(habit);
  const start = dayNumber(habit.startDate);
  const last = dayNumber(until);
  const book = dayBook(readLogs(habit), schedule, start, last);
  // What ended is judged for good, so once: from the last day.
  const ended = countedDays(book, schedule, occasionsOf(book, schedule, weekStart));
  const counted = ended.slice();
  const risks: (number | null)[] = [];
  let evidence = false;
  for (let morning = start; morning <= last; morning++) {
    const length = morning - start;
    const running = schedule.unit === 'day' ? length : Math.max(0, firstDayOfWeek(morning, weekStart) - start);
    if (running === length) counted.set(ended.subarray(0, length));
    counted.fill(1, running, length);
    if (!evidence || book.entry.subarray(running, length).includes(SKIPPED)) {
      const seen = asOfMorning(book, morning);
      const occasions = occasionsOf(seen, schedule, weekStart);
      evidence ||= occasions.some(({ verdict }) => isCounted(verdict));
      counted.set(countedDays(seen, schedule, occasions).subarray(0, length));
    }
    risks.push(evidence ? riskOf(book, counted.subarray(0, length), schedule) : null);
  }
  return risks;
}

/** The days before, and the open one. */
function asOfMorning({ start, credit, entry }: DayBook, morning: number): DayBook {
  const length = morning - start + 1;
  const seen = { start, today: morning, credit: credit.slice(0, length), entry: entry.slice(0, length) };
  seen.credit[length - 1] = 0;
  seen.entry[length - 1] = NOTHING;
  return seen;
}

function riskOf({ credit }: DayBook, counted: Uint8Array, schedule: Schedule): number {
  return round4(lapseRiskFromDays(credit.subarray(0, counted.length), counted, dueShare(schedule)).risk);
}
