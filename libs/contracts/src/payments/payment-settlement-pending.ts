import { IsBoolean, IsIn, IsInt, IsString, IsUUID } from 'class-validator';
import { Instant, Nullable, Optional } from '../schema/field.decorators';
import { Address, Micros, Nonce, PAYMENTS_STREAM } from './payment-event';

/** Settlement was asked for and its outcome is open: listed by reporting, no revenue. */
export class PaymentSettlementPending {
  static readonly type = 'payment.settlement-pending';
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
  @Instant() verifiedAt!: string;
  @IsIn(['settlement_pending', 'needs_reconciliation']) state!: 'settlement_pending' | 'needs_reconciliation';
  /** The buyer has the result already. */
  @IsBoolean() served!: boolean;
  /** Code of the facilitator, when it gave one. */
  @Nullable() @IsString() reason!: string | null;
  @Micros() attributedCostMicros!: number;
  @IsString() requestId!: string;
}
