import { Equals, IsBoolean, IsIn, IsNumber, IsString, Matches } from 'class-validator';
import { MoneyAmount } from '../agent/habit-results';
import { REBATE_TIER_NAMES, type RebateTierName } from '../payments/rebate';
import { OfferDigest } from './payment-documents';
import { Count, Described, ListOf, Nested, Nullable, Ratio, Strings } from '../schema/field.decorators';

@Described('So many paid calls in a sliding window')
class RateLimitTerms {
  @Count() requests!: number;
  @Count() window_seconds!: number;
}

class NextTier {
  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  @IsNumber() from_usd!: number;
  @Nested(() => MoneyAmount) remaining!: MoneyAmount;
}

class CreditCounts {
  @Count() issued!: number;
  @Count() redeemed!: number;
  @Count() outstanding!: number;
}

@Described('The status of the calling wallet')
class WalletStanding {
  @IsString() address!: string;
  @Described('Whether it has paid here') @IsBoolean() known!: boolean;
  @Described('The address is claimed, not proven') @Equals(false) verified!: false;
  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  @Ratio() rate!: number;
  @Described('Of settled payments') @Nested(() => MoneyAmount) lifetime_spend!: MoneyAmount;
  @Described('null at the top') @Nullable() @Nested(() => NextTier) next_tier!: NextTier | null;
  @Nested(() => MoneyAmount) accrued_rebate!: MoneyAmount;
  @Nested(() => CreditCounts) credits!: CreditCounts;
  @Nested(() => RateLimitTerms) rate_limit!: RateLimitTerms;
}

@Described('How calls are paid')
class PaymentMethod {
  @Equals('x402') protocol!: 'x402';
  @Equals(1) x402_version!: 1;
  @Equals('exact') scheme!: 'exact';
  @Described('CAIP-2 name of the chain') @IsString() network!: string;
  @IsString() asset!: string;
  @IsString() asset_symbol!: string;
  @Count() asset_decimals!: number;
  @IsString() pay_to!: string;
}

class EndpointPrice {
  @IsNumber() amount_usd!: number;
  @Described('Exact, six decimals') @IsString() @Matches(/^\d+\.\d{6}$/) amount_usd_exact!: string;
  @Described('Atomic units of the asset') @IsString() @Matches(/^\d+$/) amount_atomic!: string;
}

class PricedEndpoint {
  @IsString() endpoint!: string;
  @Equals('POST') method!: 'POST';
  @Nested(() => EndpointPrice) price!: EndpointPrice;
  @Count() max_items!: number;
  @Described('Within this time the whole paid answer is there') @Count() timeout_ms!: number;
  @Described('Names of the capability manifest') @Strings() capabilities!: string[];
}

class RebateTierTerms {
  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  @IsNumber() from_usd!: number;
  @Ratio() rate!: number;
  @Count() rate_limit_multiplier!: number;
}

@Described('What comes back of what is paid')
class RebateTerms {
  @IsString() basis!: string;
  @IsString() paid_as!: string;
  @Nested(() => MoneyAmount) credit_face_value!: MoneyAmount;
  @IsString() redeem_header!: string;
  @Described('Lowest first') @ListOf(() => RebateTierTerms) tiers!: RebateTierTerms[];
}

export class PriceList {
  @Equals('USD') currency!: 'USD';
  @Nested(() => PaymentMethod) payment!: PaymentMethod;
  @OfferDigest() offer_digest!: string;

  @Described('A price is for a request, whatever the number of items in it')
  @Equals('request')
  billing_unit!: 'request';

  @ListOf(() => PricedEndpoint) endpoints!: PricedEndpoint[];
  @Nested(() => RebateTerms) rebate!: RebateTerms;
  @Nested(() => RateLimitTerms) rate_limit!: RateLimitTerms;

  @Described('null without a hint which wallet calls')
  @Nullable()
  @Nested(() => WalletStanding)
  wallet!: WalletStanding | null;
}
