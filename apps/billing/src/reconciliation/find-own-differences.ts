import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LISTED, UNLINKED } from '../webhooks/webhook-counts';
import { notCompared, type Difference, type DifferenceKind } from './difference';

const DAY = `interval '1 day'`;

interface Look {
  kind: DifferenceKind;
  /** Gives `subject` and `detail`. */
  sql: string;
  values: (now: Date, since: Date) => unknown[];
}

/** Each is a statement of its own: what one of them cannot read hides nothing of the others. */
const LOOKS: readonly Look[] = [
  {
    kind: 'event_unlinked',
    sql: `
      SELECT coalesce(customer_id, subscription_id, charge_id, id) AS subject, count(*) ||
        ' events of nobody we know, the first of ' || to_char(min(created) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS detail
      FROM provider_events e
      WHERE ${UNLINKED} AND received_at < $1::timestamptz - ${DAY} AND received_at > $1::timestamptz - ${LISTED}
      GROUP BY 1`,
    values: (now) => [now],
  },
  {
    kind: 'double_subscription',
    sql: `
      SELECT user_id::text AS subject, string_agg(subscription_id, ' and ' ORDER BY subscription_id) || ' at once' AS detail
      FROM subscriptions
      WHERE user_id IS NOT NULL AND NOT (state->>'isFinal')::boolean AND status <> 'INCOMPLETE'
      GROUP BY user_id HAVING count(*) > 1`,
    values: () => [],
  },
  {
    kind: 'invoice_currency',
    sql: `
      SELECT invoice_id AS subject, amount_cents || ' ' || currency || ': no revenue is reported of it' AS detail
      FROM invoices WHERE currency <> 'usd' AND user_id IS NOT NULL AND paid_at >= $1`,
    values: (_, since) => [since],
  },
  {
    kind: 'departure_waiting',
    sql: `
      SELECT user_id::text AS subject, 'the provider still knows them after ' || attempts || ' tries' AS detail
      FROM departures
      WHERE done_at IS NULL AND asked_at < $1::timestamptz - ${DAY}`,
    values: (now) => [now],
  },
];

/** Differences that the rows of billing alone show. */
@Injectable()
export class FindOwnDifferences {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async execute(since: Date): Promise<Difference[]> {
    const found: Difference[] = [];
    for (const { kind, sql, values } of LOOKS) {
      try {
        const rows = await this.dataSource.query<Omit<Difference, 'kind'>[]>(
          `${sql} ORDER BY subject`,
          values(this.clock.now(), since),
        );
        found.push(...rows.map((row) => ({ kind, ...row })));
      } catch (error) {
        found.push(notCompared(kind, error));
      }
    }
    return found;
  }
}
