/** What became of a payment. Only settled ones are revenue; failed is final too. */
export const PAYMENT_STATUSES = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];
