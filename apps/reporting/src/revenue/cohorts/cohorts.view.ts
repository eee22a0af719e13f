import { ApiProperty } from '@nestjs/swagger';
import { AsOfView, Money } from '../figures/figures.view';

export class CohortMonthView {
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$' }) month!: string;
  @ApiProperty({ type: 'integer', description: 'wallets of the cohort that paid in this month' })
  active_wallets!: number;
  @ApiProperty({ description: 'of the wallets of the cohort, in per cent with two decimals' }) retention_pct!: number;
  @ApiProperty({ type: 'integer' }) paid_calls!: number;
  @ApiProperty() gross_revenue!: Money;
}

/** Wallets that paid for the first time in one month, and what they did since. */
export class CohortView {
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$', description: 'of the first payment' }) month!: string;
  @ApiProperty({ type: 'integer' }) wallets!: number;
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty({ type: [CohortMonthView], description: 'from the first month to the present one' })
  months!: CohortMonthView[];
}

export class CohortsView extends AsOfView {
  @ApiProperty({ enum: ['USD'] }) currency!: 'USD';
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 24 }) months!: number;
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$' }) from!: string;
  @ApiProperty({ pattern: '^\\d{4}-\\d{2}$' }) to!: string;
  @ApiProperty({ type: [CohortView], description: 'one for each month, oldest first' }) cohorts!: CohortView[];
}
