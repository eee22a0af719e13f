import { ApiProperty } from '@nestjs/swagger';
import { Money } from './money.view';

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
