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

/** As `Occasions` has them: up to MISSED something is known, and only that is evidence. */
const KEPT = 0;
const MISSED = 1;
const PENDING = 2;
export const EXCUSED = 3;
const VERDICTS: readonly Occasion['verdict'][] = ['kept', 'missed', 'pending', 'excused'];

/**
 * The occasions of one history in date order, in parallel arrays whose first `length` places are used: an object for each day
 * of years would take longer than all the rest.
 */
export class Occasions implements Iterable<Occasion> {
  length = 0;
  /** As `Occasion` says, as are the two others. */
  readonly days: Int32Array;
  readonly shares: Float64Array;
  /** Places in `VERDICTS`. Until skips are decided a verdict is what it is unless excused. */
  readonly verdicts: Uint8Array;
  /** 1 where its owner skipped it: excused while the budget of skips allows. */
  readonly skipped: Uint8Array;

  /** @param places for so many, or the arrays of others */
  constructor(places: number | Occasions) {
    const others = typeof places === 'number' ? null : places;
    const most = typeof places === 'number' ? places : 0;
    this.days = others?.days ?? new Int32Array(most);
    this.shares = others?.shares ?? new Float64Array(most);
    this.verdicts = others?.verdicts ?? new Uint8Array(most);
    this.skipped = others?.skipped ?? new Uint8Array(most);
  }

  add(day: number, share: number, verdict: number, skipped: boolean): void {
    const at = this.length++;
    this.days[at] = day;
    this.shares[at] = share;
    this.verdicts[at] = verdict;
    if (skipped) this.skipped[at] = 1;
  }

  /** The first so many of them. */
  first(count: number): Occasions {
    const first = new Occasions(this);
    first.length = Math.min(count, this.length);
    return first;
  }

  /** Whether anything was kept or missed. */
  get evidence(): boolean {
    for (let at = 0; at < this.length; at++) if (this.verdicts[at]! <= MISSED) return true;
    return false;
  }

  /** Of weeks: whether the one that `day` is in, the latest, is met already. */
  hasMetWeekOf(day: number): boolean {
    return this.length > 0 && this.days[this.length - 1]! >= day && this.verdicts[this.length - 1] === KEPT;
  }

  *[Symbol.iterator](): Iterator<Occasion> {
    for (let at = 0; at < this.length; at++) {
      yield { day: this.days[at]!, share: this.shares[at]!, verdict: VERDICTS[this.verdicts[at]!]! };
    }
  }
}

/** All occasions from the start to the evaluation day. */
export function occasionsOf(book: DayBook, schedule: Schedule, weekStart: WeekStart): Occasions {
  const occasions = schedule.unit === 'day' ? dueDays(book, schedule) : dueWeeks(book, schedule.target, weekStart);
  decideSkips(occasions);
  return occasions;
}

function dueDays({ start, today, completion, entry }: DayBook, schedule: Schedule): Occasions {
  const days = new Occasions(completion.length);
  for (let day = start; day <= today; day++) {
    if (!isDue(schedule, day)) continue;
    const share = completion[day - start]!;
    const pending = day === today && entry[day - start] === NOTHING;
    days.add(day, share, pending ? PENDING : isKept(share) ? KEPT : MISSED, entry[day - start] === SKIPPED);
  }
  return days;
}

function dueWeeks(book: DayBook, target: number, weekStart: WeekStart): Occasions {
  const weeks = new Occasions(Math.ceil(book.completion.length / 7) + 1);
  for (let first = firstDayOfWeek(book.start, weekStart); first <= book.today; first += 7) {
    addWeek(weeks, book, target, first);
  }
  return weeks;
}

function addWeek(weeks: Occasions, { start, today, completion, entry }: DayBook, target: number, first: number): void {
  const last = first + 6;
  let earned = 0;
  let skippedDay = false;
  for (let day = Math.max(first, start); day <= Math.min(last, today); day++) {
    earned += completion[day - start]!;
    if (entry[day - start] === SKIPPED) skippedDay = true;
  }
  const met = earned >= target - ROUNDING_ERROR;
  const verdict = met ? KEPT : last >= today ? PENDING : MISSED;
  const skipped = skippedDay && !met;
  // A first, partial week counts only when met; skipped, it is always excused, since nothing was excused before it.
  const partial = first < start;
  if (!partial || met || skipped) weeks.add(last, Math.min(1, earned / target), verdict, skipped);
}

/** @returns skips that may be excused among that many occasions: a quarter, at least one */
function allowance(occasions: number): number {
  return Math.max(1, Math.floor(occasions / 4));
}

/**
 * Excuses skips in date order, each from its own 90 days alone, so that a decision holds for ever: neither the
 * evaluation day nor the displayed window changes it.
 */
function decideSkips({ length, days, verdicts, skipped }: Occasions): void {
  let oldest = 0;
  let excused = 0;
  for (let i = 0; i < length; i++) {
    if (skipped[i] === 0) continue;
    for (; days[oldest]! <= days[i]! - BUDGET_DAYS; oldest++) if (verdicts[oldest] === EXCUSED) excused--;
    if (excused >= allowance(i - oldest + 1)) continue;
    excused++;
    verdicts[i] = EXCUSED;
  }
}

/**
 * What is left of the budget for skips.
 * @param occasions up to and including the running one
 * @param lastDay the evaluation day; for weeks the last day of its week
 * @returns occasions, 0 or more
 */
export function skipBudgetRemaining({ length, days, verdicts }: Occasions, lastDay: number): number {
  let due = 0;
  let excused = 0;
  for (let at = length - 1; at >= 0 && days[at]! > lastDay - BUDGET_DAYS; at--) {
    due++;
    if (verdicts[at] === EXCUSED) excused++;
  }
  return Math.max(0, allowance(due) - excused);
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
 * @param untilDay ... up to this one; a week has the number of its last day, so the running week lies after the evaluation day
 */
export function completionOf(occasions: Occasions, afterDay: number, untilDay = Infinity): Completion {
  const { length, days, shares, verdicts } = occasions;
  let completion = 0;
  let counted = 0;
  let kept = 0;
  let excused = 0;
  // A window is the end of years; its terms are added in date order, as sums depend on it.
  let first = length;
  while (first > 0 && days[first - 1]! > afterDay) first--;
  for (let at = first; at < length && days[at]! <= untilDay; at++) {
    if (verdicts[at] === EXCUSED) excused++;
    if (verdicts[at]! > MISSED) continue;
    completion += shares[at]!;
    counted++;
    if (verdicts[at] === KEPT) kept++;
  }
  return { rate: counted === 0 ? 0 : completion / counted, occasions: counted, kept, excused };
}

export interface Streaks {
  readonly current: number;
  readonly best: number;
}

/** Runs of kept occasions over the whole history, in days or weeks; pending and excused ones neither add nor break. */
export function streaksOf({ length, verdicts }: Occasions): Streaks {
  let current = 0;
  let best = 0;
  for (let at = 0; at < length; at++) {
    if (verdicts[at] === MISSED) current = 0;
    if (verdicts[at] !== KEPT) continue;
    current++;
    if (current > best) best = current;
  }
  return { current, best };
}

/**
 * Marks the scheduled days that are neither pending nor excused, one byte per day of the book: what risk, strength and
 * correlations look at. Of a week-type habit every day is scheduled; an excused week leaves with all its days, a
 * running or missed one stays, or a completed session could raise the risk.
 */
export function countedDays(
  { start, today, entry }: DayBook,
  schedule: Schedule,
  { length, days, verdicts }: Occasions,
): Uint8Array {
  const counted = new Uint8Array(entry.length);
  if (schedule.unit === 'day') {
    for (let at = 0; at < length; at++) if (verdicts[at]! <= MISSED) counted[days[at]! - start] = 1;
    return counted;
  }
  counted.fill(1);
  if (entry[today - start] === NOTHING) counted[today - start] = 0;
  for (let at = 0; at < length; at++) {
    const end = days[at]! + 1 - start;
    if (verdicts[at] === EXCUSED) counted.fill(0, Math.max(0, end - 7), end);
  }
  return counted;
}

/** Used again for each history: memory outside of its heap makes V8 collect all of it more often. */
let scratch = new Float64Array(0);

/** @returns completion of the counted days alone, in date order; overwritten by the next call */
export function countedCompletion(completion: Float64Array, counted: Uint8Array): Float64Array {
  if (scratch.length < completion.length) scratch = new Float64Array(2 * completion.length);
  // A plain loop: a callback for each day takes five times as long.
  let length = 0;
  for (let day = 0; day < completion.length; day++) if (counted[day] === 1) scratch[length++] = completion[day]!;
  return scratch.subarray(0, length);
}
