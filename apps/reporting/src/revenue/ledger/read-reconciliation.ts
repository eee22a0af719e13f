import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { ApiProperty } from '@nestjs/swagger';
import { AsOfView, Is, Money } from '../figures/figures';
import { GROUP_CONDITIONS, PAYMENT_COLUMNS, type PaymentGroup, PaymentView } from '../payments/payment-rows';
import { type Stored, viewOf } from '../payments/row-view';
import type { ReconciliationQuery } from '../revenue-query';
import type { Read } from '../revenue-snapshot';

/** A payment without its money, or not yet with it. */
class OpenPaymentView extends PaymentView {
  @Is.member('the buyer has the result') served!: boolean;
  @Is.textOrNull('code of the facilitator') reason!: string | null;
}

class GroupView {
  @Is.count('at most 10,000, the oldest') count!: number;
  @Is.member('whether there are more than were counted') has_more!: boolean;
  @Is.member('of those counted') amount!: Money;
  @Is.instantOrNull() oldest_verified_at!: string | null;
}

class StatusesView {
  @Is.member('the worker of the gateway is at it') settlement_pending!: GroupView;
  @Is.member('a person must look') needs_reconciliation!: GroupView;
}

class UnresolvedView extends GroupView {
  @Is.member() statuses!: StatusesView;
  @Is.listOf(OpenPaymentView, 'oldest first') payments!: OpenPaymentView[];
}

class SettledWithoutHashView extends GroupView {
  @Is.listOf(PaymentView, 'newest first') payments!: PaymentView[];
}

class ServedAndFailedView extends GroupView {
  @Is.listOf(OpenPaymentView, 'newest first') payments!: OpenPaymentView[];
}

export class ReconciliationView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200, description: 'payments at most in each list' })
  limit!: number;
  @Is.member('neither settled nor failed') unresolved!: UnresolvedView;
  @Is.member('revenue that names no transaction') settled_without_hash!: SettledWithoutHashView;
  @Is.member('results given away') served_and_failed!: ServedAndFailedView;
}

type Group = PaymentGroup | 'settlement_pending' | 'needs_reconciliation';

/** Some facilitators never return a hash: then a group holds all payments, and counting it would take too long. */
const COUNTED_AT_MOST = 10_000;

/** Payments that a person may have to look at. Reads only: `payment:close` of the gateway closes them. */
export const readReconciliation: Read<ReconciliationQuery, ReconciliationView> = async (tx, _now, { limit }) => {
  const counted = await tx.query<GroupRow[]>(COUNT, [COUNTED_AT_MOST]);
  const countOf = (group: Group): GroupView => groupView(counted.find(({ name }) => name === group));
  const rowsOf = async <View extends PaymentView>(group: PaymentGroup, order: 'ASC' | 'DESC', more = '') => {
    const rows = await tx.query<Stored<View>[]>(
      `SELECT ${PAYMENT_COLUMNS}${more} FROM payments WHERE ${GROUP_CONDITIONS[group]}
       ORDER BY verified_at ${order}, id ${order} LIMIT $1`,
      [limit],
    );
    return rows.map((row) => viewOf<View>(row));
  };
  const open = (group: PaymentGroup, order: 'ASC' | 'DESC') =>
    rowsOf<OpenPaymentView>(group, order, ', served, reason');
  return {
    limit,
    unresolved: {
      ...countOf('unresolved'),
      statuses: {
        settlement_pending: countOf('settlement_pending'),
        needs_reconciliation: countOf('needs_reconciliation'),
      },
      payments: await open('unresolved', 'ASC'),
    },
    settled_without_hash: {
      ...countOf('settled_without_hash'),
      payments: await rowsOf('settled_without_hash', 'DESC'),
    },
    served_and_failed: { ...countOf('served_and_failed'), payments: await open('served_and_failed', 'DESC') },
  };
};

const PLACE = 'row_number() OVER (ORDER BY verified_at, id) AS place';

const oldestOf = (group: Group, condition: string): string => `
  (SELECT '${group}' AS name, verified_at, id, amount_micros, ${PLACE} FROM payments WHERE ${condition}
   ORDER BY verified_at, id LIMIT $1 + 1)`;

// The oldest unresolved payments are among the oldest of both statuses.
const COUNT = `
  WITH statuses AS (
    ${oldestOf('settlement_pending', `status = 'settlement_pending'`)}
    UNION ALL ${oldestOf('needs_reconciliation', `status = 'needs_reconciliation'`)}
  ),
  found AS (
    SELECT * FROM statuses
    UNION ALL SELECT 'unresolved', verified_at, id, amount_micros, ${PLACE} FROM statuses
    UNION ALL ${oldestOf('settled_without_hash', GROUP_CONDITIONS.settled_without_hash)}
    UNION ALL ${oldestOf('served_and_failed', GROUP_CONDITIONS.served_and_failed)}
  )
  SELECT name, count(*) FILTER (WHERE place <= $1) AS payments, count(*) > $1 AS has_more,
    sum(amount_micros) FILTER (WHERE place <= $1)::bigint AS amount, min(verified_at) AS oldest
  FROM found GROUP BY name`;

interface GroupRow {
  name: Group;
  payments: string;
  has_more: boolean;
  amount: string;
  oldest: Date;
}

/** @param row undefined for a group without payments */
function groupView(row: GroupRow | undefined): GroupView {
  return {
    count: readMicros(row?.payments ?? '0'),
    has_more: row?.has_more ?? false,
    amount: usdAmount(readMicros(row?.amount ?? '0')),
    oldest_verified_at: row?.oldest.toISOString() ?? null,
  };
}
