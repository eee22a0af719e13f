import type { IncomingHttpHeaders } from 'node:http';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { getAddress, isAddress } from 'viem';
import { paymentHeader, decodePayment } from '../payments/decode-payment';

/**
 * The wallet that a caller says is its own: the payer of a payment header, `X-Wallet-Address`, or the query, in this order.
 * A payment is decoded and never verified: the address is claimed, not proven.
 * @returns checksummed; null when there is no hint
 * @throws ValidationFailed for one that is no address
 */
export function walletHint(headers: IncomingHttpHeaders, query: unknown): string | null {
  const payment = paymentHeader(headers);
  if (payment !== null) return payerOf(payment);
  const hint = headers['x-wallet-address'] || query;
  if (hint === undefined || hint === '') return null;
  if (typeof hint === 'string' && isAddress(hint, { strict: false })) return getAddress(hint);
  throw badHint('/wallet', 'must be an EVM address: 0x and 40 hex digits');
}

function payerOf(header: string): string {
  try {
    return getAddress(decodePayment(header).payer);
  } catch {
    throw badHint('/payment', 'must be a complete payment header');
  }
}

function badHint(path: string, message: string): ValidationFailed {
  return new ValidationFailed([{ path, code: 'bad_format', message }]);
}
