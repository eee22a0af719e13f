import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { type Basis, BASES } from './basis';
import { AsOfView, ComparedWindowView, marginOf, Money, NO_TOTALS, spanView } from './figures';
import { firstPaymentDay, isBeforeFirst } from './first-payment';
import { beginOf, type Bucket, bucketsOf, DAYS_WITH_HOURS, type Interval, INTERVALS } from './intervals';
import { readFiguresBy, readFiguresByHour, type SpanFigures } from './span-rows';
import { comparisonOf, type Period, shifted, type Span, windowOf } from './window';
import { badQuery } from '@evenkeel/platform/validation';
import type { WindowQuestion } from '../query-parts';
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
  @ApiProperty({ description: 'the side of the window that these are compared with' })
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
    required: false,
    nullable: true,
    description: 'with compare=previous: the same weekdays before; null when they would begin before the first payment',
    allOf: [{ $ref: getSchemaPath(PreviousTimeseriesView) }],
  })
  previous?: PreviousTimeseriesView | null;
}

const NOTHING: SpanFigures = { totals: NO_TOTALS, payers: 0 };

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
  const buckets = bucketsOf(span, interval, span.until ?? now);
  if (interval === 'hour') {
    const end = span.until?.getTime() ?? Date.parse(shifted(span.to, 1));
    const hours = await readFiguresByHour(tx, basis, span.from, end);
    const nameOf = ({ from, hour }: Bucket): string => `${from} ${String(hour).padStart(2, '0')}`;
    return buckets.map((bucket) => pointOf(bucket, hours.get(nameOf(bucket)) ?? NOTHING, interval));
  }
  const figures = await readFiguresBy(tx, interval, basis, span);
  return buckets.map((bucket) => pointOf(bucket, figures.get(beginOf(bucket.from, interval)) ?? NOTHING, interval));
}

function pointOf(bucket: Bucket, { totals, payers }: SpanFigures, interval: Interval): PointView {
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
