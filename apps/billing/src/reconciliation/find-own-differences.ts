import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Difference } from './difference';

const DAY = `interval '1 day'`;
/** Older ones were looked at, or are none of ours. */
const LISTED = `interval '30 days'`;

// $1 is the present, $2 the beginning of the period.
const FIND = `
  SELECT 'event_unlinked' AS kind, coalesce(customer_id, subscription_id, min(id)) AS subject,
    count(*) || ' events of nobody we know, the first of ' || to_char(min(created) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS detail
  FROM provider_events
  WHERE reason = 'unmatched_customer' AND received_at < $1::timestamptz - ${DAY} AND received_at > $1::timestamptz - ${LISTED}
  GROUP BY customer_id, subscription_id
  UNION ALL
  SELECT 'double_subscription', user_id::text, string_agg(subscription_id, ' and ' ORDER BY subscription_id) || ' at once'
  FROM subscriptions WHERE user_id IS NOT NULL AND access_until > $1 AND status <> 'INCOMPLETE'
  GROUP BY user_id HAVING count(*) > 1
  UNION ALL
  SELECT 'invoice_currency', invoice_id, amount_cents || ' ' || currency || ': no revenue is reported of it'
  FROM invoices WHERE currency <> 'usd' AND paid_at >= $2
  UNION ALL
  SELECT 'departure_waiting', user_id::text, 'the provider still knows them after ' || attempts || ' tries'
  FROM departures WHERE done_at IS NULL AND asked_at < $1::timestamptz - ${DAY}
  ORDER BY kind, subject`;

/** What the rows of billing alone show. */
@Injectable()
export class FindOwnDifferences {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  execute(since: Date): Promise<Difference[]> {
    return this.dataSource.query<Difference[]>(FIND, [this.clock.now(), since]);
  }
}
