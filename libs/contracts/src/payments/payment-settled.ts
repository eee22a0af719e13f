import { IsBoolean, IsIn, IsInt, IsString, IsUUID } from 'class-validator';
import { Instant, Nullable, Optional } from '../schema/field.decorators';
import { Address, Micros, Nonce, TransactionHash, PAYMENTS_STREAM } from './payment-event';
import { REBATE_TIER_NAMES, type RebateTierName } from './rebate';

/** A payment is on the chain: final, revenue. */
export class PaymentSettled {
  static readonly type = 'payment.settled';
  static readonly stream = PAYMENTS_STREAM;

  @IsUUID() paymentId!: string;
  /** Of the authorization that paid. Older events do not have it. */
  @Optional() @Nullable() @Nonce() nonce?: string | null;
  @Address() wallet!: string;
  /** Path of the paid endpoint. */
  @IsString() endpoint!: string;
  @Micros() amountMicros!: number;
  @IsInt() chainId!: number;
  @Address() asset!: string;
  /** Null when the facilitator reported success without one. */
  @Nullable() @TransactionHash() transactionHash!: string | null;
  @Instant() verifiedAt!: string;
  @Instant() settledAt!: string;
  /** The buyer has the result. Older events do not have it. */
  @Optional() @Nullable() @IsBoolean() served?: boolean | null;
  /** Of the wallet, this payment included. */
  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  /** Added to the accrued rebate of the wallet. */
  @Micros() rebateMicros!: number;
  @Micros() attributedCostMicros!: number;
  @IsString() requestId!: string;
}
