import { Injectable } from '@nestjs/common';
import { paymentView } from '../payments/payment-rows';
import { RevenueSnapshot } from '../revenue-snapshot';
import { readGroup, readGroupRows, type OpenPaymentRow } from './payment-groups';
import type { OpenPaymentView, ReconciliationView } from './reconciliation.view';

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
