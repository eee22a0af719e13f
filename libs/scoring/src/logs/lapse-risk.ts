import { clamp } from '../numbers';
import { firstDayOfWeek, type WeekStart } from './civil-days';
import type { DayBook } from './day-book';
import { countedCompletion, EXCUSED, type Occasions } from './occasions';

/** 0.5^(1/3) and 0.5^(1/45): a memory of days and one of weeks, per calendar day. */
const SHORT_PER_DAY = 0.7937005259840998;
const LONG_PER_DAY = 0.9847147529344312;
/** 0.5^(7/45): the memory of weeks, per week. */
const LONG_PER_WEEK = 0.8977865850653692;
/**
 * 0.5^(min(7, T)/3) for targets of T = 1 to 6 a week, then for all above 7: the memory of days, per seven days. It is
 * three expected occasions long, as that of day-type habits is.
 */
const SHORT_PER_SEVEN: readonly number[] = [
  0.7937005259840998, 0.6299605249474366, 0.5, 0.3968502629920499, 0.3149802624737183, 0.25, 0.198425131496025,
];
const LONGEST_PAUSE_DAYS = 14;

export interface LapseRisk {
  /** Probability, 0.01 to 0.99, full precision. */
  readonly risk: number;
  /** Part of the risk that comes from missing completion. */
  readonly lowCompletion: number;
  /** Part that comes from the time since the last completion. */
  readonly daysSinceLast: number;
}

/**
 * Chance of a lapse of a day-type habit: two exponential memories of the daily completion, and the time since the last one.
 * @param completion per calendar day, oldest first, 0 to 1
 * @param counted 1 for each scheduled day that is neither pending nor excused; at least one
 */
export function lapseRiskFromDays(completion: Float64Array, counted: Uint8Array): LapseRisk {
  // Days after the last counted one would only scale both sums of a mean equally.
  const end = counted.lastIndexOf(1) + 1;
  let shortSum = 0;
  let shortWeight = 0;
  let longSum = 0;
  let longWeight = 0;
  let sinceLast = 0;
  for (let day = 0; day < end; day++) {
    shortSum *= SHORT_PER_DAY;
    shortWeight *= SHORT_PER_DAY;
    longSum *= LONG_PER_DAY;
    longWeight *= LONG_PER_DAY;
    if (counted[day] === 0) continue;
    const earned = completion[day]!;
    shortSum += earned;
    shortWeight += 1;
    longSum += earned;
    longWeight += 1;
    sinceLast = earned > 0 ? 0 : sinceLast + 1;
  }
  return lapseRisk(shortSum / shortWeight, longSum / longWeight, sinceLast);
}

/** What the risk of a week-type habit is read from. */
export interface WeekTypeHistory {
  readonly book: DayBook;
  /** 1 for each day that is neither pending nor in an excused week. */
  readonly counted: Uint8Array;
  /** Weeks; at least one kept or missed. */
  readonly occasions: Occasions;
  /** Sessions a week, 1 to 14, not 7. */
  readonly target: number;
  readonly weekStart: WeekStart;
}

/** Sums of a memory: what was earned, and what counts. */
interface Memory {
  readonly sum: number;
  readonly weight: number;
}

const BLANK: Memory = { sum: 0, weight: 0 };

/** What a walk along one history need not read again: memories of the part that no later day changes. */
export interface KeptMemories {
  /** Counted days that stay as they are. */
  settledDays: number;
  /** By the number of counted days that they end with. */
  readonly sevens: Memory[];
  /** Up to the first day of the next calendar week. */
  weeks?: Memory & { readonly next: number };
}

/**
 * Chance of a lapse of a week-type habit: the same two memories over sevens and calendar weeks. Each such stretch counts
 * with what it has earned and with what is surely lost, so that a target that is still open is no miss, and a habit kept
 * in the same way every week has the same memories on each weekday.
 * @param kept of the same history on an earlier day; takes what is settled now
 */
export function lapseRiskFromWeeks(history: WeekTypeHistory, kept?: KeptMemories): LapseRisk {
  const { book, counted, target } = history;
  const days = countedCompletion(book.completion, counted);
  const loggedToday = counted.at(-1) === 1;
  const withToday = memoryOfSevens(days, days.length, target, kept);
  // A day that is not over never lowers the memory.
  const short = loggedToday ? Math.max(withToday, memoryOfSevens(days, days.length - 1, target)) : withToday;
  const sinceLast = days.length - 1 - days.findLastIndex((completion) => completion > 0);
  return lapseRisk(short, memoryOfWeeks(history, kept), (sinceLast * Math.min(7, target)) / 7);
}

/**
 * The counted days in sevens from the latest back, across excused weeks; the oldest may be short.
 * @param length days that are read
 * @returns 0 to 1
 */
function memoryOfSevens(days: Float64Array, length: number, target: number, kept?: KeptMemories): number {
  const fade = SHORT_PER_SEVEN[Math.min(7, target) - 1]!;
  let end = length;
  while (end > 7 && !kept?.sevens[end - 7]) end -= 7;
  let { sum, weight } = kept?.sevens[end - 7] ?? BLANK;
  for (; end > 0 && end <= length; end += 7) {
    const first = Math.max(0, end - 7);
    let earned = 0;
    for (let day = first; day < end; day++) earned += days[day]!;
    sum = fade * sum + earned / target;
    weight = fade * weight + earnedShare(earned, target) + lostShare(earned, end - first, target);
    if (kept && end <= kept.settledDays) kept.sevens[end] = { sum, weight };
  }
  return weight === 0 ? 0 : Math.min(1, sum / weight);
}

/**
 * The calendar weeks from that of the start to the running one; an excused one neither counts nor fades the others.
 * @returns 0 to 1
 */
function memoryOfWeeks({ book, occasions, target, weekStart }: WeekTypeHistory, kept?: KeptMemories): number {
  const { start, today, completion } = book;
  let { sum, weight } = kept?.weeks ?? BLANK;
  let first = kept?.weeks?.next ?? firstDayOfWeek(start, weekStart);
  const excused = excusedSince(first, occasions);
  for (; first <= today; first += 7) {
    if (!excused.has(first + 6)) {
      const from = Math.max(first, start);
      const over = Math.min(first + 7, today);
      let earned = 0;
      for (let day = from; day < over; day++) earned += completion[day - start]!;
      const lost = lostShare(earned, over - from, target);
      // The evaluation day can still be used: it earns, and loses nothing.
      const share = earnedShare(today < first + 7 ? earned + completion[today - start]! : earned, target);
      sum = LONG_PER_WEEK * sum + share;
      weight = LONG_PER_WEEK * weight + share + lost;
    }
    if (kept && first + 7 <= today) kept.weeks = { sum, weight, next: first + 7 };
  }
  return sum / weight;
}

/** Last days of the excused weeks from a day on. */
function excusedSince(first: number, { length, days, verdicts }: Occasions): Set<number> {
  const excused = new Set<number>();
  for (let at = length - 1; at >= 0 && days[at]! >= first; at--) if (verdicts[at] === EXCUSED) excused.add(days[at]!);
  return excused;
}

/** What a stretch of up to seven days has earned of its target. */
function earnedShare(completion: number, target: number): number {
  return Math.min(1, completion / target);
}

/** What the rest of seven days could no longer bring, of which `days` are over with that completion. */
function lostShare(completion: number, days: number, target: number): number {
  return 1 - Math.min(1, (completion + Math.ceil(target / 7) * (7 - days)) / target);
}

function lapseRisk(short: number, long: number, sinceLast: number): LapseRisk {
  const missing = 1 - (0.4 * short + 0.6 * long);
  const pause = Math.min(LONGEST_PAUSE_DAYS, sinceLast);
  return {
    risk: clamp((0.5 + pause + 8 * missing) / (8.5 + pause), 0.01, 0.99),
    lowCompletion: (8 * missing) / (8.5 + pause),
    daysSinceLast: pause / (8.5 + pause),
  };
}
