import { IsIn, IsUUID } from 'class-validator';
import { Instant, Nullable, Optional } from '../schema/field.decorators';
import { Address, Micros, PAYMENTS_STREAM } from './payment-event';
import { REBATE_TIER_NAMES, type RebateTierName } from './rebate';

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
