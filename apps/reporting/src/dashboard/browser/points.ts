import type { Day, Interval, Period } from './answers';
import { daysApart } from './period';
import type { PageSettings, PaymentFilters } from './settings';
import { dateText, monthText, periodText, shortDateText } from './text';

/** Where the page has one column. */
export const NARROW = '(max-width: 720px)';

const DAYS_WITH_HOURS = 8;
const DAYS_OF_WEEK = 7;
const DAYS_OF_MONTH = 31;
/** Periods that are so long have bars too thin to tell apart, with days and with weeks. */
const MOST_BARS = { wide: { days: 92, weeks: 400 }, narrow: { days: 31, weeks: 200 } };

/** The length of a month is that of the longest. */
function daysOf(period: Period): number {
  if ('days' in period) return period.days;
  return 'month' in period ? DAYS_OF_MONTH : daysApart(period.from, period.to) + 1;
}

/** The possible units of a point of the chart; a single week in weeks would be one bar. */
export function intervalsOf(period: Period): Interval[] {
  const days = daysOf(period);
  const fits: [Interval, boolean][] = [
    ['hour', days <= DAYS_WITH_HOURS],
    ['day', true],
    ['week', days > DAYS_OF_WEEK],
    ['month', days > DAYS_OF_MONTH],
  ];
  return fits.flatMap(([interval, isFit]) => (isFit ? interval : []));
}

export function suitedInterval(period: Period, isNarrow = matchMedia(NARROW).matches): Interval {
  const days = daysOf(period);
  const most = isNarrow ? MOST_BARS.narrow : MOST_BARS.wide;
  if (days <= 2) return 'hour';
  if (days <= most.days) return 'day';
  return days <= most.weeks ? 'week' : 'month';
}

/** The chosen one where the period has it, else one that suits. */
export function intervalOf({ period, interval }: PageSettings, isNarrow = matchMedia(NARROW).matches): Interval {
  const chosen = intervalsOf(period).find((candidate) => candidate === interval);
  return chosen ?? suitedInterval(period, isNarrow);
}

type Point = Pick<Day, 'date' | 'to' | 'hour' | 'complete'>;

/**
 * `31 Jan 2026`, `31 Jan 2026, 09:00 to 10:00`, `26 Jan to 31 Jan 2026`, with `so far` when it is not over.
 * @param now the time of the answer
 */
export function pointText(point: Point, now: string): string {
  const { date, to = date, hour, complete } = point;
  const name =
    hour === undefined
      ? periodText({ from: date, to })
      : `${dateText(date)}, ${hourText(hour)} to ${hourText(hour + 1)}`;
  if (complete) return name;
  // A week that the window cuts is over, but not whole.
  return now.startsWith(to) ? `${name}, so far` : `${name}, in part`;
}

function hourText(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

export function tickText({ date, hour }: Point, interval: Interval): string {
  if (interval === 'month') return monthText(date);
  return hour === undefined || hour === 0 ? shortDateText(date) : hourText(hour);
}

export const paymentsOfPoint = ({ date, to = date }: Point): PaymentFilters => paymentsWithin({ from: date, to });

export function paymentsWithin({ from, to }: { from: string; to: string }): PaymentFilters {
  return from === to ? { day: from } : { within: `${from}/${to}` };
}
