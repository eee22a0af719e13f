import { IsString, IsUUID } from 'class-validator';
import { Instant } from '../schema/field.decorators';
import { Address, Micros, PAYMENTS_STREAM } from './payment-event';

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
