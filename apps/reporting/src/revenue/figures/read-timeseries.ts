import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { type Basis, BASES, COLUMNS } from './basis';
import {
  AsOfView,
  ComparedWindowView,
  marginOf,
  Money,
  NO_TOTALS,
  plusTotals,
  spanView,
  sumsOn,
  type SumsRow,
  type Totals,
  totalsOf,
} from './figures';
import { firstPaymentDay, isBeforeFirst } from './first-payment';
import { type Bucket, bucketsOf, DAYS_WITH_HOURS, type Interval, INTERVALS } from './intervals';
import { hourOf, readPartOfDay, readRestOfHour } from './part-of-day';
import { ALL_ENDPOINTS, payersByDay, payersOfRanges } from './payers';
import { comparisonOf, dayOf, daysOf, type Period, rangeOf, shifted, type Span, windowOf } from './window';
import { badQuery } from '@evenkeel/platform/lists';
import { readMicros } from '@evenkeel/platform/persistence';
import type { WindowQuestion } from '../revenue-queries';
import { RevenueSnapshot } from '../revenue-snapshot';

export class PointView {
  @ApiProperty({ format: 'date', description: 'its first day within the window' }) date!: string;
  @ApiProperty({ required: false, format: 'date', description: 'its last day, of weeks and months' }) to?: string;
  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: 23, description: 'only with interval=hour' })
  hour?: number;
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty() attributed_cost!: Money;
  @ApiProperty() net_margin!: Money;
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
  @ApiProperty({ type: 'integer' }) credit_calls!: number;
  @ApiProperty({ type: 'integer', description: 'distinct wallets of the point' }) unique_payers!: number;
  @ApiProperty({ description: 'whether all of the hour, day, week or month is in the window, and over' })
  complete!: boolean;
}

class PreviousTimeseriesView extends ComparedWindowView {
  @ApiProperty({ type: [PointView] }) points!: PointView[];
  @ApiProperty({ description: 'the complete days of the window that these are compared with' })
  compared!: ComparedWindowView;
}

@ApiExtraModels(PreviousTimeseriesView)
export class TimeseriesView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 1_101 }) days!: number;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
  @ApiProperty({ type: [PointView], description: 'one for each interval, oldest first' }) points!: PointView[];
  @ApiProperty({ enum: INTERVALS, description: 'weeks begin on Monday; first and last may be a part of one' })
  interval!: Interval;
  @ApiProperty({ enum: BASES }) basis!: Basis;
  @ApiProperty({
    ...{ required: false, nullable: true },
    description: 'with compare=previous: the days before; null when they would begin before the first payment',
    allOf: [{ $ref: getSchemaPath(PreviousTimeseriesView) }],
  })
  previous?: PreviousTimeseriesView | null;
}

/** What one point counts. */
interface PointFigures {
  totals: Totals;
  payers: number;
}

const NOTHING: PointFigures = { totals: NO_TOTALS, payers: 0 };

/** One point for each hour, day, week or month, also for one without calls. */
@Injectable()
export class ReadTimeseries {
  constructor(
    private readonly snapshot: RevenueSnapshot,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed for a period that ends after today, or for hours of too many days */
  async execute({ period, basis, compare }: WindowQuestion, interval: Interval): Promise<TimeseriesView> {
    const now = this.clock.now();
    const window = windowOf(period, now);
    if (interval === 'hour' && window.days > DAYS_WITH_HOURS) {
      throw badQuery('interval', 'out_of_range', `must not be hour for more than ${DAYS_WITH_HOURS} days`);
    }
    const question = { basis, interval, now };
    return this.snapshot.read(async (tx) => ({
      currency: 'USD' as const,
      ...window,
      points: await pointsOf(tx, question, { ...window, until: null }),
      interval,
      basis,
      ...(compare && { previous: await previous(tx, question, period) }),
    }));
  }
}

interface Question {
  basis: Basis;
  interval: Interval;
  now: Date;
}

async function previous(tx: EntityManager, question: Question, period: Period) {
  const { current, before } = comparisonOf(period, question.now);
  if (isBeforeFirst(before, await firstPaymentDay(tx, question.basis))) return null;
  return { ...spanView(before), points: await pointsOf(tx, question, before), compared: spanView(current) };
}

async function pointsOf(tx: EntityManager, question: Question, span: Span): Promise<PointView[]> {
  const { basis, interval, now } = question;
  const until = span.until ?? now;
  const buckets = bucketsOf(span, interval, until);
  if (interval === 'hour') {
    const hours = await hoursOf(tx, basis, span);
    return buckets.map((bucket) => pointOf(bucket, hours.get(`${bucket.from} ${bucket.hour}`) ?? NOTHING));
  }
  // A part of one day, which is one point of any interval.
  if (span.until !== null && span.to < dayOf(now.getTime())) {
    const part = await readPartOfDay(tx, basis, span.until);
    return buckets.map((bucket) => pointOf(bucket, part, interval));
  }
  const totals = await totalsByDay(tx, basis, span);
  const payers = await payersOfBuckets(tx, basis, buckets, interval);
  return buckets.map((bucket, index) => {
    const days = daysOf(rangeOf(bucket.from, bucket.to));
    const sums = days.reduce((sum, day) => plusTotals(sum, totals.get(day) ?? NO_TOTALS), NO_TOTALS);
    return pointOf(bucket, { totals: sums, payers: payers[index]! }, interval);
  });
}

async function totalsByDay(tx: EntityManager, basis: Basis, { from, to }: Span): Promise<ReadonlyMap<string, Totals>> {
  const rows = await tx.query<(SumsRow & { date: string })[]>(
    `SELECT day::text AS date, ${sumsOn(basis)} FROM daily_totals WHERE day BETWEEN $1 AND $2 GROUP BY day`,
    [from, to],
  );
  return new Map(rows.map((row) => [row.date, totalsOf(row)]));
}

async function payersOfBuckets(
  tx: EntityManager,
  basis: Basis,
  buckets: readonly Bucket[],
  interval: Interval,
): Promise<number[]> {
  if (interval !== 'day') return payersOfRanges(tx, basis, buckets);
  const payers = await payersByDay(tx, basis, { from: buckets[0]!.from, to: buckets.at(-1)!.to });
  return buckets.map(({ from }) => payers.get(from) ?? 0);
}

/** By day and hour: whole hours from their rollup, the last one from its rows when only a part of it counts. */
async function hoursOf(tx: EntityManager, basis: Basis, { from, to, until }: Span): Promise<Map<string, PointFigures>> {
  const rows = await tx.query<(SumsRow & { hour: Date; payers: string })[]>(
    `SELECT hour, ${sumsOn(basis)}, sum(${COLUMNS[basis].payers})::bigint AS payers
     FROM hourly_totals WHERE endpoint = $3 AND hour >= $1 AND hour < $2 GROUP BY hour`,
    [`${from}T00:00:00Z`, until ? hourOf(until) : `${shifted(to, 1)}T00:00:00Z`, ALL_ENDPOINTS],
  );
  const nameOf = (hour: Date): string => `${dayOf(hour.getTime())} ${hour.getUTCHours()}`;
  const hours = new Map(
    rows.map((row): [string, PointFigures] => [
      nameOf(row.hour),
      { totals: totalsOf(row), payers: readMicros(row.payers) },
    ]),
  );
  if (until) hours.set(nameOf(until), await readRestOfHour(tx, basis, until));
  return hours;
}

function pointOf(bucket: Bucket, { totals, payers }: PointFigures, interval: Interval = 'hour'): PointView {
  const { from, to, hour, complete } = bucket;
  return {
    date: from,
    ...((interval === 'week' || interval === 'month') && { to }),
    ...(hour !== null && { hour }),
    ...marginOf(totals),
    paid_calls: totals.paidCalls,
    credit_calls: totals.creditCalls,
    unique_payers: payers,
    complete,
  };
}
