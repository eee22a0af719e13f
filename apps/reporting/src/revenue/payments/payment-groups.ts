/** Payments that a person may have to look at, as the reconciliation names them. */
export const PAYMENT_GROUPS = ['unresolved', 'settled_without_hash', 'served_and_failed'] as const;

export type PaymentGroup = (typeof PAYMENT_GROUPS)[number];

/** The conditions of the partial indexes: each group is found without a scan of the other payments. */
export const GROUP_CONDITIONS = {
  unresolved: `status IN ('settlement_pending', 'needs_reconciliation')`,
  settled_without_hash: `status = 'settled' AND transaction_hash IS NULL`,
  served_and_failed: `status = 'settlement_failed' AND served`,
} as const satisfies Record<PaymentGroup, string>;
