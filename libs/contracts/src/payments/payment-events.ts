import { IsInt, IsString, Matches, Max, Min, IsBoolean, IsIn, IsUUID } from 'class-validator';
import { compose, Instant, Nullable, Optional } from '../schema/field.decorators';
import { REBATE_TIER_NAMES, type RebateTierName } from './rebate';

/** Events of agent-gateway about payments and credits; the key is the wallet. */
export const PAYMENTS_STREAM = 'evenkeel.payments.v1';

/** Micro-USD as a safe JSON integer. */
export function Micros(): PropertyDecorator {
  return compose(IsInt(), Min(0), Max(Number.MAX_SAFE_INTEGER));
}

/** An address of a wallet or an asset, lower case. */
function Address(): PropertyDecorator {
  return compose(IsString(), Matches(/^0x[0-9a-f]{40}$/));
}

/** A nonce of an authorization, or the hash of a transaction: 32 bytes, lower case. */
function Bytes32(): PropertyDecorator {
  return compose(IsString(), Matches(/^0x[0-9a-f]{64}$/));
}

class AboutPayment {
  @IsUUID() paymentId!: string;
  /** Of the authorization that paid. Older events do not have it. */
  @Optional() @Nullable() @Bytes32() nonce?: string | null;
  @Address() wallet!: string;
  /** Path of the paid endpoint. */
  @IsString() endpoint!: string;
  @Micros() amountMicros!: number;
  @IsInt() chainId!: number;
  @Address() asset!: string;
  @Instant() verifiedAt!: string;
  @Micros() attributedCostMicros!: number;
  @IsString() requestId!: string;
}

/** A payment is on the chain: final, revenue. */
export class PaymentSettled extends AboutPayment {
  static readonly type = 'payment.settled';
  static readonly stream = PAYMENTS_STREAM;

  /** Null when the facilitator reported success without one. */
  @Nullable() @Bytes32() transactionHash!: string | null;
  @Instant() settledAt!: string;
  /** The buyer has the result. Older events do not have it. */
  @Optional() @Nullable() @IsBoolean() served?: boolean | null;
  /** Of the wallet, this payment included. */
  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  /** Added to the accrued rebate of the wallet. */
  @Micros() rebateMicros!: number;
}

/** Settlement was asked for and its outcome is open: listed by reporting, no revenue. */
export class PaymentSettlementPending extends AboutPayment {
  static readonly type = 'payment.settlement-pending';
  static readonly stream = PAYMENTS_STREAM;

  @IsIn(['settlement_pending', 'needs_reconciliation']) state!: 'settlement_pending' | 'needs_reconciliation';
  /** The buyer has the result already. */
  @IsBoolean() served!: boolean;
  /** Code of the facilitator, when it gave one. */
  @Nullable() @IsString() reason!: string | null;
}

/** Settlement was refused for good: final, no revenue. */
export class PaymentSettlementFailed extends AboutPayment {
  static readonly type = 'payment.settlement-failed';
  static readonly stream = PAYMENTS_STREAM;

  @Nullable() @Bytes32() transactionHash!: string | null;
  @Instant() failedAt!: string;
  /** The buyer had the result before the refusal was known. */
  @IsBoolean() served!: boolean;
  /** Code of the facilitator, when it gave one. */
  @Nullable() @IsString() reason!: string | null;
}

/** The accrued rebate of a wallet reached the face value: it may now spend a credit. */
export class CreditIssued {
  static readonly type = 'credit.issued';
  static readonly stream = PAYMENTS_STREAM;

  @IsUUID() creditId!: string;
  @Address() wallet!: string;
  @Micros() faceMicros!: number;
  /** The payment whose rebate completed it. */
  @IsUUID() paymentId!: string;
  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  @Instant() issuedAt!: string;
  /** Null for one that does not expire. Older events do not have it. */
  @Optional() @Nullable() @Instant() expiresAt?: string | null;
}

/** A credit paid for a call: final, no revenue. */
export class CreditRedeemed {
  static readonly type = 'credit.redeemed';
  static readonly stream = PAYMENTS_STREAM;

  @IsUUID() creditId!: string;
  /** The wallet it was issued to; any wallet may present it. */
  @Address() wallet!: string;
  /** Path of the endpoint that was called. */
  @IsString() endpoint!: string;
  @Micros() priceMicros!: number;
  /** Face value beyond the price, back in the accrued rebate of the wallet. */
  @Micros() changeMicros!: number;
  @Micros() attributedCostMicros!: number;
  @Instant() redeemedAt!: string;
  @IsString() requestId!: string;
}
