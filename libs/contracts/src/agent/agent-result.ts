import { ArrayMinSize, Equals, IsIn, IsNumber, IsString, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { REBATE_TIER_NAMES, type RebateTierName } from '../payments/rebate';
import { Instant } from '../schema/instant.decorator';
import { Nested } from '../schema/nested.decorator';
import { Ratio } from '../schema/number.decorator';
import { Nullable, Optional } from '../schema/presence.decorator';
import { Strings } from '../schema/text.decorator';

export class MoneyAmount {
  @JSONSchema({ description: 'Rounded to cents' })
  @IsNumber()
  usd!: number;

  @JSONSchema({ description: 'Exact, six decimals' })
  @IsString()
  @Matches(/^\d+\.\d{6}$/)
  usd_exact!: string;
}

/** Present in the answer to the payment that filled up a credit (D-33). */
@JSONSchema({ description: 'A single-use call credit that this payment has earned' })
export class RebateEarned {
  @JSONSchema({
    description: 'null in a repeat without the Idempotency-Key or payment identifier of the first request',
  })
  @Nullable()
  @IsString()
  credit_token!: string | null;

  @Nested(() => MoneyAmount) face_value!: MoneyAmount;
  @IsString() redeem_header!: string;
  @Strings() redeemable_on!: string[];
  @Equals(true) single_use!: true;
  @Nullable() @Instant() expires_at!: string | null;
  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  @Ratio() rate!: number;
  @Nested(() => MoneyAmount) accrued_after!: MoneyAmount;

  @JSONSchema({ description: 'The token was given in an earlier answer' })
  @Optional()
  @Equals(true)
  delivered?: true;
}

/** What every paid result may carry after its own members. */
export class AgentResult {
  @JSONSchema({ description: 'Ignored properties and corrected streaks; present only when there are any' })
  @Optional()
  @Strings()
  @ArrayMinSize(1)
  warnings?: string[];

  @Optional() @Nested(() => RebateEarned) rebate_earned?: RebateEarned;
}
