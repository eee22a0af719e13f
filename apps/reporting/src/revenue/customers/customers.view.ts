import { REBATE_TIER_NAMES, type RebateTierName } from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { AsOfView, Money } from '../figures/figures.view';

export class CustomerCreditsView {
  @ApiProperty({ type: 'integer' }) issued!: number;
  @ApiProperty({ type: 'integer' }) redeemed!: number;
  @ApiProperty({ type: 'integer', description: 'issued less redeemed' }) outstanding!: number;
}

export class CustomerView {
  @ApiProperty({ type: 'integer' }) rank!: number;
  @ApiProperty({ description: 'checksummed' }) wallet!: string;
  @ApiProperty({ enum: REBATE_TIER_NAMES }) tier!: RebateTierName;
  @ApiProperty() lifetime_spend!: Money;
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
  @ApiProperty({ type: 'integer' }) credit_calls!: number;
  @ApiProperty({ format: 'date-time' }) first_payment_at!: string;
  @ApiProperty({ format: 'date-time' }) last_payment_at!: string;
  @ApiProperty({ description: 'rebate and change that have not become a credit yet' }) rebate_accrued!: Money;
  @ApiProperty({ description: 'face value of the credits issued' }) rebate_issued!: Money;
  @ApiProperty() credits!: CustomerCreditsView;
}

export class TierShareView {
  @ApiProperty({ enum: REBATE_TIER_NAMES }) tier!: RebateTierName;
  @ApiProperty({ type: 'integer' }) wallets!: number;
}

export class RebatesView {
  @ApiProperty() rebate_issued!: Money;
  @ApiProperty({ description: 'prices of the calls that credits have paid' }) rebate_redeemed!: Money;
  @ApiProperty({ description: 'face value beyond these prices, back with the wallets' }) returned_change!: Money;
  @ApiProperty({ type: 'integer' }) credits_issued!: number;
  @ApiProperty({ type: 'integer' }) credits_redeemed!: number;
  @ApiProperty({ type: 'integer' }) credits_outstanding!: number;
  @ApiProperty({ description: 'a liability: calls owed' }) outstanding_face_value!: Money;
}

export class CustomersView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'customers in this answer' }) count!: number;
  @ApiProperty({ type: [CustomerView], description: 'by lifetime spend, then first seen' }) customers!: CustomerView[];
  @ApiProperty({ type: [TierShareView], description: 'all wallets that have paid, lowest tier first' })
  tier_distribution!: TierShareView[];
  @ApiProperty() rebates!: RebatesView;
}
