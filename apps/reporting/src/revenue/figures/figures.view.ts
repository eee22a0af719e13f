import { ApiProperty } from '@nestjs/swagger';

/** How fresh an answer is: the last two members of every one. */
export class AsOfView {
  @ApiProperty({ format: 'date-time', description: 'everything the gateway had told by then is in these figures' })
  as_of!: string;
  @ApiProperty({ description: 'age of the oldest news that are not, 0 when there are none' })
  lag_seconds!: number;
}

/** An amount as every answer shows it: see `usdAmount`. */
export class Money {
  @ApiProperty({ description: 'rounded to cents, half away from zero', example: 45.83 }) usd!: number;
  @ApiProperty({ description: 'exact, six decimals', pattern: '^-?\\d+\\.\\d{6}$', example: '45.830000' })
  usd_exact!: string;
}

/** What every period is told by. */
export class CallFiguresView {
  @ApiProperty() gross_revenue!: Money;
  @ApiProperty({ description: 'of paid calls, credit calls, and served calls whose payment failed' })
  attributed_cost!: Money;
  @ApiProperty({ description: 'gross less cost' }) net_margin!: Money;
  @ApiProperty({ nullable: true, type: Number, description: 'of the gross, two decimals; null without any gross' })
  net_margin_pct!: number | null;
  @ApiProperty({ type: 'integer', description: 'settled payments' }) paid_calls!: number;
  @ApiProperty({ type: 'integer', description: 'calls served for a credit' }) credit_calls!: number;
  @ApiProperty({ type: 'integer', description: 'distinct wallets' }) unique_payers!: number;
  @ApiProperty({ description: 'prices of the calls served by credits; not a part of the margin' })
  rebate_redeemed!: Money;
}
