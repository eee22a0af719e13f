import { CHAINS, CREDIT_FACE_MICROS, PAID_ENDPOINTS } from '@evenkeel/contracts';
import type { Cells } from './copy-table';
import type { MadeCredit, MadePayment } from './made-rows';

const [{ chainId, usdc }] = CHAINS as [(typeof CHAINS)[number]];
const ASSET = usdc.address.toLowerCase();
const instant = (ms: number): string => new Date(ms).toISOString();

export const PAYMENT_COLUMNS =
  'id, wallet, endpoint, amount_micros, chain_id, asset, transaction_hash, status, verified_at, settled_at, failed_at, ' +
  'served, reason, tier, rebate_micros, attributed_cost_micros, request_id';

export function paymentCells(payment: MadePayment, address: string): Cells {
  const { status, endedMs } = payment;
  const ended = endedMs === null ? null : instant(endedMs);
  return [
    ...[payment.id, address, PAID_ENDPOINTS[payment.endpoint]!.path, payment.amountMicros, chainId, ASSET],
    ...[payment.transactionHash, status, instant(payment.verifiedMs)],
    ...[status === 'settled' ? ended : null, status === 'settlement_failed' ? ended : null],
    ...[payment.served ? 't' : 'f', status === 'settlement_failed' ? 'insufficient_funds' : null, payment.tier],
    ...[payment.rebateMicros, payment.costMicros, `seed-${payment.id}`],
  ];
}

export const CREDIT_COLUMNS =
  'id, wallet, face_micros, payment_id, tier, issued_at, endpoint, price_micros, change_micros, attributed_cost_micros, ' +
  'redeemed_at, request_id';

export function creditCells({ id, paymentId, tier, issuedMs, redemption }: MadeCredit, address: string): Cells {
  const issue = [id, address, CREDIT_FACE_MICROS, paymentId, tier, instant(issuedMs)];
  if (!redemption) return [...issue, null, null, null, null, null, null];
  const { endpoint, priceMicros, changeMicros, costMicros, atMs } = redemption;
  return [...issue, PAID_ENDPOINTS[endpoint]!.path, priceMicros, changeMicros, costMicros, instant(atMs), `seed-${id}`];
}
