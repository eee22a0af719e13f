import { readMicros, usdAmount } from '@evenkeel/kernel';
import { ApiProperty } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { Is, Money, numbersOf } from '../figures/figures';
import { readSettlement, SettlementView } from '../figures/read-summary';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The same hour of so many days tells what is usual. */
const USUAL_DAYS = 7;
const MOST_FAILED = 1_000;

class UsualHourView {
  @Is.instant('when it began') since!: string;
  @Is.count('until now') paid_calls!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: `of the whole hour, the median of the ${USUAL_DAYS} days before; null until there are so many`,
  })
  usual_paid_calls!: number | null;
}

/** A bank decides about a dispute within four months: an older one is over, also when nothing said how it ended. */
const DISPUTE_DAYS = 120;

class DisputesView {
  @Is.count(`opened within ${DISPUTE_DAYS} days, neither won nor lost`) open!: number;
  @Is.member() amount!: Money;
}

/** Whether money comes in, and what does not: as it is now, whatever period one looks at. */
export class HealthView {
  @Is.member() settlement!: SettlementView;
  @Is.instantOrNull('verification of the oldest payment that waits for its settlement') oldest_waiting_at!:
    string | null;
  @Is.instantOrNull('verification of the latest payment that settled') last_payment_at!: string | null;
  @ApiProperty({
    type: 'integer',
    maximum: MOST_FAILED,
    description: `payments of the last 24 hours that failed, ${MOST_FAILED.toLocaleString('en-US')} for more`,
  })
  failed_last_24h!: number;
  @Is.count('subscriptions whose payment fails') past_due!: number;
  @Is.member('of invoices') disputes!: DisputesView;
  @ApiProperty({ type: [UsualHourView], minItems: 2, maxItems: 2, description: 'the hour before, and the present one' })
  hours!: UsualHourView[];
}

const COUNTS = ['failed_lately', 'past_due', 'disputes', 'disputed'] as const;

interface HealthRow extends Record<(typeof COUNTS)[number], string> {
  oldest_waiting: Date | null;
  last_payment: Date | null;
  since: string | null;
}

const HEALTH = `
  SELECT
    (SELECT verified_at FROM payments WHERE status = 'settlement_pending' ORDER BY verified_at, id LIMIT 1)
      AS oldest_waiting,
    (SELECT verified_at FROM payments WHERE status = 'settled' ORDER BY verified_at DESC, id DESC LIMIT 1)
      AS last_payment,
    (SELECT count(*) FROM (SELECT FROM payments WHERE status = 'settlement_failed' AND verified_at > $1
      LIMIT ${MOST_FAILED}) AS found) AS failed_lately,
    (SELECT min(day)::text FROM daily_totals) AS since,
    (SELECT coalesce(sum(past_due), 0) FROM
      (SELECT DISTINCT ON (user_id) past_due FROM subscription_versions ORDER BY user_id, version DESC) latest) AS past_due,
    disputes, disputed
  FROM (
    SELECT count(*) AS disputes, coalesce(sum(amount_micros), 0)::bigint AS disputed FROM invoice_adjustments opened
    WHERE kind = 'dispute' AND occurred_at > $2
      AND NOT EXISTS (SELECT FROM invoice_adjustments a WHERE a.id = opened.id AND a.kind IN ('dispute_won', 'dispute_lost'))
  ) in_dispute`;

// Hours and not days, which have 23 or 25 of them where the database has a zone with summer time.
const HOURS = `
  SELECT hour, max(paid) FILTER (WHERE ago = 0) AS paid_calls,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY paid) FILTER (WHERE ago > 0) AS usual
  FROM (
    SELECT hour, ago, (SELECT count(*) FROM payments WHERE status = 'settled'
      AND verified_at >= hour - make_interval(hours => 24 * ago)
      AND verified_at < hour - make_interval(hours => 24 * ago) + interval '1 hour') AS paid
    FROM unnest($1::timestamptz[]) AS asked (hour), generate_series(0, ${USUAL_DAYS}) AS ago
  ) counted
  GROUP BY hour ORDER BY hour`;

/** The hour that an instant is in, as its beginning. */
export function hourOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / HOUR_MS) * HOUR_MS);
}

/** A few looks into indexes, however many payments there are. */
export async function readHealth(tx: EntityManager, now: Date): Promise<HealthView> {
  const hour = hourOf(now);
  const [row] = await tx.query<[HealthRow]>(HEALTH, [
    new Date(now.getTime() - DAY_MS),
    new Date(now.getTime() - DISPUTE_DAYS * DAY_MS),
  ]);
  const hours = await tx.query<{ hour: Date; paid_calls: string; usual: string }[]>(HOURS, [
    [new Date(hour.getTime() - HOUR_MS), hour],
  ]);
  const { failed_lately, past_due, disputes, disputed } = numbersOf(row, COUNTS);
  const isKnown = row.since !== null && Date.parse(row.since) < hour.getTime() - USUAL_DAYS * DAY_MS;
  return {
    settlement: await readSettlement(tx),
    oldest_waiting_at: row.oldest_waiting?.toISOString() ?? null,
    last_payment_at: row.last_payment?.toISOString() ?? null,
    failed_last_24h: failed_lately,
    past_due,
    disputes: { open: disputes, amount: usdAmount(disputed) },
    hours: hours.map(({ hour: since, paid_calls, usual }) => ({
      since: since.toISOString(),
      paid_calls: readMicros(paid_calls),
      usual_paid_calls: isKnown ? readMicros(usual) : null,
    })),
  };
}
