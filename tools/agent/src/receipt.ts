/** What the seller says about the settlement, in `PAYMENT-RESPONSE` and `X-PAYMENT-RESPONSE`. */
export interface Receipt {
  success: boolean;
  /** Hash; empty while the settlement is pending, and when it failed. */
  transaction: string;
  network: string;
  payer?: string;
  amount?: string;
  status?: string;
  errorReason?: string;
}

/** @returns undefined when there is no receipt, or none that can be read */
export function readReceipt(headers: Headers): Receipt | undefined {
  const encoded = headers.get('PAYMENT-RESPONSE') ?? headers.get('X-PAYMENT-RESPONSE');
  if (!encoded) return undefined;
  try {
    return JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as Receipt;
  } catch {
    return undefined;
  }
}
