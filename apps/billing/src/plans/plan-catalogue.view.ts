import { PLAN_CODES, PLAN_INTERVALS, TIERS, type PlanCode, type PlanInterval, type Tier } from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';

export class PlanPriceView {
  @ApiProperty({ type: 'integer', description: 'in the minor unit; this one counts' }) amount_cents!: number;
  @ApiProperty({ description: 'decimal text' }) amount!: string;
  @ApiProperty({ description: 'ISO 4217' }) currency!: string;
  @ApiProperty({ description: 'as people read it' }) display!: string;
}

export class CataloguePlanView {
  @ApiProperty({ enum: PLAN_CODES }) code!: PlanCode;
  @ApiProperty() name!: string;
  @ApiProperty({ enum: TIERS }) tier!: Tier;
  @ApiProperty({ enum: PLAN_INTERVALS, nullable: true, description: 'null: nothing is ever due' })
  interval!: PlanInterval | null;
  @ApiProperty() price!: PlanPriceView;
  @ApiProperty({ description: 'false: checkout answers 501, or 400 for the free plan' }) purchasable!: boolean;
  @ApiProperty({ type: [String] }) features!: string[];
}

export class CatalogueBillingView {
  @ApiProperty({ enum: ['stripe', 'none'], description: '`none`: no payment provider is configured' })
  provider!: 'stripe' | 'none';
  @ApiProperty({ description: 'whether any plan has a price at the provider' }) configured!: boolean;
}

/** What can be had, and for how much. */
export class PlanCatalogueView {
  @ApiProperty({ description: 'ISO 4217' }) currency!: string;
  @ApiProperty({ type: [CataloguePlanView] }) plans!: CataloguePlanView[];
  @ApiProperty() billing!: CatalogueBillingView;
}
