import { Equals, IsBoolean, IsIn, IsNumber, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { MoneyAmount } from '../agent/agent-result';
import { REBATE_TIER_NAMES, type RebateTierName } from '../payments/rebate';
import { Nested } from '../schema/nested.decorator';
import { Count, Ratio } from '../schema/number.decorator';
import { Nullable } from '../schema/presence.decorator';

@JSONSchema({ description: 'So many paid calls in a sliding window' })
export class RateLimitTerms {
  @Count() requests!: number;
  @Count() window_seconds!: number;
}

export class NextTier {
  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  @IsNumber() from_usd!: number;
  @Nested(() => MoneyAmount) remaining!: MoneyAmount;
}

export class CreditCounts {
  @Count() issued!: number;
  @Count() redeemed!: number;
  @Count() outstanding!: number;
}

@JSONSchema({ description: 'Where the calling wallet stands' })
export class WalletStanding {
  @IsString() address!: string;

  @JSONSchema({ description: 'Whether it has paid here' })
  @IsBoolean()
  known!: boolean;

  @JSONSchema({ description: 'The address is claimed, not proven' })
  @Equals(false)
  verified!: false;

  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  @Ratio() rate!: number;

  @JSONSchema({ description: 'Of settled payments' })
  @Nested(() => MoneyAmount)
  lifetime_spend!: MoneyAmount;

  @JSONSchema({ description: 'null at the top' })
  @Nullable()
  @Nested(() => NextTier)
  next_tier!: NextTier | null;

  @Nested(() => MoneyAmount) accrued_rebate!: MoneyAmount;
  @Nested(() => CreditCounts) credits!: CreditCounts;
  @Nested(() => RateLimitTerms) rate_limit!: RateLimitTerms;
}
