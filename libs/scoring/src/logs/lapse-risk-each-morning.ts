import { round4 } from '../numbers';
import { dayNumber, firstDayOfWeek, type WeekStart } from './civil-days';
import { dayBook, NOTHING, SKIPPED, type DayBook } from './day-book';
import type { AnyHistory } from './habit-history';
import { lapseRiskFromDays, lapseRiskFromWeeks, type KeptMemories } from './lapse-risk';
import { countedDays, occasionsOf, type Occasions } from './occasions';
import { readLogs } from './read-logs';
import { scheduleOf, type Schedule } from './schedule';

/**
 * The lapse risk on every morning from the start of a habit to a last day: that of `analyzeLogs` with the logs of the
 * days before and the morning's own day open. Reads the logs once, so that a history of years can be walked day by day.
 * @param until last morning, local date; logs on and after it change nothing
 * @returns one number per day with four decimals, from `startDate` on; null while nothing was kept or missed
 */
export function lapseRiskEachMorning(
  habit: AnyHistory & { readonly startDate: string },
  until: string,
  weekStart: WeekStart = 'MONDAY',
): (number | null)[] {
  const schedule = scheduleOf(habit);
  const start = dayNumber(habit.startDate);
  const last = dayNumber(until);
  const book = dayBook(readLogs(habit), schedule, start, last);
  // What ended is decided for good, so it is read once: from the last day.
  const decided = occasionsOf(book, schedule, weekStart);
  const ended = countedDays(book, schedule, decided);
  let over = 0;
  const [completion, entry, counted] = [
    book.completion.map(() => 0),
    book.entry.map(() => NOTHING),
    ended.map(() => 0),
  ];
  const risks: (number | null)[] = [];
  let evidence = false;
  const kept: KeptMemories = { settledDays: 0, sevens: [] };
  let settledTo = 0;
  for (let morning = start; morning <= last; morning++) {
    const length = morning - start;
    const seen = {
      start,
      today: morning,
      completion: completion.subarray(0, length + 1),
      entry: entry.subarray(0, length + 1),
    };
    const running = schedule.unit === 'day' ? length : Math.max(0, firstDayOfWeek(morning, weekStart) - start);
    if (running === length) counted.set(ended.subarray(0, length));
    for (; settledTo < running; settledTo++) kept.settledDays += ended[settledTo]!;
    counted.fill(1, running, length);
    while (over < decided.length && decided.days[over]! < morning) over++;
    let occasions = decided.first(0);
    if (!evidence || entry.subarray(running, length).includes(SKIPPED)) {
      occasions = occasionsOf(seen, schedule, weekStart);
      evidence ||= occasions.evidence;
      counted.set(countedDays(seen, schedule, occasions));
    } else if (schedule.unit === 'week') occasions = decided.first(over);
    risks.push(evidence ? riskOf(seen, counted.subarray(0, length + 1), occasions, schedule, weekStart, kept) : null);
    // Only now that the morning is over its day is seen.
    completion[length] = book.completion[length]!;
    entry[length] = book.entry[length]!;
  }
  return risks;
}

function riskOf(
  book: DayBook,
  counted: Uint8Array,
  occasions: Occasions,
  { unit, target }: Schedule,
  weekStart: WeekStart,
  kept: KeptMemories,
): number {
  const { risk } =
    unit === 'day'
      ? lapseRiskFromDays(book.completion, counted)
      : lapseRiskFromWeeks({ book, counted, occasions, target, weekStart }, kept);
  return round4(risk);
}
