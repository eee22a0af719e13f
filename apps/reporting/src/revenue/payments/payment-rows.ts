import { usdAmount } from '@evenkeel/kernel';
import { readMicros } from '@evenkeel/platform/persistence';
import { getAddress } from 'viem';
import { ApiProperty } from '@nestjs/swagger';
import { Money } from '../figures/figures';

/** Only settled payments are revenue; failed is final too. */
export const PAYMENT_STATUSES = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'] as const;

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export class PaymentView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'date-time' }) verified_at!: string;
  @ApiProperty() endpoint!: string;
  @ApiProperty() amount!: Money;
  @ApiProperty({ description: 'in the smallest unit of the stablecoin' }) amount_atomic!: string;
  @ApiProperty({ description: 'checksummed' }) payer!: string;
  @ApiProperty({ example: 'eip155:8453' }) network!: string;
  @ApiProperty({ description: 'checksummed' }) asset!: string;
  @ApiProperty({ nullable: true, type: String, description: 'null until the facilitator returns one' })
  transaction_hash!: string | null;
  @ApiProperty({ enum: PAYMENT_STATUSES, description: 'only settled ones are revenue' }) status!: PaymentStatus;
  @ApiProperty({ format: 'date-time', nullable: true, type: String }) settled_at!: string | null;
  @ApiProperty() rebate_accrued!: Money;
  @ApiProperty() request_id!: string;
}

/** The columns of `payments` that an answer shows. */
export const PAYMENT_COLUMNS = `
  id, verified_at, (extract(epoch FROM verified_at) * 1000000)::bigint AS verified_at_micros, endpoint, amount_micros,
  wallet, chain_id, asset, transaction_hash, status, settled_at, rebate_micros, request_id`;

export interface PaymentRow {
  id: string;
  verified_at: Date;
  verified_at_micros: string;
  endpoint: string;
  amount_micros: string;
  wallet: string;
  chain_id: string;
  asset: string;
  transaction_hash: string | null;
  status: PaymentStatus;
  settled_at: Date | null;
  rebate_micros: string;
  request_id: string;
}

/** A payment as every answer shows it. */
export function paymentView(row: PaymentRow): PaymentView {
  return {
    id: row.id,
    verified_at: row.verified_at.toISOString(),
    endpoint: row.endpoint,
    amount: usdAmount(readMicros(row.amount_micros)),
    amount_atomic: row.amount_micros,
    payer: getAddress(row.wallet),
    network: `eip155:${row.chain_id}`,
    asset: getAddress(row.asset),
    transaction_hash: row.transaction_hash,
    status: row.status,
    settled_at: row.settled_at?.toISOString() ?? null,
    rebate_accrued: usdAmount(readMicros(row.rebate_micros)),
    request_id: row.request_id,
  };
}
