import { readMicros } from '@evenkeel/platform/persistence';
import { ApiProperty } from '@nestjs/swagger';
import type { DataSource } from 'typeorm';
import { SettlementView } from '../figures/read-summary';
import { hourOf } from '../figures/part-of-day';
import { ALL_ENDPOINTS } from '../figures/payers';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The same hour of so many days tells what is usual. */
const USUAL_DAYS = 7;
const MOST_FAILED = 1_000;

class UsualHourView {
  @ApiProperty({ format: 'date-time', description: 'when it began' }) since!: string;
  @ApiProperty({ type: 'integer', description: 'until now' }) paid_calls!: number;
  @ApiProperty({
    ...{ type: 'integer', nullable: true },
    description: `of the whole hour, the median of the ${USUAL_DAYS} days before; null until there are so many`,
  })
  usual_paid_calls!: number | null;
}

/** Whether money comes in, and what does not. */
export class HealthView {
  @ApiProperty() settlement!: SettlementView;
  @ApiProperty({
    ...{ format: 'date-time', nullable: true, type: String },
    description: 'verification of the oldest payment that waits for its settlement',
  })
  oldest_waiting_at!: string | null;
  @ApiProperty({
    ...{ format: 'date-time', nullable: true, type: String },
    description: 'verification of the latest payment that settled',
  })
  last_payment_at!: string | null;
  @ApiProperty({
    ...{ type: 'integer', maximum: MOST_FAILED },
    description: `payments of the last 24 hours that failed, ${MOST_FAILED.toLocaleString('en-US')} for more`,
  })
  failed_last_24h!: number;
  @ApiProperty({ type: [UsualHourView], minItems: 2, maxItems: 2, description: 'the hour before, and the present one' })
  hours!: UsualHourView[];
}

interface HealthRow {
  settled: string;
  pending: string;
  needing: string;
  failed: string;
  oldest_waiting: Date | null;
  last_payment: Date | null;
  failed_lately: string;
  since: string | null;
}

interface HourRow {
  hour: Date;
  paid_calls: string;
  usual: string;
}

const payments = (status: string): string =>
  `coalesce((SELECT payments FROM settlement_totals WHERE status = '${status}'), 0)`;

const HEALTH = `
  SELECT ${payments('settled')} AS settled, ${payments('settlement_pending')} AS pending,
    ${payments('needs_reconciliation')} AS needing, ${payments('settlement_failed')} AS failed,
    (SELECT verified_at FROM payments WHERE status = 'settlement_pending' ORDER BY verified_at, id LIMIT 1)
      AS oldest_waiting,
    (SELECT verified_at FROM payments WHERE status = 'settled' ORDER BY verified_at DESC, id DESC LIMIT 1)
      AS last_payment,
    (SELECT count(*) FROM (SELECT FROM payments WHERE status = 'settlement_failed' AND verified_at > $1
      LIMIT ${MOST_FAILED}) AS found) AS failed_lately,
    (SELECT min(day)::text FROM daily_totals) AS since`;

const HOURS = `
  SELECT hour, max(paid) FILTER (WHERE ago = 0) AS paid_calls,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY paid) FILTER (WHERE ago > 0) AS usual
  FROM (
    SELECT hour, ago, coalesce((SELECT paid_calls FROM hourly_totals t
      WHERE t.hour = asked.hour - make_interval(days => ago) AND endpoint = '${ALL_ENDPOINTS}'), 0) AS paid
    FROM unnest($1::timestamptz[]) AS asked (hour), generate_series(0, ${USUAL_DAYS}) AS ago
  ) counted
  GROUP BY hour ORDER BY hour`;

/** A few looks into indexes and rollups, however many payments there are. */
export async function readHealth(dataSource: DataSource, now: Date): Promise<HealthView> {
  const hour = hourOf(now);
  const [row] = await dataSource.query<[HealthRow]>(HEALTH, [new Date(now.getTime() - DAY_MS)]);
  const hours = await dataSource.query<HourRow[]>(HOURS, [[new Date(hour.getTime() - HOUR_MS), hour]]);
  const count = (text: string): number => readMicros(text);
  const isKnown = row.since !== null && Date.parse(row.since) < hour.getTime() - USUAL_DAYS * DAY_MS;
  return {
    settlement: {
      ...{ settled: count(row.settled), pending: count(row.pending) },
      ...{ needs_reconciliation: count(row.needing), failed: count(row.failed) },
    },
    oldest_waiting_at: row.oldest_waiting?.toISOString() ?? null,
    last_payment_at: row.last_payment?.toISOString() ?? null,
    failed_last_24h: count(row.failed_lately),
    hours: hours.map(({ hour: since, paid_calls, usual }) => ({
      ...{ since: since.toISOString(), paid_calls: count(paid_calls) },
      usual_paid_calls: isKnown ? count(usual) : null,
    })),
  };
}
