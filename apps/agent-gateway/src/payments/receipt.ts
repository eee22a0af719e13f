import { checksummed } from '../calls/checksummed';
import type { Payment } from '../calls/payment';

export type ReceiptStatus = 'settled' | 'settlement_pending' | 'settlement_failed';

/** The two receipt headers, equal: version 1 clients read the first name, version 2 clients the second. */
export function receiptHeaders(
  payment: Payment,
  outcome: { status: ReceiptStatus; transactionHash: string | null; errorReason?: string },
): Record<string, string> {
  const { status, transactionHash, errorReason } = outcome;
  const receipt = {
    success: status !== 'settlement_failed',
    ...(errorReason !== undefined && { errorReason }),
    transaction: (status === 'settled' ? transactionHash : null) ?? '',
    network: payment.network,
    payer: checksummed(payment.payer),
    amount: payment.authorization.value,
    status,
  };
  const encoded = Buffer.from(JSON.stringify(receipt)).toString('base64');
  return { 'X-PAYMENT-RESPONSE': encoded, 'PAYMENT-RESPONSE': encoded };
}
