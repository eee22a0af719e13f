import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PAYMENT_COLUMNS, type PaymentRow, paymentView } from '../payments/payment-rows';
import { RevenueSnapshot } from '../revenue-snapshot';
import type { GroupView, OpenPaymentView, ReconciliationView } from './reconciliation.view';

/** Conditions in the words of the partial indexes: each group is found without looking at the other payments. */
const GROUPS = {
  settlementPending: `status = 'settlement_pending'`,
  needsReconciliation: `status = 'needs_reconciliation'`,
  unresolved: `status IN ('settlement_pending', 'needs_reconciliation')`,
  settledWithoutHash: `status = 'settled' AND transaction_hash IS NULL`,
  servedAndFailed: `status = 'settlement_failed' AND served`,
} as const;

type Group = keyof typeof GROUPS;

/** Facilitators exist that return no hash at all: then a group is all there is, and nobody wants it counted. */
const COUNTED_AT_MOST = 10_000;

interface OpenPaymentRow extends PaymentRow {
  served: boolean;
  reason: string | null;
}

/** What a person may have to look at. Reads only: `payment:close` of the gateway ends what is open (D-123). */
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
  const [row] = await tx.query<{ payments: string; amount: string; oldest: Date | null }[]>(
    `SELECT count(*) AS payments, coalesce(sum(amount_micros), 0)::bigint AS amount, min(verified_at) AS oldest
     FROM (
       SELECT amount_micros, verified_at FROM payments WHERE ${GROUPS[group]}
       ORDER BY verified_at, id LIMIT $1
     ) AS found`,
    [COUNTED_AT_MOST + 1],
  );
  const found = readMicros(row!.payments);
  return {
    count: Math.min(found, COUNTED_AT_MOST),
    has_more: found > COUNTED_AT_MOST,
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
