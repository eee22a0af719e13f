import { clamp, round4 } from '../numbers';
import { dayNumber, firstDayOfWeek, type WeekStart } from './civil-days';
import { dayBook, type DayBook, type Schedule, scheduleOf } from './day-book';
import { type HabitHistory, readLogs } from './habit-history';
import { countedDays, isEvidence, type Occasion, occasionsOf } from './occasions';

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
export function lapseRiskFromDays(completion: ArrayLike<number>, counted: ArrayLike<number>): LapseRisk {
  // Days after the last counted one would only scale both sums of a mean equally.
  let end = counted.length;
  while (end > 0 && counted[end - 1] === 0) end--;
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

/** The input of the risk of a habit. */
interface RiskHistory {
  readonly book: DayBook;
  /** 1 for each scheduled day that is neither pending nor excused; of week-type habits, nor in an excused week. */
  readonly counted: readonly number[];
  /** At least one kept or missed. */
  readonly occasions: readonly Occasion[];
  readonly schedule: Schedule;
  readonly weekStart: WeekStart;
}

export function lapseRiskOf(history: RiskHistory): LapseRisk {
  const { book, counted, schedule } = history;
  return schedule.unit === 'day' ? lapseRiskFromDays(book.completion, counted) : lapseRiskFromWeeks(history);
}

/**
 * Chance of a lapse of a week-type habit: the same two memories over sevens and calendar weeks. Each such stretch counts
 * with what it has earned and with what is surely lost, so that a target that is still open is no miss, and a habit kept
 * in the same way every week has the same memories on each weekday.
 */
function lapseRiskFromWeeks(history: RiskHistory): LapseRisk {
  const { book, counted, schedule } = history;
  const days = countedCompletion(book, counted);
  const withToday = memoryOfSevens(days, days.length, schedule.target);
  const loggedToday = counted.at(-1) === 1;
  // A day that is not over never lowers the memory.
  const short = loggedToday ? Math.max(withToday, memoryOfSevens(days, days.length - 1, schedule.target)) : withToday;
  const sinceLast = days.length - 1 - days.findLastIndex((completion) => completion > 0);
  return lapseRisk(short, memoryOfWeeks(history), (sinceLast * Math.min(7, schedule.target)) / 7);
}

/**
 * The counted days in sevens from the latest back, across excused weeks; the oldest may be short.
 * @param length days that are read
 * @returns 0 to 1
 */
function memoryOfSevens(days: readonly number[], length: number, target: number): number {
  const fade = SHORT_PER_SEVEN[Math.min(7, target) - 1]!;
  let sum = 0;
  let weight = 0;
  for (let end = length % 7 || 7; end <= length; end += 7) {
    const first = Math.max(0, end - 7);
    let earned = 0;
    for (let day = first; day < end; day++) earned += days[day]!;
    sum = fade * sum + earned / target;
    weight = fade * weight + earnedShare(earned, target) + lostShare(earned, end - first, target);
  }
  return weight === 0 ? 0 : Math.min(1, sum / weight);
}

/**
 * The calendar weeks from that of the start to the running one; an excused one neither counts nor fades the others.
 * @returns 0 to 1
 */
function memoryOfWeeks({ book, occasions, schedule: { target }, weekStart }: RiskHistory): number {
  const { start, today, completion } = book;
  const excused = new Set(occasions.filter(({ verdict }) => verdict === 'excused').map(({ day }) => day));
  let sum = 0;
  let weight = 0;
  for (let first = firstDayOfWeek(start, weekStart); first <= today; first += 7) {
    if (excused.has(first + 6)) continue;
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
  return sum / weight;
}

/** The share of its target that a stretch of up to seven days has earned. */
function earnedShare(completion: number, target: number): number {
  return Math.min(1, completion / target);
}

/** The share that the rest of seven days can no longer bring, of which `days` are over with that completion. */
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

/** @returns completion of the counted days alone, in date order */
export function countedCompletion({ completion }: DayBook, counted: readonly number[]): number[] {
  return completion.filter((_, day) => counted[day] === 1);
}

/**
 * The lapse risk on every morning from the start of a habit to a last day: that of `analyzeLogs` with the logs of the
 * days before and the morning's own day open.
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
  const whole = dayBook(readLogs(habit, schedule), schedule, start, dayNumber(until));
  return whole.completion.map((_, length) => {
    const book: DayBook = {
      start,
      today: start + length,
      completion: [...whole.completion.slice(0, length), 0],
      entry: [...whole.entry.slice(0, length), 'nothing'],
    };
    const occasions = occasionsOf(book, schedule, weekStart);
    if (!occasions.some(isEvidence)) return null;
    const counted = countedDays(book, schedule, occasions);
    return round4(lapseRiskOf({ book, counted, occasions, schedule, weekStart }).risk);
  });
}

/** 0.5^(sqrt(T/7)/13) for T = 1 to 7 sessions a week. */
const KEPT_PER_DAY: readonly number[] = [
  0.980049015270599, 0.971902088356382, 0.9656966817138625, 0.9604960723328706, 0.9559374552530502, 0.951834775158834,
  0.9480775143391714,
];

/**
 * How settled a habit is: a slow exponential mean of the completion, of the last seven counted days for week-type habits. An
 * excused week is in none of them, as if it had not been scheduled. Display only: as a forecast it is weak.
 * @param days completion of each counted day, oldest first
 * @returns after each of these days, 0 to 1, full precision
 * @see Buyalskaya et al. 2023; Zhang et al. 2021
 */
export function strengthsOf(days: readonly number[], { unit, target }: Schedule): number[] {
  const kept = KEPT_PER_DAY[Math.min(7, target) - 1]!;
  let strength = 0;
  return days.map((completion, day) => {
    const done = unit === 'day' ? completion : Math.min(1, completionOfSeven(days, day) / target);
    strength = kept * strength + (1 - kept) * done;
    return strength;
  });
}

function completionOfSeven(days: readonly number[], last: number): number {
  let sum = 0;
  for (let day = Math.max(0, last - 6); day <= last; day++) sum += days[day]!;
  return sum;
}
