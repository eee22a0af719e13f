import type { HistoryFacts } from '../habits/scored-habit';
import { civilDate, weekdayOf } from './civil-days';
import { NOTHING } from './day-book';
import type { HabitRecord } from './habit-record';
import { isDue } from './schedule';
import type { WeekdayFinding } from './weekdays';

/** What actions and texts need to know of a history, beside its scores. */
export function historyFacts(record: HabitRecord, worstWeekday: WeekdayFinding | null): HistoryFacts {
  const { schedule, startsOn, book, completion, evidence } = record;
  const isWeekly = schedule.unit === 'week';
  return {
    streakUnit: schedule.unit,
    target: schedule.target,
    occasions: completion.occasions,
    keptOccasions: completion.kept,
    worstWeekday: isWeekly ? null : worstWeekday,
    startsOn: startsOn === null ? null : civilDate(startsOn),
    isUnderway: isWeekly && !evidence && book.completion.some((earned) => earned > 0),
    nextDue: nextDueOf(record),
  };
}

function nextDueOf({ schedule, book: { start, today, entry }, occasions }: HabitRecord): HistoryFacts['nextDue'] {
  if (schedule.unit === 'week' && occasions.hasMetWeekOf(today)) return 'next week';
  if (isDue(schedule, today) && entry[today - start] === NOTHING) return 'today';
  let day = today + 1;
  while (!isDue(schedule, day)) day++;
  return day === today + 1 ? 'tomorrow' : weekdayOf(day) + 1;
}
