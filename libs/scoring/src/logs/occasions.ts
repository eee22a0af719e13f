import { ROUNDING_ERROR } from '../numbers/rounding-error';
import { NOTHING, SKIPPED, type DayBook } from './day-book';
import { decideSkips } from './skip-budget';
import { isDue, type Schedule } from './schedule';
import { firstDayOfWeek, type WeekStart } from './week';

/** Half a credit keeps a day. */
const KEPT_CREDIT = 0.5;

export function isKept(credit: number): boolean {
  return credit >= KEPT_CREDIT - ROUNDING_ERROR;
}

/** One time a habit was due: a scheduled day, or a week. */
export interface Occasion {
  /** Day number; a week stands at its last day. */
  readonly day: number;
  /** Credit as a share of what was due, 0 to 1. */
  readonly share: number;
  /** `pending` and `excused` are neither kept nor missed. */
  readonly verdict: 'kept' | 'missed' | 'pending' | 'excused';
}

/** An occasion before skips are decided: `verdict` is what it is unless excused. */
export interface UndecidedOccasion extends Occasion {
  readonly verdict: 'kept' | 'missed' | 'pending';
  /** Wants to be excused. */
  readonly skipped: boolean;
}

/** All occasions from the start to the evaluation day, in date order. */
export function occasionsOf(book: DayBook, schedule: Schedule, weekStart: WeekStart): Occasion[] {
  return decideSkips(schedule.unit === 'day' ? dueDays(book, schedule) : dueWeeks(book, schedule.target, weekStart));
}

function dueDays({ start, today, credit, entry }: DayBook, schedule: Schedule): UndecidedOccasion[] {
  const days: UndecidedOccasion[] = [];
  for (let day = start; day <= today; day++) {
    if (!isDue(schedule, day)) continue;
    const share = credit[day - start]!;
    const pending = day === today && entry[day - start] === NOTHING;
    const verdict = pending ? 'pending' : isKept(share) ? 'kept' : 'missed';
    days.push({ day, share, verdict, skipped: entry[day - start] === SKIPPED });
  }
  return days;
}

function dueWeeks(book: DayBook, target: number, weekStart: WeekStart): UndecidedOccasion[] {
  const weeks: UndecidedOccasion[] = [];
  for (let first = firstDayOfWeek(book.start, weekStart); first <= book.today; first += 7) {
    const week = dueWeek(book, target, first);
    // A first, partial week counts only when met; skipped, it is always excused, since nothing was excused before it.
    const partial = first < book.start;
    if (!partial || week.verdict === 'kept' || week.skipped) weeks.push(week);
  }
  return weeks;
}

function dueWeek({ start, today, credit, entry }: DayBook, target: number, first: number): UndecidedOccasion {
  const last = first + 6;
  let earned = 0;
  let skippedDay = false;
  for (let day = Math.max(first, start); day <= Math.min(last, today); day++) {
    earned += credit[day - start]!;
    if (entry[day - start] === SKIPPED) skippedDay = true;
  }
  const met = earned >= target - ROUNDING_ERROR;
  const verdict = met ? 'kept' : last >= today ? 'pending' : 'missed';
  return { day: last, share: Math.min(1, earned / target), verdict, skipped: skippedDay && !met };
}
