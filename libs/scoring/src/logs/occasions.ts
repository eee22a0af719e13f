import { ROUNDING_ERROR } from '../numbers';
import { firstDayOfWeek, type WeekStart } from './civil-days';
import { type DayBook, isDue, type Schedule } from './day-book';

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

/** Its owner skipped it: excused while the budget of skips allows. Until that is decided the verdict is the one without. */
type Undecided = Occasion & { readonly skipped: boolean };

/** All occasions from the start to the evaluation day, in date order. */
export function occasionsOf(book: DayBook, schedule: Schedule, weekStart: WeekStart): Occasion[] {
  return decideSkips(schedule.unit === 'day' ? dueDays(book, schedule) : dueWeeks(book, schedule.target, weekStart));
}

function dueDays({ start, today, completion, entry }: DayBook, schedule: Schedule): Undecided[] {
  const days: Undecided[] = [];
  for (let day = start; day <= today; day++) {
    if (!isDue(schedule, day)) continue;
    const share = completion[day - start]!;
    const logged = entry[day - start]!;
    const pending = day === today && logged === 'nothing';
    days.push({
      day,
      share,
      verdict: pending ? 'pending' : isKept(share) ? 'kept' : 'missed',
      skipped: logged === 'skipped',
    });
  }
  return days;
}

function dueWeeks({ start, today, completion, entry }: DayBook, target: number, weekStart: WeekStart): Undecided[] {
  const weeks: Undecided[] = [];
  for (let first = firstDayOfWeek(start, weekStart); first <= today; first += 7) {
    const last = first + 6;
    let earned = 0;
    let skippedDay = false;
    for (let day = Math.max(first, start); day <= Math.min(last, today); day++) {
      earned += completion[day - start]!;
      if (entry[day - start] === 'skipped') skippedDay = true;
    }
    const met = earned >= target - ROUNDING_ERROR;
    const skipped = skippedDay && !met;
    // A first, partial week counts only when met; skipped, it is always excused, since nothing was excused before it.
    if (first < start && !met && !skipped) continue;
    const verdict = met ? 'kept' : last >= today ? 'pending' : 'missed';
    weeks.push({ day: last, share: Math.min(1, earned / target), verdict, skipped });
  }
  return weeks;
}

/** @returns skips that may be excused among that many occasions: a quarter, at least one */
function allowance(occasions: number): number {
  return Math.max(1, Math.floor(occasions / 4));
}

/**
 * Excuses skips in date order, each from its own 90 days alone, so that a decision holds for ever: neither the
 * evaluation day nor the displayed window changes it.
 */
function decideSkips(undecided: readonly Undecided[]): Occasion[] {
  const occasions: Occasion[] = [];
  let oldest = 0;
  let excused = 0;
  for (const { day, share, verdict, skipped } of undecided) {
    for (; oldest < occasions.length && occasions[oldest]!.day <= day - BUDGET_DAYS; oldest++) {
      if (occasions[oldest]!.verdict === 'excused') excused--;
    }
    const isExcused = skipped && excused < allowance(occasions.length - oldest + 1);
    if (isExcused) excused++;
    occasions.push({ day, share, verdict: isExcused ? 'excused' : verdict });
  }
  return occasions;
}

/**
 * The skips that are left of the budget.
 * @param occasions up to and including the running one
 * @param lastDay the evaluation day; for weeks the last day of its week
 * @returns occasions, 0 or more
 */
export function skipBudgetRemaining(occasions: readonly Occasion[], lastDay: number): number {
  const due = occasions.filter(({ day }) => day > lastDay - BUDGET_DAYS);
  return Math.max(0, allowance(due.length) - due.filter(({ verdict }) => verdict === 'excused').length);
}

/** Whether anything was kept or missed. */
export function isEvidence({ verdict }: Occasion): boolean {
  return verdict === 'kept' || verdict === 'missed';
}

export interface Completion {
  /** Mean completion of the occasions, 0 to 1, full precision; 0 without occasions. */
  readonly rate: number;
  /** Kept and missed ones. */
  readonly occasions: number;
  readonly kept: number;
  readonly excused: number;
}

/**
 * How much of what was due was done.
 * @param afterDay occasions on later days count ...
 * @param untilDay ... up to this one; a week has the number of its last day, so the running week is after the evaluation day
 */
export function completionOf(occasions: readonly Occasion[], afterDay: number, untilDay = Infinity): Completion {
  let completion = 0;
  let counted = 0;
  let kept = 0;
  let excused = 0;
  for (const occasion of occasions) {
    if (occasion.day <= afterDay || occasion.day > untilDay) continue;
    if (occasion.verdict === 'excused') excused++;
    if (!isEvidence(occasion)) continue;
    completion += occasion.share;
    counted++;
    if (occasion.verdict === 'kept') kept++;
  }
  return { rate: counted === 0 ? 0 : completion / counted, occasions: counted, kept, excused };
}

/** A streak: its first and last occasion, and how many were kept. */
export interface Run {
  readonly first: number;
  readonly last: number;
  readonly length: number;
}

/** Runs of kept occasions over the whole history, in days or weeks; pending and excused ones neither add nor break. */
export function runsOf(occasions: readonly Occasion[]): { runs: Run[]; current: number; best: number } {
  const runs: Run[] = [];
  let current = 0;
  let best = 0;
  for (const { day, verdict } of occasions) {
    if (verdict === 'missed') current = 0;
    if (verdict !== 'kept') continue;
    const first = current === 0 ? day : runs.pop()!.first;
    runs.push({ first, last: day, length: ++current });
    best = Math.max(best, current);
  }
  return { runs, current, best };
}

/**
 * Marks with 1 the scheduled days that are neither pending nor excused: what risk, strength and correlations look at. Of a
 * week-type habit every day is scheduled; an excused week leaves with all its days, a running or missed one stays, or a
 * completed session could raise the risk.
 */
export function countedDays({ start, today, entry }: DayBook, schedule: Schedule, occasions: readonly Occasion[]) {
  const counted = new Array<number>(entry.length).fill(schedule.unit === 'day' ? 0 : 1);
  if (schedule.unit === 'day') {
    for (const occasion of occasions) if (isEvidence(occasion)) counted[occasion.day - start] = 1;
    return counted;
  }
  if (entry[today - start] === 'nothing') counted[today - start] = 0;
  for (const { day, verdict } of occasions) {
    const end = day + 1 - start;
    if (verdict === 'excused') counted.fill(0, Math.max(0, end - 7), end);
  }
  return counted;
}
