import { readMicros, usdAmount } from '@evenkeel/kernel';
import { ApiProperty } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
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

/** Some facilitators never return a hash: then a group holds all payments, and counting it would take too long. */
const COUNTED_AT_MOST = 10_000;

/** Payments that a person may have to look at. Reads only: `payment:close` of the gateway closes them. */
export const readReconciliation: Read<ReconciliationQuery, ReconciliationView> = async (tx, _now, { limit }) => {
  const ofGroup = async <View extends PaymentView>(group: PaymentGroup, order: 'ASC' | 'DESC', more = '') => {
    const condition = GROUP_CONDITIONS[group];
    const rows = await tx.query<Stored<View>[]>(
      `SELECT ${PAYMENT_COLUMNS}${more} FROM payments WHERE ${condition} ORDER BY verified_at ${order}, id ${order} LIMIT $1`,
      [limit],
    );
    return { ...(await countOf(tx, condition)), payments: rows.map((row) => viewOf<View>(row)) };
  };
  const { payments, ...unresolved } = await ofGroup<OpenPaymentView>('unresolved', 'ASC', ', served, reason');
  const statuses = {
    settlement_pending: await countOf(tx, `status = 'settlement_pending'`),
    needs_reconciliation: await countOf(tx, `status = 'needs_reconciliation'`),
  };
  return {
    limit,
    unresolved: { ...unresolved, statuses, payments },
    settled_without_hash: await ofGroup('settled_without_hash', 'DESC'),
    served_and_failed: await ofGroup<OpenPaymentView>('served_and_failed', 'DESC', ', served, reason'),
  };
};

interface CountRow {
  payments: string;
  has_more: boolean;
  amount: string;
  oldest: Date | null;
}

/** The number and the amount of the oldest payments. */
async function countOf(tx: EntityManager, condition: string): Promise<GroupView> {
  const [row] = await tx.query<[CountRow]>(
    `SELECT count(*) FILTER (WHERE place <= $1) AS payments, count(*) > $1 AS has_more,
       coalesce(sum(amount_micros) FILTER (WHERE place <= $1), 0)::bigint AS amount, min(verified_at) AS oldest
     FROM (SELECT verified_at, amount_micros, row_number() OVER (ORDER BY verified_at, id) AS place FROM payments
       WHERE ${condition} ORDER BY verified_at, id LIMIT $1 + 1) found`,
    [COUNTED_AT_MOST],
  );
  return {
    count: readMicros(row.payments),
    has_more: row.has_more,
    amount: usdAmount(readMicros(row.amount)),
    oldest_verified_at: row.oldest?.toISOString() ?? null,
  };
}
