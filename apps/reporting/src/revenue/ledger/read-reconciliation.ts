import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiProperty } from '@nestjs/swagger';
import { GROUP_CONDITIONS } from '../payments/payment-groups';
import { PAYMENT_COLUMNS, type PaymentRow, paymentView, PaymentView } from '../payments/payment-rows';
import { RevenueSnapshot } from '../revenue-snapshot';
import { AsOfView, Money } from '../figures/figures';

/** A payment without its money, or not yet with it. */
class OpenPaymentView extends PaymentView {
  @ApiProperty({ description: 'the buyer has the result' }) served!: boolean;
  @ApiProperty({ nullable: true, type: String, description: 'code of the facilitator' }) reason!: string | null;
}

class GroupView {
  @ApiProperty({ type: 'integer', description: 'at most 10,000, the oldest' }) count!: number;
  @ApiProperty({ description: 'whether there are more than were counted' }) has_more!: boolean;
  @ApiProperty({ description: 'of those counted' }) amount!: Money;
  @ApiProperty({ format: 'date-time', nullable: true, type: String }) oldest_verified_at!: string | null;
}

class StatusesView {
  @ApiProperty({ description: 'the worker of the gateway is at it' }) settlement_pending!: GroupView;
  @ApiProperty({ description: 'a person must look' }) needs_reconciliation!: GroupView;
}

class UnresolvedView extends GroupView {
  @ApiProperty() statuses!: StatusesView;
  @ApiProperty({ type: [OpenPaymentView], description: 'oldest first' }) payments!: OpenPaymentView[];
}

class SettledWithoutHashView extends GroupView {
  @ApiProperty({ type: [PaymentView], description: 'newest first' }) payments!: PaymentView[];
}

class ServedAndFailedView extends GroupView {
  @ApiProperty({ type: [OpenPaymentView], description: 'newest first' }) payments!: OpenPaymentView[];
}

export class ReconciliationView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200, description: 'payments at most in each list' })
  limit!: number;
  @ApiProperty({ description: 'neither settled nor failed' }) unresolved!: UnresolvedView;
  @ApiProperty({ description: 'revenue that names no transaction' }) settled_without_hash!: SettledWithoutHashView;
  @ApiProperty({ description: 'results given away' }) served_and_failed!: ServedAndFailedView;
}

const GROUPS = {
  settlementPending: `status = 'settlement_pending'`,
  needsReconciliation: `status = 'needs_reconciliation'`,
  unresolved: GROUP_CONDITIONS.unresolved,
  settledWithoutHash: GROUP_CONDITIONS.settled_without_hash,
  servedAndFailed: GROUP_CONDITIONS.served_and_failed,
} as const;

type Group = keyof typeof GROUPS;

/** Some facilitators never return a hash: then a group holds all payments, and counting it would take too long. */
const COUNTED_AT_MOST = 10_000;

interface OpenPaymentRow extends PaymentRow {
  served: boolean;
  reason: string | null;
}

/** Payments that a person may have to look at. Reads only: `payment:close` of the gateway closes them (D-123). */
@Injectable()
export class ReadReconciliation {
  constructor(private readonly snapshot: RevenueSnapshot) {}

  async execute(limit: number): Promise<ReconciliationView> {
    return this.snapshot.read(async (tx) => ({
      limit,
      unresolved: {
        ...(await readGroup(tx, 'unresolved')),
        statuses: {
          settlement_pending: await readGroup(tx, 'settlementPending'),
          needs_reconciliation: await readGroup(tx, 'needsReconciliation'),
        },
        payments: (await readGroupRows(tx, 'unresolved', 'ASC', limit)).map(openPaymentView),
      },
      settled_without_hash: {
        ...(await readGroup(tx, 'settledWithoutHash')),
        payments: (await readGroupRows(tx, 'settledWithoutHash', 'DESC', limit)).map(paymentView),
      },
      served_and_failed: {
        ...(await readGroup(tx, 'servedAndFailed')),
        payments: (await readGroupRows(tx, 'servedAndFailed', 'DESC', limit)).map(openPaymentView),
      },
    }));
  }
}

function openPaymentView(row: OpenPaymentRow): OpenPaymentView {
  return { ...paymentView(row), served: row.served, reason: row.reason };
}

async function readGroup(tx: EntityManager, group: Group): Promise<GroupView> {
  const [row] = await tx.query<{ payments: string; has_more: boolean; amount: string; oldest: Date | null }[]>(
    `SELECT count(*) FILTER (WHERE place <= $1) AS payments, count(*) > $1 AS has_more,
       coalesce(sum(amount_micros) FILTER (WHERE place <= $1), 0)::bigint AS amount, min(verified_at) AS oldest
     FROM (
       SELECT amount_micros, verified_at, row_number() OVER (ORDER BY verified_at, id) AS place
       FROM payments WHERE ${GROUPS[group]} ORDER BY verified_at, id LIMIT $1 + 1
     ) AS found`,
    [COUNTED_AT_MOST],
  );
  return {
    count: readMicros(row!.payments),
    has_more: row!.has_more,
    amount: usdAmount(readMicros(row!.amount)),
    oldest_verified_at: row!.oldest?.toISOString() ?? null,
  };
}

async function readGroupRows(
  tx: EntityManager,
  group: Group,
  order: 'ASC' | 'DESC',
  limit: number,
): Promise<OpenPaymentRow[]> {
  return tx.query<OpenPaymentRow[]>(
    `SELECT ${PAYMENT_COLUMNS}, served, reason FROM payments WHERE ${GROUPS[group]}
     ORDER BY verified_at ${order}, id ${order} LIMIT $1`,
    [limit],
  );
}
