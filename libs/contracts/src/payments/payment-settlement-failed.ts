import { IsBoolean, IsInt, IsString, IsUUID } from 'class-validator';
import { Instant, Nullable, Optional } from '../schema/field.decorators';
import { Address, Micros, Nonce, TransactionHash, PAYMENTS_STREAM } from './payment-event';

/** Settlement was refused for good: final, no revenue. */
export class PaymentSettlementFailed {
  static readonly type = 'payment.settlement-failed';
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
  @Nullable() @TransactionHash() transactionHash!: string | null;
  @Instant() verifiedAt!: string;
  @Instant() failedAt!: string;
  /** The buyer had the result before the refusal was known. */
  @IsBoolean() served!: boolean;
  /** Code of the facilitator, when it gave one. */
  @Nullable() @IsString() reason!: string | null;
  @Micros() attributedCostMicros!: number;
  @IsString() requestId!: string;
}
