import { badQuery } from '@evenkeel/platform/validation';
import { ApiProperty } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import type { SeriesQuery } from '../revenue-query';
import type { Read } from '../revenue-snapshot';
import { callSums, CallsView, ComparedWindowView, Is, MoneyOfDaysView, spanView } from './figures';
import { beginOf, type Bucket, bucketsOf, DAYS_WITH_HOURS, type Interval, INTERVALS } from './intervals';
import {
  type Basis,
  BASES,
  firstPaymentDay,
  isBeforeFirst,
  NO_FIGURES,
  readFiguresBy,
  readFiguresByHour,
  type SpanFigures,
} from './span-rows';
import { comparisonOf, shifted, type Span, wholeOf, windowOf } from './window';

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
  return {
    currency: 'USD' as const,
    ...window,
    points: await pointsOf(tx, now, query, wholeOf(window)),
    interval,
    basis,
    ...(compare && { previous: await previous(tx, now, query) }),
  };
};

async function previous(tx: EntityManager, now: Date, query: SeriesQuery) {
  const { current, before } = comparisonOf(query.period, now);
  if (isBeforeFirst(before, await firstPaymentDay(tx, query.basis))) return null;
  return { ...spanView(before), points: await pointsOf(tx, now, query, before), compared: spanView(current) };
}

async function pointsOf(
  tx: EntityManager,
  now: Date,
  { basis, interval }: SeriesQuery,
  span: Span,
): Promise<PointView[]> {
  const buckets = bucketsOf(span, interval, span.until ?? now);
  if (interval === 'hour') {
    const end = span.until?.getTime() ?? Date.parse(shifted(span.to, 1));
    const hours = await readFiguresByHour(tx, basis, span.from, end);
    const nameOf = ({ from, hour }: Bucket): string => `${from} ${String(hour).padStart(2, '0')}`;
    return buckets.map((bucket) => pointOf(bucket, hours.get(nameOf(bucket)) ?? NO_FIGURES, interval));
  }
  const figures = await readFiguresBy(tx, interval, basis, span);
  return buckets.map((bucket) => pointOf(bucket, figures.get(beginOf(bucket.from, interval)) ?? NO_FIGURES, interval));
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
