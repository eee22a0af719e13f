import { Equals, IsIn, IsNumber, IsString, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { MoneyAmount } from '../agent/agent-result';
import { REBATE_TIER_NAMES, type RebateTierName } from '../payments/rebate';
import { ListOf, Nested } from '../schema/nested.decorator';
import { Count, Ratio } from '../schema/number.decorator';
import { Nullable } from '../schema/presence.decorator';
import { Strings } from '../schema/text.decorator';
import { RateLimitTerms, WalletStanding } from './wallet-standing';

@JSONSchema({ description: 'How calls are paid' })
export class PaymentMethod {
  @Equals('x402') protocol!: 'x402';
  @Equals(1) x402_version!: 1;
  @Equals('exact') scheme!: 'exact';

  @JSONSchema({ description: 'CAIP-2 name of the chain' })
  @IsString()
  network!: string;

  @IsString() asset!: string;
  @IsString() asset_symbol!: string;
  @Count() asset_decimals!: number;
  @IsString() pay_to!: string;
}

export class EndpointPrice {
  @IsNumber() amount_usd!: number;

  @JSONSchema({ description: 'Exact, six decimals' })
  @IsString()
  @Matches(/^\d+\.\d{6}$/)
  amount_usd_exact!: string;

  @JSONSchema({ description: 'Atomic units of the asset' })
  @IsString()
  @Matches(/^\d+$/)
  amount_atomic!: string;
}

export class PricedEndpoint {
  @IsString() endpoint!: string;
  @Equals('POST') method!: 'POST';
  @Nested(() => EndpointPrice) price!: EndpointPrice;
  @Count() max_items!: number;

  @JSONSchema({ description: 'Within this time the whole paid answer is there' })
  @Count()
  timeout_ms!: number;

  @JSONSchema({ description: 'Names of the capability manifest' })
  @Strings()
  capabilities!: string[];
}

export class RebateTierTerms {
  @IsIn(REBATE_TIER_NAMES) tier!: RebateTierName;
  @IsNumber() from_usd!: number;
  @Ratio() rate!: number;
  @Count() rate_limit_multiplier!: number;
}

@JSONSchema({ description: 'What comes back of what is paid' })
export class RebateTerms {
  @IsString() basis!: string;
  @IsString() paid_as!: string;
  @Nested(() => MoneyAmount) credit_face_value!: MoneyAmount;
  @IsString() redeem_header!: string;

  @JSONSchema({ description: 'Lowest first' })
  @ListOf(() => RebateTierTerms)
  tiers!: RebateTierTerms[];
}

export class PriceList {
  @Equals('USD') currency!: 'USD';
  @Nested(() => PaymentMethod) payment!: PaymentMethod;

  @JSONSchema({ description: 'SHA-256 of everything for sale here; the same in every document' })
  @IsString()
  @Matches(/^[0-9a-f]{64}$/)
  offer_digest!: string;

  @JSONSchema({ description: 'A price is for a request, whatever the number of items in it' })
  @Equals('request')
  billing_unit!: 'request';

  @ListOf(() => PricedEndpoint) endpoints!: PricedEndpoint[];
  @Nested(() => RebateTerms) rebate!: RebateTerms;
  @Nested(() => RateLimitTerms) rate_limit!: RateLimitTerms;

  @JSONSchema({ description: 'null without a hint which wallet calls' })
  @Nullable()
  @Nested(() => WalletStanding)
  wallet!: WalletStanding | null;
}
