import { ROUNDING_ERROR } from '../numbers';
import { firstDayOfWeek, type WeekStart } from './civil-days';
import { type DayBook, NOTHING, SKIPPED } from './day-book';
import { isDue, type Schedule } from './schedule';

/** A day is kept from half of its completion on. */
const KEPT_COMPLETION = 0.5;
const BUDGET_DAYS = 90;

export function isKept(completion: number): boolean {
  return completion >= KEPT_COMPLETION - ROUNDING_ERROR;
}

/** One time a habit was due: a scheduled day, or a week. */
export interface Occasion {
  /** Day number; a week has the number of its last day. */
  readonly day: number;
  /** Completion as a share of what was due, 0 to 1. */
  readonly share: number;
  /** `pending` and `excused` are neither kept nor missed. */
  readonly verdict: 'kept' | 'missed' | 'pending' | 'excused';
}

/** Until skips are decided `verdict` is what it is unless excused. */
interface DueOccasion extends Occasion {
  verdict: Occasion['verdict'];
  /** Skipped by its owner: excused while the budget of skips allows. */
  readonly skipped: boolean;
}

/** All occasions from the start to the evaluation day, in date order. */
export function occasionsOf(book: DayBook, schedule: Schedule, weekStart: WeekStart): readonly Occasion[] {
  return decideSkips(schedule.unit === 'day' ? dueDays(book, schedule) : dueWeeks(book, schedule.target, weekStart));
}

function dueDays({ start, today, completion, entry }: DayBook, schedule: Schedule): DueOccasion[] {
  const days: DueOccasion[] = [];
  for (let day = start; day <= today; day++) {
    if (!isDue(schedule, day)) continue;
    const share = completion[day - start]!;
    const pending = day === today && entry[day - start] === NOTHING;
    const verdict = pending ? 'pending' : isKept(share) ? 'kept' : 'missed';
    days.push({ day, share, verdict, skipped: entry[day - start] === SKIPPED });
  }
  return days;
}

function dueWeeks(book: DayBook, target: number, weekStart: WeekStart): DueOccasion[] {
  const weeks: DueOccasion[] = [];
  for (let first = firstDayOfWeek(book.start, weekStart); first <= book.today; first += 7) {
    const week = dueWeek(book, target, first);
    // A first, partial week counts only when met; skipped, it is always excused, since nothing was excused before it.
    const partial = first < book.start;
    if (!partial || week.verdict === 'kept' || week.skipped) weeks.push(week);
  }
  return weeks;
}

function dueWeek({ start, today, completion, entry }: DayBook, target: number, first: number): DueOccasion {
  const last = first + 6;
  let earned = 0;
  let skippedDay = false;
  for (let day = Math.max(first, start); day <= Math.min(last, today); day++) {
    earned += completion[day - start]!;
    if (entry[day - start] === SKIPPED) skippedDay = true;
  }
  const met = earned >= target - ROUNDING_ERROR;
  const verdict = met ? 'kept' : last >= today ? 'pending' : 'missed';
  return { day: last, share: Math.min(1, earned / target), verdict, skipped: skippedDay && !met };
}

/** @returns skips that may be excused among that many occasions: a quarter, at least one */
function allowance(occasions: number): number {
  return Math.max(1, Math.floor(occasions / 4));
}

/**
 * Excuses skips in date order, each from its own 90 days alone, so that a decision holds for ever: neither the
 * evaluation day nor the displayed window changes it.
 * @param occasions in date order
 */
function decideSkips(occasions: readonly DueOccasion[]): readonly Occasion[] {
  let oldest = 0;
  let excused = 0;
  for (let i = 0; i < occasions.length; i++) {
    const occasion = occasions[i]!;
    if (!occasion.skipped) continue;
    for (; occasions[oldest]!.day <= occasion.day - BUDGET_DAYS; oldest++) {
      if (occasions[oldest]!.verdict === 'excused') excused--;
    }
    if (excused >= allowance(i - oldest + 1)) continue;
    excused++;
    // In place: a second object for each day of years would take longer than all the rest.
    occasion.verdict = 'excused';
  }
  return occasions;
}

/**
 * What is left of the budget for skips.
 * @param occasions decided, in date order, up to and including the running one
 * @param lastDay the evaluation day; for weeks the last day of its week
 * @returns occasions, 0 or more
 */
export function skipBudgetRemaining(occasions: readonly Occasion[], lastDay: number): number {
  let due = 0;
  let excused = 0;
  for (const { day, verdict } of occasions) {
    if (day <= lastDay - BUDGET_DAYS) continue;
    due++;
    if (verdict === 'excused') excused++;
  }
  return Math.max(0, allowance(due) - excused);
}

export interface Completion {
  /** Mean completion of the occasions, 0 to 1, full precision; 0 without occasions. */
  readonly rate: number;
  /** Kept and missed ones. */
  readonly occasions: number;
  readonly excused: number;
}

/**
 * How much of what was due was done.
 * @param afterDay occasions on later days count ...
 * @param untilDay ... up to this one; a week has the number of its last day, so the running week lies after the evaluation day
 */
export function completionOf(occasions: readonly Occasion[], afterDay: number, untilDay = Infinity): Completion {
  let completion = 0;
  let counted = 0;
  let excused = 0;
  for (const { day, share, verdict } of occasions) {
    if (day <= afterDay || day > untilDay) continue;
    if (verdict === 'excused') excused++;
    if (!isCounted(verdict)) continue;
    completion += share;
    counted++;
  }
  return { rate: counted === 0 ? 0 : completion / counted, occasions: counted, excused };
}

/** Whether something is known of the occasion: only kept and missed ones are evidence. */
export function isCounted(verdict: Occasion['verdict']): boolean {
  return verdict === 'kept' || verdict === 'missed';
}

export interface Streaks {
  readonly current: number;
  readonly best: number;
  /** First and last occasion of the best run, the earliest one on ties; absent without any. */
  readonly bestRun?: { readonly first: number; readonly last: number };
}

/** Runs of kept occasions over the whole history, in days or weeks; pending and excused ones neither add nor break. */
export function streaksOf(occasions: readonly Occasion[]): Streaks {
  let current = 0;
  let best = 0;
  let [runStart, first, last] = [0, 0, 0];
  for (const { day, verdict } of occasions) {
    if (verdict === 'missed') current = 0;
    if (verdict !== 'kept') continue;
    if (current === 0) runStart = day;
    current++;
    if (current <= best) continue;
    best = current;
    first = runStart;
    last = day;
  }
  return { current, best, ...(best > 0 && { bestRun: { first, last } }) };
}

/**
 * Marks the scheduled days that are neither pending nor excused, one byte per day of the book: what risk, strength and
 * correlations look at. Of a week-type habit every day is scheduled; an excused week leaves with all its days, a
 * running or missed one stays, or a completed session could raise the risk.
 */
export function countedDays(
  { start, today, entry }: DayBook,
  schedule: Schedule,
  occasions: readonly Occasion[],
): Uint8Array {
  const counted = new Uint8Array(entry.length);
  if (schedule.unit === 'day') {
    for (const { day, verdict } of occasions) if (isCounted(verdict)) counted[day - start] = 1;
    return counted;
  }
  counted.fill(1);
  if (entry[today - start] === NOTHING) counted[today - start] = 0;
  for (const { day, verdict } of occasions) {
    if (verdict === 'excused') counted.fill(0, Math.max(0, day - 6 - start), day + 1 - start);
  }
  return counted;
}

/** @returns completion of the counted days alone, in date order */
export function countedCompletion(completion: Float64Array, counted: Uint8Array): Float64Array {
  // A plain loop: a callback for each day takes five times as long.
  const days = new Float64Array(completion.length);
  let length = 0;
  for (let day = 0; day < completion.length; day++) if (counted[day] === 1) days[length++] = completion[day]!;
  return days.subarray(0, length);
}
