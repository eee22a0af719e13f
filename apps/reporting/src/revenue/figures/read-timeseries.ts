import { badQuery } from '@evenkeel/platform/validation';
import { ApiProperty } from '@nestjs/swagger';
import type { SeriesQuery } from '../revenue-query';
import type { Read } from '../revenue-snapshot';
import { callSums, CallsView, ComparedWindowView, Is, MoneyOfDaysView, spanView } from './figures';
import { beginOf, type Bucket, bucketsOf, DAYS_WITH_HOURS, type Interval, INTERVALS } from './intervals';
import { type Basis, BASES, isBeforeFirst, NO_FIGURES, type SpanFigures, SpanRows } from './span-rows';
import { comparisonOf, type Span, wholeOf, windowOf } from './window';

export class PointView extends CallsView {
  @Is.day('its first day within the window') date!: string;
  @ApiProperty({ required: false, format: 'date', description: 'its last day, of weeks and months' }) to?: string;
  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: 23, description: 'only with interval=hour' })
  hour?: number;
  @Is.member('whether all of the hour, day, week or month is in the window, and over') complete!: boolean;
}

class PreviousTimeseriesView extends ComparedWindowView {
  @Is.listOf(PointView) points!: PointView[];
  @Is.member('the side of the window that these are compared with') compared!: ComparedWindowView;
}

export class TimeseriesView extends MoneyOfDaysView {
  @Is.listOf(PointView, 'one for each interval, oldest first') points!: PointView[];
  @Is.oneOf(INTERVALS, 'weeks begin on Monday; first and last may be a part of one') interval!: Interval;
  @Is.oneOf(BASES) basis!: Basis;
  @Is.previous(PreviousTimeseriesView) previous?: PreviousTimeseriesView | null;
}

/** One point for each hour, day, week or month, also for one without calls; hours of too many days are refused. */
export const readTimeseries: Read<SeriesQuery, TimeseriesView> = async (tx, now, query) => {
  const { period, basis, compare, interval } = query;
  const window = windowOf(period, now);
  if (interval === 'hour' && window.days > DAYS_WITH_HOURS) {
    throw badQuery('interval', 'out_of_range', `must not be hour for more than ${DAYS_WITH_HOURS} days`);
  }
  const rows = new SpanRows(tx, basis);
  const pointsOf = async (span: Span): Promise<PointView[]> => {
    const figures = await (interval === 'hour' ? rows.byHour(span) : rows.by(interval, span));
    const figuresOf = (bucket: Bucket): SpanFigures => figures.get(keyOf(bucket, interval)) ?? NO_FIGURES;
    const buckets = bucketsOf(span, interval, span.until ?? now);
    return buckets.map((bucket) => pointOf(bucket, figuresOf(bucket), interval));
  };
  const previous = async () => {
    const { current, before } = comparisonOf(period, now);
    if (isBeforeFirst(before, await rows.firstPaymentDay())) return null;
    return { ...spanView(before), points: await pointsOf(before), compared: spanView(current) };
  };
  return {
    currency: 'USD' as const,
    ...window,
    points: await pointsOf(wholeOf(window)),
    interval,
    basis,
    ...(compare && { previous: await previous() }),
  };
};

function keyOf({ from, hour }: Bucket, interval: Interval): string {
  return hour === null ? beginOf(from, interval) : `${from} ${String(hour).padStart(2, '0')}`;
}

function pointOf(bucket: Bucket, { totals, payers }: SpanFigures, interval: Interval): PointView {
  const { from, to, hour, complete } = bucket;
  return {
    date: from,
    ...((interval === 'week' || interval === 'month') && { to }),
    ...(hour !== null && { hour }),
    ...callSums(totals),
    unique_payers: payers,
    complete,
  };
}
