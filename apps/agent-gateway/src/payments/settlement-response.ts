import { checksummed, type Payment } from '../calls/payment';

export type SettlementStatus = 'settled' | 'settlement_pending' | 'settlement_failed';

/** The settlement response in two equal headers: version 1 clients read the first name, version 2 clients the second. */
export function settlementResponse(
  payment: Payment,
  outcome: { status: SettlementStatus; transactionHash: string | null; errorReason?: string },
): Record<string, string> {
  const { status, transactionHash, errorReason } = outcome;
  const response = {
    success: status !== 'settlement_failed',
    ...(errorReason !== undefined && { errorReason }),
    transaction: (status === 'settled' ? transactionHash : null) ?? '',
    network: payment.network,
    payer: checksummed(payment.payer),
    amount: payment.authorization.value,
    status,
  };
  const encoded = Buffer.from(JSON.stringify(response)).toString('base64');
  return { 'X-PAYMENT-RESPONSE': encoded, 'PAYMENT-RESPONSE': encoded };
}
