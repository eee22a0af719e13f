import { REBATE_TIER_NAMES, type RebateTierName } from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { Is, Money } from '../figures/figures';
import { HAS_FIGURES } from '../figures/span-rows';
import type { Stored } from './row-view';

/** Only settled payments are revenue; failed is final too. */
export const PAYMENT_STATUSES = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'] as const;

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Payments that a person may have to look at, as the reconciliation names them. */
export const PAYMENT_GROUPS = ['unresolved', 'settled_without_hash', 'served_and_failed'] as const;

export type PaymentGroup = (typeof PAYMENT_GROUPS)[number];

/** The conditions of the partial indexes: each group is found without a scan of the other payments. */
export const GROUP_CONDITIONS = {
  unresolved: `status IN ('settlement_pending', 'needs_reconciliation')`,
  settled_without_hash: `status = 'settled' AND transaction_hash IS NULL`,
  served_and_failed: `status = 'settlement_failed' AND served`,
} as const satisfies Record<PaymentGroup, string>;

export class PaymentView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @Is.instant() verified_at!: string;
  @Is.member() endpoint!: string;
  @Is.member() amount!: Money;
  @Is.member('in the smallest unit of the stablecoin') amount_atomic!: string;
  @Is.member('checksummed') payer!: string;
  @ApiProperty({ example: 'eip155:8453' }) network!: string;
  @Is.member('checksummed') asset!: string;
  @Is.textOrNull('null until the facilitator returns one') transaction_hash!: string | null;
  @Is.oneOf(PAYMENT_STATUSES, 'only settled ones are revenue') status!: PaymentStatus;
  @Is.instantOrNull() settled_at!: string | null;
  @Is.member() rebate_accrued!: Money;
  @Is.member() request_id!: string;
}

/** A payment with what only its own answer and a file say. */
export class PaymentDetailView extends PaymentView {
  @Is.textOrNull('of the authorization; null for older payments') nonce!: string | null;
  @Is.textOrNull('code of the facilitator') reason!: string | null;
  @ApiProperty({
    nullable: true,
    type: Boolean,
    description: 'the buyer has the result; null where older events do not say it',
  })
  served!: boolean | null;
  @ApiProperty({
    nullable: true,
    enum: REBATE_TIER_NAMES,
    description: 'of the wallet with this payment; null until it settles',
  })
  tier!: RebateTierName | null;
  @Is.member('of settled payments, and of served ones that failed; 0 for others') attributed_cost!: Money;
  @Is.instantOrNull() failed_at!: string | null;
}

/** The columns of `payments` that an answer shows, under its names. */
export const PAYMENT_COLUMNS = `
  id, verified_at, endpoint, amount_micros AS amount, amount_micros AS amount_atomic, wallet AS payer,
  'eip155:' || chain_id AS network, asset, transaction_hash, status, settled_at, rebate_micros AS rebate_accrued,
  request_id`;

/** More of them, for the answer about one payment and for files. Older events do not say whether a result was served. */
export const DETAIL_COLUMNS = `${PAYMENT_COLUMNS}, nonce, reason,
  CASE WHEN status = 'settled' AND nonce IS NULL THEN NULL ELSE served END AS served, tier,
  CASE WHEN ${HAS_FIGURES} THEN attributed_cost_micros ELSE 0 END AS attributed_cost, failed_at`;

/** Rows as they are stored: amounts as texts, instants as dates. */
export type PaymentRow = Stored<PaymentView>;
export type PaymentDetailRow = Stored<PaymentDetailView>;
